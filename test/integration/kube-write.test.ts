import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { systemClock } from "../../src/kube/api/clock.ts";
import { member } from "../../src/kube/api/json.ts";
import { collectionPath, EVENT, LEASE, objectPath } from "../../src/kube/api/paths.ts";
import type { Json } from "../../src/kube/api/types.ts";
import { createLeaderElection } from "../../src/kube/leader/leader.ts";
import { createStore, type Store } from "../../src/kube/watch/store.ts";
import { createRecorder } from "../../src/kube/write/events.ts";
import { createWriter, type Writer } from "../../src/kube/write/writer.ts";
import { manualClock } from "../support/kube/clock.ts";
import { THING } from "../support/kube/things.ts";
import { figure } from "../support/platform/figure.ts";
import { kubeEnv } from "./kube-env.ts";

const env = kubeEnv();
const NS = "kube-write";
const soon = { timeout: 10_000, interval: 20 };
let store: Store;
let writer: Writer;
const { signal } = new AbortController();

beforeAll(async () => {
  await env.namespace(NS);
  store = createStore((error) => {
    throw error;
  });
  writer = createWriter({
    client: env.client(),
    store,
    types: [THING],
    clock: systemClock(),
    random: () => 0,
  });
});

const held = (name: string) => store.get({ kind: "Thing", namespace: NS, name });

describe("delete", () => {
  it("takes the object away, and never its namesake", async () => {
    const old = await env.create(NS, "deleted");
    await writer.delete(old);
    const fresh = await env.create(NS, "deleted");
    await writer.delete(old);
    expect((await env.read(NS, "deleted")).metadata.uid).toBe(fresh.metadata.uid);
    expect(held("deleted")?.metadata.uid).toBe(fresh.metadata.uid);
  });
});

