import { afterEach, describe, expect, it, vi } from "vitest";

import { systemClock } from "../../src/kube/api/clock.ts";
import { collectionPath } from "../../src/kube/api/paths.ts";
import { listAll } from "../../src/kube/watch/list.ts";
import { createReflector, type Reflector, type ReflectorOptions } from "../../src/kube/watch/reflector.ts";
import { createStore } from "../../src/kube/watch/store.ts";
import { lines, parseEvent, type WatchEvent } from "../../src/kube/watch/watch-event.ts";
import { effort } from "../support/env/effort.ts";
import { manualClock } from "../support/kube/clock.ts";
import { kubeEnv } from "../support/kube/env.ts";
import { THING } from "../support/kube/things.ts";

const env = kubeEnv();
const running: Reflector[] = [];
const soon = { timeout: 10_000, interval: 20 };

afterEach(async () => {
  for (const reflector of running.splice(0)) await reflector.stop();
});

async function reflect(more: Partial<ReflectorOptions> = {}) {
  const store = createStore((error) => {
    throw error;
  });
  const changes: string[] = [];
  let lists = 0;
  let failures = 0;
  const options = {
    client: env.client(),
    type: THING,
    store,
    clock: systemClock(),
    random: () => 0,
    observer: { listed: () => (lists += 1), failed: () => (failures += 1) },
    ...more,
  };
  store.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.name}`));
  const reflector = createReflector(options);
  running.push(reflector);
  reflector.start();
  await vi.waitFor(() => expect(reflector.synced()).toBe(true), soon);
  const names = (namespace?: string) => store.list("Thing", namespace).map(({ metadata }) => metadata.name);
  return { store, changes, names, lists: () => lists, failures: () => failures };
}

describe("list and watch", () => {
  it("see every change, and a namesake as another object (K8)", async () => {
    await env.namespace("watch-changes");
    await env.create("watch-changes", "a");
    const { changes, store } = await reflect({ namespace: "watch-changes" });
    expect(store.list("Thing")[0]?.metadata).not.toHaveProperty("managedFields");
    await env.create("watch-changes", "b");
    await env.remove("watch-changes", "a");
    await env.create("watch-changes", "a");
    await vi.waitFor(() => expect(changes).toHaveLength(4), soon);
    expect(changes).toEqual(["added a", "added b", "deleted a", "added a"]);
  });

  it("read more objects than a page holds", async () => {
    await env.namespace("watch-pages");
    const names = Array.from({ length: 501 }, (_, index) => `thing-${String(index)}`);
    // Each request has its deadline from the moment it is made.
    for (let from = 0; from < names.length; from += 50) {
      await Promise.all(names.slice(from, from + 50).map((name) => env.create("watch-pages", name)));
    }
    const { objects } = await listAll(env.client(), THING, collectionPath(THING, "watch-pages"));
    expect(new Set(objects.map(({ metadata }) => metadata.name))).toEqual(new Set(names));
  });

  it("keep to the namespaces that they are given", async () => {
    const namespaces = Array.from({ length: 10 }, (_, index) => `watch-of-${String(index)}`);
    for (const namespace of [...namespaces, "watch-of-none"]) {
      await env.namespace(namespace);
      await env.create(namespace, `in-${namespace}`);
    }
    const store = createStore(() => undefined);
    await Promise.all(namespaces.map((namespace) => reflect({ namespace, store })));
    expect(new Set(store.list("Thing").map(({ metadata }) => metadata.namespace))).toEqual(new Set(namespaces));
    expect(store.list("Thing", "watch-of-3").map(({ metadata }) => metadata.name)).toEqual(["in-watch-of-3"]);
  });

  it("[B4] know a version that is too old", async () => {
    const events: WatchEvent[] = [];
    const stream = env.client().stream({
      path: collectionPath(THING),
      query: { watch: true, resourceVersion: "1", timeoutSeconds: 1 },
      signal: new AbortController().signal,
    });
    for await (const line of lines(stream, () => undefined)) events.push(parseEvent(THING, line));
    expect(events).toMatchObject([{ type: "error", error: { failure: "Gone", status: 410 } }]);
  });
});

describe("a connection", () => {
  it("that is reset loses no event and costs no list (K4, K20)", async () => {
    await env.namespace("watch-reset");
    const { proxy, client } = await env.proxied();
    const { names, lists, failures } = await reflect({ client, namespace: "watch-reset" });
    // The list's connection and the watch's.
    await vi.waitFor(() => expect(proxy.connections()).toBe(2), soon);
    proxy.reset();
    await env.create("watch-reset", "meanwhile");
    await vi.waitFor(() => expect(names()).toEqual(["meanwhile"]), soon);
    expect([lists(), failures()]).toEqual([1, 1]);
  });

  it("[B5] that is dead without a word is found out and replaced", async () => {
    await env.namespace("watch-frozen");
    const { proxy, client } = await env.proxied();
    const clock = manualClock();
    const { names } = await startedUnder(clock, () => reflect({ client, clock, namespace: "watch-frozen" }));
    await vi.waitFor(() => expect(proxy.connections()).toBe(2), soon);
    await env.create("watch-frozen", "before");
    await vi.waitFor(() => expect(names()).toEqual(["before"]), soon);
    proxy.freeze();
    await env.create("watch-frozen", "meanwhile");
    await clock.advance(45_000);
    await vi.waitFor(async () => {
      // The pause before the next watch begins when the socket has ended, which no clock of ours decides.
      await clock.advance(100);
      expect(names()).toEqual(["before", "meanwhile"]);
    }, soon);
  });

  it("is shared: hundreds of calls over TLS take 3 at most (K1)", async () => {
    const { proxy, client } = await env.proxied();
    for (let call = 0; call < effort.cases(200, 1_000); call += 1)
      await client.request({ method: "GET", path: "/readyz/ping" }).catch(() => undefined);
    expect(proxy.connections()).toBeLessThanOrEqual(3);
  });
});

/** Moves the clock on while something starts under it. */
async function startedUnder<T>(clock: ReturnType<typeof manualClock>, start: () => Promise<T>): Promise<T> {
  const starting = start();
  let ready = false;
  void starting.finally(() => (ready = true));
  await vi.waitFor(async () => {
    await clock.advance(10);
    expect(ready).toBe(true);
  }, soon);
  return starting;
}
