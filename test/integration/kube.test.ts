/** src/kube at a real API server, with a type of the tests' own, Thing. */
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from "vitest";

import { systemClock } from "../../src/kube/api/clock.ts";
import { member } from "../../src/kube/api/json.ts";
import { parseObject } from "../../src/kube/api/objects.ts";
import { apiVersionOf, collectionPath, EVENT, LEASE, objectPath } from "../../src/kube/api/paths.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { DEAD_AFTER_MS } from "../../src/kube/api/watch-connections.ts";
import { createLeaderElection } from "../../src/kube/leader/leader.ts";
import { createReflector } from "../../src/kube/watch/reflector.ts";
import { createStore } from "../../src/kube/watch/store.ts";
import { lines, parseEvent, type WatchEvent } from "../../src/kube/watch/watch-event.ts";
import { createRecorder } from "../../src/kube/write/events.ts";
import { kubectl } from "../control-plane/access.ts";
import { clientAt, createNamespace } from "../support/env/cluster.ts";
import { manualClock } from "../support/kube/clock.ts";
import { tcpProxy } from "../support/kube/tcp-proxy.ts";
import { THING } from "../support/kube/things.ts";
import { figure } from "../support/platform/figure.ts";

const facts = inject("controlPlane");
const client = clientAt(facts.kubeconfigPath, "kube-test");
const namespace = "kube-test";
const soon = { timeout: 10_000, interval: 20 };

beforeAll(async () => {
  await kubectl(facts, ["apply", "-f", join(import.meta.dirname, "fixtures/things.yaml")]);
  await kubectl(facts, ["wait", "--for=condition=Established", "crd/things.test.platform-operator.io"]);
  await createNamespace(client, namespace);
});
afterAll(() => client.close());

async function create(name: string): Promise<KubeObject> {
  const body = { apiVersion: apiVersionOf(THING), kind: THING.kind, metadata: { name, namespace } };
  const created = await client.request({ method: "POST", path: collectionPath(THING, namespace), body });
  const thing = parseObject(THING, created);
  if (thing === undefined) throw new Error("no Thing");
  return thing;
}

// First: the API server refuses watches for a moment after it has established a CRD, and a reflector tries again.
it("[B5] a watch whose connection is dead without being closed is detected and started again", async () => {
  const proxy = await tcpProxy(Number(new URL(facts.server).port));
  const path = join(await mkdtemp(join(facts.dir, "proxy-")), "kubeconfig");
  const kubeconfig = await readFile(facts.kubeconfigPath, "utf8");
  await writeFile(path, kubeconfig.replaceAll(facts.server, `https://127.0.0.1:${proxy.port}`), { mode: 0o600 });
  const clock = manualClock();
  const through = clientAt(path, "kube-test", clock);
  const store = createStore((error) => {
    throw error;
  });
  const observer = { listed: () => {}, failed: () => {} };
  const options = { client: through, clock, store, observer, type: THING, namespace, random: () => 0 };
  const reflector = createReflector(options);
  onTestFinished(async () => {
    await reflector.stop();
    await through.close();
    await proxy.stop();
  });
  reflector.start();
  const advanced = async (milliseconds: number, expectation: () => void): Promise<void> =>
    vi.waitFor(async () => {
      await clock.advance(milliseconds);
      expectation();
    }, soon);
  const names = () => store.list("Thing").map(({ metadata }) => metadata.name);

  await advanced(10, () => expect(reflector.synced()).toBe(true));
  // A watch that was refused is tried again once its pause is over.
  await advanced(10, () => expect(proxy.connections()).toBe(2));
  await create("before");
  await vi.waitFor(() => expect(names()).toEqual(["before"]), soon);
  proxy.freeze();
  await create("meanwhile");
  await clock.advance(DEAD_AFTER_MS);
  // The pause before the next watch begins when the socket has ended, which no clock of ours decides.
  await advanced(100, () => expect(names()).toEqual(["before", "meanwhile"]));
});

it("[B4] a watch from a resourceVersion that is too old ends with Gone", async () => {
  const events: WatchEvent[] = [];
  const stream = client.stream({
    path: collectionPath(THING),
    query: { watch: true, resourceVersion: "1", timeoutSeconds: 1 },
    signal: new AbortController().signal,
  });
  for await (const line of lines(stream, () => undefined)) events.push(parseEvent(THING, line));
  expect(events).toMatchObject([{ type: "error", error: { failure: "Gone", status: 410 } }]);
});

it("[D4] a lease is created, renewed and handed over with times that the API server accepts", async ({ task }) => {
  const reported: string[] = [];
  const candidate = (identity: string) =>
    createLeaderElection({
      client,
      clock: systemClock(),
      random: () => 0,
      namespace,
      name: "platform-operator-leader-election",
      identity,
      onStarted: () => reported.push(identity),
      onLost: () => reported.push(`${identity} lost`),
      onFailed: (error) => reported.push(String(error)),
    });
  const [first, second] = [candidate("first"), candidate("second")];
  first.start();
  await vi.waitFor(() => expect(reported).toEqual(["first"]), soon);
  second.start();
  const path = objectPath(LEASE, { namespace, name: "platform-operator-leader-election" });
  const spec = async () => member(await client.request({ method: "GET", path }), "spec");
  const before = await spec();
  await vi.waitFor(async () => expect(await spec()).not.toEqual(before), soon);
  expect(second.mayWrite()).toBe(false);
  await first.stop();
  await vi.waitFor(() => expect(reported).toEqual(["first", "second"]), soon);
  const micro: unknown = expect.stringMatching(/\.\d{6}Z$/);
  const times = { acquireTime: micro, renewTime: micro };
  expect(await spec()).toMatchObject({ holderIdentity: "second", leaseTransitions: 1, ...times });
  await second.stop();
  figure(task, "created, renewed and handed over with 6 fractional digits, 0 refused");
});

it("an event that is recorded several times is stored once, as a series", async () => {
  const events = async () =>
    member(await client.request({ method: "GET", path: collectionPath(EVENT, namespace) }), "items");
  const record = { type: "Warning", reason: "Refused", action: "Create", note: "the platform said no" } as const;
  const regarding = await create("evented");
  const clock = manualClock();
  const options = { client, clock, random: () => 0, instance: "test", fallbackNamespace: namespace };
  const recorder = createRecorder({ ...options, onDropped: () => {} });
  recorder.record({ ...record, regarding });
  await vi.waitFor(async () => expect(await events()).toHaveLength(1), soon);
  recorder.record({ ...record, regarding });
  recorder.record({ ...record, regarding });
  await clock.advance(60_000);
  await vi.waitFor(async () => expect(await events()).toMatchObject([{ ...record, series: { count: 3 } }]), soon);
  await recorder.stop();
});
