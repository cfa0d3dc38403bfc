import { beforeEach, describe, expect, it } from "vitest";

import { manualClock, type ManualClock } from "../../../test/support/kube/clock.ts";
import { scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { KubeError } from "../api/errors.ts";
import { isObject, member, stringMember } from "../api/json.ts";
import type { KubeRequest } from "../api/transport.ts";
import type { Json, JsonObject } from "../api/types.ts";
import { createLeaderElection } from "./leader.ts";

const COLLECTION = "/apis/coordination.k8s.io/v1/namespaces/operator/leases";
const NOW = "2026-11-21T10:00:00.000000Z";

let clock: ManualClock;
let server: ReturnType<typeof leaseServer>;

beforeEach(() => {
  clock = manualClock();
  server = leaseServer();
});

/** An API server with one lease, which it updates by compare-and-swap. */
function leaseServer() {
  let version = 0;
  let lease: JsonObject | undefined;
  const state = {
    down: false,
    slowMs: 0,
    calls: [] as KubeRequest[],
    lease: () => lease,
    spec: () => member(lease, "spec"),
    remove: () => (lease = undefined),
    edit: (spec: JsonObject, metadata: JsonObject = asObject(member(lease, "metadata"))) =>
      store({ metadata, spec: { ...asObject(state.spec()), ...spec } }),
    answer: (request: KubeRequest): Json => {
      state.calls.push(request);
      if (state.down) throw new KubeError("Unreachable", 0, "ECONNREFUSED");
      if (request.method === "POST") {
        if (lease !== undefined) throw new KubeError("AlreadyExists", 409, "exists");
        return store(asObject(request.body));
      }
      if (lease === undefined) throw new KubeError("NotFound", 404, "gone");
      if (request.method === "GET") return lease;
      const sent = stringMember(member(request.body, "metadata"), "resourceVersion");
      if (sent !== String(version)) throw new KubeError("Conflict", 409, "modified");
      return store(asObject(request.body));
    },
  };
  const store = (body: JsonObject): JsonObject => {
    version += 1;
    lease = { ...body, metadata: { ...asObject(body["metadata"]), resourceVersion: String(version) } };
    return lease;
  };
  return state;
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

function candidate(identity: string, on = clock) {
  const notified: string[] = [];
  const failures: unknown[] = [];
  let shown: JsonObject = {};
  const election = createLeaderElection({
    client: scriptedClient(async (request) => {
      const answer = server.answer(request);
      if (server.slowMs > 0) await new Promise<void>((resolve) => on.after(server.slowMs, resolve));
      return answer;
    }),
    clock: on,
    random: () => 0,
    namespace: "operator",
    name: "lease",
    identity,
    annotations: { holder: identity },
    onStarted: () => notified.push("started"),
    onLost: () => notified.push("lost"),
    onObserved: (metadata) => {
      shown = metadata;
    },
    onFailed: (error) => failures.push(error),
  });
  election.start();
  return { election, notified, failures, shown: () => shown };
}

/** The candidate "a", which leads. @param on a clock of its own stands still, so the leader seems to have crashed */
async function leader(on = clock) {
  const first = candidate("a", on);
  await on.advance(1);
  return first;
}

describe("the first candidate for the lease", () => {
  it("creates the lease with times of six fractional digits, and leads", async () => {
    const { election, notified } = await leader();
    expect(notified).toEqual(["started"]);
    expect(election.leading()).toBe(true);
    expect(election.mayWrite()).toBe(true);
    expect(server.calls.at(-1)?.path).toBe(COLLECTION);
    expect(server.lease()).toMatchObject({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "lease", namespace: "operator" },
      spec: { holderIdentity: "a", leaseDurationSeconds: 15, acquireTime: NOW, renewTime: NOW, leaseTransitions: 0 },
    });
  });

  it("renews the lease every 2 s by one write, and keeps its acquireTime", async () => {
    await leader();
    server.calls.length = 0;
    await clock.advance(20_000);
    const renewal = { method: "PUT", timeoutMs: 5_000 };
    expect(server.calls).toMatchObject(Array.from({ length: 10 }, () => renewal));
    expect(server.spec()).toMatchObject({ acquireTime: NOW, renewTime: "2026-11-21T10:00:20.000000Z" });
  });

  it("keeps unknown fields and annotations of the lease, and reports the annotations", async () => {
    const { failures, shown } = await leader();
    const metadata = { annotations: { a: "b" } };
    server.edit({ preferredHolder: "x" }, metadata);
    await clock.advance(5_000);
    expect(server.lease()).toMatchObject({ metadata, spec: { holderIdentity: "a", preferredHolder: "x" } });
    expect(shown()).toMatchObject(metadata);
    expect(failures).toMatchObject([{ failure: "Conflict" }]);
  });
});

describe("a second candidate for the lease", () => {
  it("sets its annotations in place of those of the first, once it holds the lease", async () => {
    const first = await leader();
    expect(member(server.lease(), "metadata")).toMatchObject({ annotations: { holder: "a" } });
    candidate("b");
    await clock.advance(3_000);
    expect(member(server.lease(), "metadata")).toMatchObject({ annotations: { holder: "a" } });
    await first.election.stop();
    await clock.advance(3_000);
    expect(member(server.lease(), "metadata")).toMatchObject({ annotations: { holder: "b" } });
  });

  it("[D3] takes over 15 s after the last change that it saw, whatever the times in the lease say", async () => {
    await leader(manualClock());
    server.edit({ renewTime: "2099-01-01T00:00:00.000000Z" });
    const { notified } = candidate("b");
    await clock.advance(14_999);
    expect(notified).toEqual([]);
    await clock.advance(2);
    expect(notified).toEqual(["started"]);
    expect(server.spec()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1, leaseDurationSeconds: 15 });
  });

  it.each([0, 300, 900, 1_700])("[D3] takes over at most 16 s after a renewal, seen after %d ms", async (ageMs) => {
    await leader(manualClock());
    const { notified } = candidate("b");
    await clock.advance(10_000 + ageMs);
    server.edit({ renewTime: NOW });
    await clock.advance(14_900);
    expect(notified).toEqual([]);
    await clock.advance(1_100);
    expect(notified).toEqual(["started"]);
  });

  it("takes over at once when the leader releases the lease, which then writes nothing more", async () => {
    const first = await leader();
    const second = candidate("b");
    await clock.advance(1);
    await first.election.stop();
    expect(first.election.leading()).toBe(false);
    expect(first.election.mayWrite()).toBe(false);
    expect(first.notified).toEqual(["started"]);
    expect(server.spec()).toMatchObject({ holderIdentity: "" });
    await clock.advance(1_000);
    expect(second.notified).toEqual(["started"]);
  });

  it("takes over although somebody set a very long duration in the lease", async () => {
    await leader(manualClock());
    server.edit({ leaseDurationSeconds: 1_000_000 });
    const { notified } = candidate("b");
    await clock.advance(63_000);
    expect(notified).toEqual(["started"]);
  });
});