describe("patchStatus", () => {
  it("makes the status equal and nothing else, by one manager, and is silent the second time", async () => {
    const created = await env.create(NS, "status", { size: 1 });
    expect(created.status).toEqual({ observedGeneration: -1 });
    const first = await writer.patchStatus(created, { observedGeneration: 1, counts: { a: 1, b: 2 }, list: [1, 2] });
    const wanted = { observedGeneration: 1, state: "x", counts: { b: 3 }, list: [2] };
    const second = await writer.patchStatus(first, wanted);
    expect((await env.read(NS, "status")).status).toEqual(wanted);
    expect(held("status")?.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
    expect(second.metadata.generation).toBe(1);

    await writer.patchStatus(second, wanted);
    expect((await env.read(NS, "status")).metadata.resourceVersion).toBe(second.metadata.resourceVersion);

    const raw = await env
      .client()
      .request({ method: "GET", path: objectPath(THING, { namespace: NS, name: "status" }) });
    const fields = member(member(raw, "metadata"), "managedFields") as { manager: string; subresource?: string }[];
    expect(fields.filter(({ subresource }) => subresource === "status").map(({ manager }) => manager)).toEqual([
      "platform-operator",
    ]);
  });

  it("refuses a field that the schema does not know, in our words", async () => {
    const created = await env.create(NS, "strict");
    await expect(writer.patchStatus(created, { s3cret: "s3cret" })).rejects.toMatchObject({
      failure: "Invalid",
      message: expect.not.stringContaining("s3cret"),
    });
  });
});

describe("patchChecked", () => {
  it("replaces the list of finalizers only over the version that was read, as a merge patch keeps nobody's", async () => {
    const read = await env.create(NS, "finalizers");
    const theirs = await writer.patchChecked(read, { finalizers: ["them.io/theirs"] });
    const stale = writer.patchChecked(read, { finalizers: ["us.io/ours"] });
    await expect(stale).rejects.toMatchObject({ failure: "Conflict" });
    await writer.patchChecked(theirs, { finalizers: ["them.io/theirs", "us.io/ours"] });
    expect((await env.read(NS, "finalizers")).metadata.finalizers).toEqual(["them.io/theirs", "us.io/ours"]);
  });
});

describe("storeOutcome", () => {
  it("needs no version: it is stored over whatever changed meanwhile", async () => {
    const read = await env.create(NS, "outcome");
    await writer.patchChecked(read, { annotations: { intent: "open", theirs: "1" } });
    const stored = await writer.storeOutcome(read, { intent: null, id: "42" }, signal);
    expect(stored?.metadata.annotations).toEqual({ theirs: "1", id: "42" });
  });

  it("ends when the object is gone, or a namesake has its place", async () => {
    const old = await env.create(NS, "outcome-gone");
    await env.remove(NS, "outcome-gone");
    expect(await writer.storeOutcome(old, { id: "42" }, signal)).toBeUndefined();
    await env.create(NS, "outcome-gone");
    expect(await writer.storeOutcome(old, { id: "42" }, signal)).toBeUndefined();
    expect((await env.read(NS, "outcome-gone")).metadata.annotations).toBeUndefined();
  });
});

describe("the lease (D4, K15)", () => {
  const reported: string[] = [];
  const candidate = (identity: string) =>
    createLeaderElection({
      client: env.client(),
      clock: systemClock(),
      random: () => 0,
      namespace: NS,
      name: "platform-operator-leader-election",
      identity,
      onStarted: () => reported.push(identity),
      onLost: () => reported.push(`${identity} lost`),
      onFailed: (error) => reported.push(String(error)),
    });

  it("[D4] is created, renewed and handed over with times that the API server takes", async ({ task }) => {
    const [first, second] = [candidate("first"), candidate("second")];
    first.start();
    await vi.waitFor(() => expect(reported).toEqual(["first"]), soon);
    second.start();
    const path = objectPath(LEASE, { namespace: NS, name: "platform-operator-leader-election" });
    const spec = async () => member(await env.client().request({ method: "GET", path }), "spec");
    const before = await spec();
    await vi.waitFor(async () => expect(await spec()).not.toEqual(before), soon);
    expect(second.mayWrite()).toBe(false);
    await first.stop();
    await vi.waitFor(() => expect(reported).toEqual(["first", "second"]), soon);
    const micro: unknown = expect.stringMatching(/\.\d{6}Z$/);
    expect(await spec()).toMatchObject({
      holderIdentity: "second",
      leaseTransitions: 1,
      acquireTime: micro,
      renewTime: micro,
    });
    await second.stop();
    figure(task, "created, renewed and handed over with 6 fractional digits, 0 refused");
  });
});

describe("events", () => {
  const eventsOf = async (namespace: string): Promise<readonly Json[]> => {
    const list = await env.client().request({ method: "GET", path: collectionPath(EVENT, namespace) });
    return member(list, "items") as readonly Json[];
  };
  const record = { type: "Warning", reason: "Refused", action: "Create", note: "the platform said no" } as const;

  const recorders: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const recorder of recorders.splice(0)) await recorder.stop();
  });
  const recorder = (dropped: () => void = () => undefined) => {
    const clock = manualClock();
    const made = createRecorder({
      client: env.client(),
      clock,
      random: () => 0,
      instance: "test",
      fallbackNamespace: NS,
      onDropped: dropped,
    });
    recorders.push(made);
    return { clock, made };
  };

  it("are created and become a series", async () => {
    const regarding = await env.create(NS, "evented");
    const { clock, made } = recorder();
    made.record({ ...record, regarding });
    await vi.waitFor(async () => expect(await eventsOf(NS)).toHaveLength(1), soon);
    made.record({ ...record, regarding });
    made.record({ ...record, regarding });
    await clock.advance(60_000);
    await vi.waitFor(async () => expect(await eventsOf(NS)).toMatchObject([{ ...record, series: { count: 3 } }]), soon);
  });

  it("about a cluster-scoped object are taken", async () => {
    const { namespace: _, ...metadata } = (await env.create(NS, "clustered")).metadata;
    let dropped = 0;
    const { made } = recorder(() => (dropped += 1));
    made.record({
      ...record,
      reason: "Clustered",
      regarding: { apiVersion: "x.io/v1", kind: "ClusterThing", metadata },
    });
    await vi.waitFor(async () => {
      expect(await eventsOf("default")).toContainEqual(expect.objectContaining({ reason: "Clustered" }));
    }, soon);
    expect(dropped).toBe(0);
  });
});
