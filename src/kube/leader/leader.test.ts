import { beforeEach, describe, expect, it } from "vitest";

import { manualClock, type ManualClock } from "../../../test/support/kube/clock.ts";
import { scriptedClient } from "../../../test/support/kube/scripted-client.ts";
import { KubeError } from "../api/errors.ts";
import { isObject, member, stringMember } from "../api/json.ts";
import type { KubeRequest } from "../api/transport.ts";
import type { Json, JsonObject } from "../api/types.ts";
import { createLeaderElection, openFence } from "./leader.ts";

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
  const told: string[] = [];
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
    onStarted: () => told.push("started"),
    onLost: () => told.push("lost"),
    onObserved: (metadata) => {
      shown = metadata;
    },
  });
  election.start();
  return { election, told, shown: () => shown };
}

describe("the first candidate", () => {
  it("creates the lease with six-digit times and leads (D4, K15)", async () => {
    const { election, told } = candidate("a");
    await clock.advance(1);
    expect(told).toEqual(["started"]);
    expect(election.mayWrite()).toBe(true);
    expect(server.calls.at(-1)?.path).toBe(COLLECTION);
    expect(server.lease()).toMatchObject({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "lease", namespace: "operator" },
      spec: { holderIdentity: "a", leaseDurationSeconds: 15, acquireTime: NOW, renewTime: NOW, leaseTransitions: 0 },
    });
    await election.stop();
  });

  it("renews every 2 s by one write, and keeps when it acquired", async () => {
    const { election } = candidate("a");
    await clock.advance(1);
    server.calls.length = 0;
    await clock.advance(20_000);
    expect(server.calls.map(({ method, timeoutMs }) => `${method} ${String(timeoutMs)}`)).toEqual(
      Array.from({ length: 10 }, () => "PUT 5000"),
    );
    expect(server.spec()).toMatchObject({ acquireTime: NOW, renewTime: "2026-11-21T10:00:20.000000Z" });
    await election.stop();
  });

  it("keeps fields and annotations of the lease that it does not know, and shows the annotations", async () => {
    const { election, shown } = candidate("a");
    await clock.advance(1);
    server.edit({ preferredHolder: "x" }, { annotations: { a: "b" } });
    await clock.advance(5_000);
    expect(server.spec()).toMatchObject({ holderIdentity: "a", preferredHolder: "x" });
    expect(member(server.lease(), "metadata")).toMatchObject({ annotations: { a: "b" } });
    expect(shown()).toMatchObject({ annotations: { a: "b" } });
    await election.stop();
  });
});

describe("a second candidate", () => {
  it("keeps out while the leader renews, however long that is", async () => {
    const first = candidate("a");
    await clock.advance(1);
    const second = candidate("b");
    await clock.advance(120_000);
    expect(second.told).toEqual([]);
    await first.election.stop();
    await second.election.stop();
  });

  it("[D3] takes over when the lease that it observed ends, whatever the times in the lease say", async () => {
    const own = manualClock();
    const { election: dead } = candidate("a", own);
    await own.advance(1);
    server.edit({ renewTime: "2099-01-01T00:00:00.000000Z" });
    const { election, told } = candidate("b");
    await clock.advance(14_999);
    expect(told).toEqual([]);
    await clock.advance(2);
    expect(told).toEqual(["started"]);
    expect(server.spec()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1, leaseDurationSeconds: 15 });
    await election.stop();
    await dead.stop();
  });

  it("[D3] takes over at most 16 s after the last renewal, whenever that was", async () => {
    for (const ageMs of [0, 300, 900, 1_700]) {
      server.remove();
      const own = manualClock();
      const { election: dead } = candidate("a", own);
      await own.advance(1);
      const { election, told } = candidate("b");
      await clock.advance(10_000 + ageMs);
      server.edit({ renewTime: NOW });
      await clock.advance(14_900);
      expect(told).toEqual([]);
      await clock.advance(1_100);
      expect(told).toEqual(["started"]);
      await election.stop();
      await dead.stop();
    }
  });

  it("follows at once when the leader gives the lease back", async () => {
    const first = candidate("a");
    await clock.advance(1);
    const second = candidate("b");
    await clock.advance(1);
    await first.election.stop();
    expect(server.spec()).toMatchObject({ holderIdentity: "" });
    expect(first.told).toEqual(["started"]);
    await clock.advance(1_000);
    expect(second.told).toEqual(["started"]);
    await second.election.stop();
  });

  it("is not kept out for ever by a duration that somebody wrote by hand", async () => {
    const own = manualClock();
    const { election: dead } = candidate("a", own);
    await own.advance(1);
    server.edit({ leaseDurationSeconds: 1_000_000 });
    const { election, told } = candidate("b");
    await clock.advance(63_000);
    expect(told).toEqual(["started"]);
    await election.stop();
    await dead.stop();
  });
});

