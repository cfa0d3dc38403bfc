import { expect, it, onTestFinished, vi } from "vitest";

import { collectionPath } from "../../src/kube/api/paths.ts";
import { createReflector } from "../../src/kube/watch/reflector.ts";
import { createStore } from "../../src/kube/watch/store.ts";
import { lines, parseEvent, type WatchEvent } from "../../src/kube/watch/watch-event.ts";
import { manualClock } from "../support/kube/clock.ts";
import { THING } from "../support/kube/things.ts";
import { kubeEnv } from "./kube-env.ts";

const env = kubeEnv();
const soon = { timeout: 10_000, interval: 20 };

it("[B4] a watch from a version that is too old ends as Gone", async () => {
  const events: WatchEvent[] = [];
  const stream = env.client().stream({
    path: collectionPath(THING),
    query: { watch: true, resourceVersion: "1", timeoutSeconds: 1 },
    signal: new AbortController().signal,
  });
  for await (const line of lines(stream, () => undefined)) events.push(parseEvent(THING, line));
  expect(events).toMatchObject([{ type: "error", error: { failure: "Gone", status: 410 } }]);
});

it("[B5] a connection that is dead without a word is found out and replaced", async () => {
  await env.namespace("watch-frozen");
  const { proxy, client } = await env.proxied();
  const clock = manualClock();
  const store = createStore((error) => {
    throw error;
  });
  const observer = { listed: () => {}, failed: () => {} };
  const options = { client, clock, store, observer, type: THING, namespace: "watch-frozen", random: () => 0 };
  const reflector = createReflector(options);
  onTestFinished(() => reflector.stop());
  reflector.start();
  const advanced = async (milliseconds: number, expectation: () => void): Promise<void> =>
    vi.waitFor(async () => {
      await clock.advance(milliseconds);
      expectation();
    }, soon);
  const names = () => store.list("Thing").map(({ metadata }) => metadata.name);

  await advanced(10, () => expect(reflector.synced()).toBe(true));
  await vi.waitFor(() => expect(proxy.connections()).toBe(2), soon);
  await env.create("watch-frozen", "before");
  await vi.waitFor(() => expect(names()).toEqual(["before"]), soon);
  proxy.freeze();
  await env.create("watch-frozen", "meanwhile");
  await clock.advance(45_000);
  // The pause before the next watch begins when the socket has ended, which no clock of ours decides.
  await advanced(100, () => expect(names()).toEqual(["before", "meanwhile"]));
});
