import { beforeAll, describe, expect, it, vi } from "vitest";

import { systemClock } from "../../src/kube/api/clock.ts";
import { member } from "../../src/kube/api/json.ts";
import { collectionPath, EVENT, LEASE, objectPath } from "../../src/kube/api/paths.ts";
import { createLeaderElection } from "../../src/kube/leader/leader.ts";
import { createRecorder } from "../../src/kube/write/events.ts";
import { manualClock } from "../support/kube/clock.ts";
import { figure } from "../support/platform/figure.ts";
import { kubeEnv } from "./kube-env.ts";

const env = kubeEnv();
const NS = "kube-write";
const soon = { timeout: 10_000, interval: 20 };

beforeAll(() => env.namespace(NS));

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

it("events are created and become a series", async () => {
  const events = async () =>
    member(await env.client().request({ method: "GET", path: collectionPath(EVENT, NS) }), "items");
  const record = { type: "Warning", reason: "Refused", action: "Create", note: "the platform said no" } as const;
  const regarding = await env.create(NS, "evented");
  const clock = manualClock();
  const recorder = createRecorder({
    client: env.client(),
    clock,
    random: () => 0,
    instance: "test",
    fallbackNamespace: NS,
    onDropped: () => {},
  });
  recorder.record({ ...record, regarding });
  await vi.waitFor(async () => expect(await events()).toHaveLength(1), soon);
  recorder.record({ ...record, regarding });
  recorder.record({ ...record, regarding });
  await clock.advance(60_000);
  await vi.waitFor(async () => expect(await events()).toMatchObject([{ ...record, series: { count: 3 } }]), soon);
  await recorder.stop();
});
