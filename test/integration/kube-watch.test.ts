import { afterEach, describe, expect, it, vi } from "vitest";

import { systemClock } from "../../src/kube/api/clock.ts";
import { collectionPath } from "../../src/kube/api/paths.ts";
import { createReflector, type Reflector, type ReflectorOptions } from "../../src/kube/watch/reflector.ts";
import { createStore } from "../../src/kube/watch/store.ts";
import { lines, parseEvent, type WatchEvent } from "../../src/kube/watch/watch-event.ts";
import { manualClock } from "../support/kube/clock.ts";
import { THING } from "../support/kube/things.ts";
import { kubeEnv } from "./kube-env.ts";

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