describe("the leader", () => {
  it("may not write 7 s and stops leading 10 s after its last successful renewal", async () => {
    const { election, notified } = await leader();
    await clock.advance(2_000);
    server.down = true;
    await clock.advance(6_998);
    expect(election.mayWrite()).toBe(true);
    await clock.advance(1);
    expect(election.mayWrite()).toBe(false);
    expect(notified).toEqual(["started"]);
    await clock.advance(3_000);
    expect(notified).toEqual(["started", "lost"]);
  });

  it("may neither write nor lead after it was frozen (SIGSTOP), before it notices", async () => {
    let asleepMs = 0;
    const { election, notified } = await leader({ ...clock, monotonic: () => clock.monotonic() + asleepMs });
    await clock.advance(2_000);
    const after = (sinceRenewalMs: number) => {
      asleepMs = sinceRenewalMs - 1;
      return { leads: election.leading(), mayWrite: election.mayWrite() };
    };
    expect(after(6_999)).toEqual({ leads: true, mayWrite: true });
    expect(after(7_000)).toEqual({ leads: true, mayWrite: false });
    expect(after(9_999)).toEqual({ leads: true, mayWrite: false });
    expect(after(10_000)).toEqual({ leads: false, mayWrite: false });
    expect(notified).toEqual(["started"]);
  });

  it("counts the time in which it may write from before the renewal was sent", async () => {
    const { election } = await leader();
    server.slowMs = 3_000;
    await clock.advance(2_000 + 3_000);
    server.down = true;
    await clock.advance(3_998);
    expect(election.mayWrite()).toBe(true);
    await clock.advance(3);
    expect(election.mayWrite()).toBe(false);
  });

  it("leads through a short outage, and sends only its renewals meanwhile", async () => {
    const { election, notified } = await leader();
    server.calls.length = 0;
    server.down = true;
    await clock.advance(6_000);
    expect(server.calls.map(({ method }) => method)).toEqual(["PUT", "PUT", "PUT"]);
    server.down = false;
    await clock.advance(10_000);
    expect(notified).toEqual(["started"]);
    expect(election.mayWrite()).toBe(true);
  });

  it("[D1] is not affected by a step of the wall clock", async () => {
    const { election, notified } = await leader();
    clock.shiftWall(-3_600_000);
    await clock.advance(30_000);
    clock.shiftWall(7_200_000);
    await clock.advance(30_000);
    expect(notified).toEqual(["started"]);
    expect(election.mayWrite()).toBe(true);
  });

  it("[D3] creates the lease again when somebody deletes it", async () => {
    const { notified } = await leader();
    server.remove();
    await clock.advance(2_000);
    expect(server.spec()).toMatchObject({ holderIdentity: "a" });
    expect(notified).toEqual(["started"]);
  });

  it("[D3] takes back a lease without a holder, and stops leading at once when the lease names another holder", async () => {
    const { election, notified } = await leader();
    server.edit({ holderIdentity: "" });
    await clock.advance(2_000);
    expect(notified).toEqual(["started"]);
    server.edit({ holderIdentity: "someone" });
    await clock.advance(2_000);
    expect(notified).toEqual(["started", "lost"]);
    expect(election.leading()).toBe(false);
    expect(election.mayWrite()).toBe(false);
    await election.stop();
    expect(server.spec()).toMatchObject({ holderIdentity: "someone" });
  });

  it("leads although somebody wrote invalid values into the lease", async () => {
    const { notified } = await leader();
    server.edit({ holderIdentity: 7, leaseDurationSeconds: "x", leaseTransitions: -3, acquireTime: null });
    await clock.advance(4_000);
    expect(notified).toEqual(["started"]);
  });
});

it("a candidate that is stopped before it leads does not change the lease", async () => {
  await leader(manualClock());
  const { election, notified } = candidate("b");
  await clock.advance(1);
  await election.stop();
  await clock.advance(60_000);
  expect(notified).toEqual([]);
  expect(server.spec()).toMatchObject({ holderIdentity: "a" });
});

it("a candidate that is stopped while it acquires the lease does not lead, and releases the lease", async () => {
  server.slowMs = 100;
  const { election, notified } = candidate("a");
  await clock.advance(50);
  const stopped = election.stop();
  await clock.advance(200);
  await stopped;
  expect(notified).toEqual([]);
  expect(server.spec()).toMatchObject({ holderIdentity: "" });
});