describe("a leader", () => {
  it("loses its fence 7 s and its lead 10 s after the last renewal that came through", async () => {
    const { election, told } = candidate("a");
    await clock.advance(2_001);
    server.down = true;
    await clock.advance(6_998);
    expect(election.mayWrite()).toBe(true);
    await clock.advance(2);
    expect(election.mayWrite()).toBe(false);
    expect(told).toEqual(["started"]);
    await clock.advance(3_000);
    expect(told).toEqual(["started", "lost"]);
    await election.stop();
  });

  it("leads no longer than it may renew, also where nothing could run meanwhile", async () => {
    let asleepMs = 0;
    const { election, told } = candidate("a", { ...clock, monotonic: () => clock.monotonic() + asleepMs });
    await clock.advance(1);
    asleepMs = 9_900;
    expect(election.leading()).toBe(true);
    asleepMs = 10_000;
    expect([election.leading(), election.mayWrite(), told]).toEqual([false, false, ["started"]]);
    await election.stop();
  });

  it("counts its fence from before the renewal was sent, however long its answer took", async () => {
    const { election } = candidate("a");
    await clock.advance(1);
    server.slowMs = 3_000;
    await clock.advance(2_000 + 3_000);
    server.down = true;
    await clock.advance(3_998);
    expect(election.mayWrite()).toBe(true);
    await clock.advance(3);
    expect(election.mayWrite()).toBe(false);
    await election.stop();
  });

  it("holds on over a short outage", async () => {
    const { election, told } = candidate("a");
    await clock.advance(1);
    server.down = true;
    await clock.advance(6_000);
    server.down = false;
    await clock.advance(10_000);
    expect(told).toEqual(["started"]);
    expect(election.mayWrite()).toBe(true);
    await election.stop();
  });

  it("may not write after it was frozen (SIGSTOP) for longer than its fence, even before it notices", async () => {
    let asleep = false;
    const frozen = { ...clock, monotonic: () => clock.monotonic() + (asleep ? 30_000 : 0) };
    const { election } = candidate("a", frozen);
    await clock.advance(1);
    expect(election.mayWrite()).toBe(true);
    asleep = true;
    expect(election.mayWrite()).toBe(false);
    await election.stop();
  });

  it("[D1] is not moved by a step of the wall clock", async () => {
    const { election, told } = candidate("a");
    await clock.advance(1);
    clock.shiftWall(-3_600_000);
    await clock.advance(30_000);
    clock.shiftWall(7_200_000);
    await clock.advance(30_000);
    expect(told).toEqual(["started"]);
    expect(election.mayWrite()).toBe(true);
    await election.stop();
  });

  it("[D3] creates the lease anew when somebody deleted it", async () => {
    const { election, told } = candidate("a");
    await clock.advance(1);
    server.remove();
    await clock.advance(2_000);
    expect(server.spec()).toMatchObject({ holderIdentity: "a" });
    expect(told).toEqual(["started"]);
    await election.stop();
  });

  it("[D3] takes back a lease whose holder somebody cleared, and is lost at once when it names another", async () => {
    const { election, told } = candidate("a");
    await clock.advance(1);
    server.edit({ holderIdentity: "" });
    await clock.advance(2_000);
    expect(told).toEqual(["started"]);
    server.edit({ holderIdentity: "someone" });
    await clock.advance(2_000);
    expect(told).toEqual(["started", "lost"]);
    expect(election.mayWrite()).toBe(false);
    await election.stop();
    expect(server.spec()).toMatchObject({ holderIdentity: "someone" });
  });

  it("survives a lease that somebody filled with nonsense", async () => {
    const { election, told } = candidate("a");
    await clock.advance(1);
    server.edit({ holderIdentity: 7, leaseDurationSeconds: "x", leaseTransitions: -3, acquireTime: null });
    await clock.advance(4_000);
    expect(told).toEqual(["started"]);
    await election.stop();
  });
});

describe("a candidate that is stopped", () => {
  it("before it leads leaves the lease alone", async () => {
    const own = manualClock();
    const first = candidate("a", own);
    await own.advance(1);
    const { election, told } = candidate("b");
    await clock.advance(1);
    await election.stop();
    await clock.advance(60_000);
    expect(told).toEqual([]);
    expect(server.spec()).toMatchObject({ holderIdentity: "a" });
    await first.election.stop();
  });
});

describe("openFence", () => {
  it("always lets a process write that runs alone", () => {
    expect(openFence().mayWrite()).toBe(true);
  });
});
