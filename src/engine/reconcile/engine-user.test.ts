import { describe, expect, it } from "vitest";

import { engineBench, type Bench } from "../../../test/support/engine/env.ts";
import { apiError } from "../../../test/support/engine/fake-platform.ts";
import { PAUSED, POLL_INTERVAL, RECONCILE_REQUESTED_AT } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { member } from "../../kube/api/json.ts";

const MINUTE = 60_000;

async function with1(spec: Parameters<Bench["widget"]>[1] = {}): Promise<Bench> {
  const bench = engineBench();
  await bench.run(1_000);
  bench.widget("a", spec);
  await bench.run(5_000);
  return bench;
}

const handled = (bench: Bench): unknown => member(bench.cluster.get("Widget", "a").status, "lastHandledReconcileAt");

describe("a pause", () => {
  it("stops all work, says so once, and keeps what was known", async () => {
    const bench = await with1({ commit: "c1" });
    const writes = bench.writes("Widget", "a");
    bench.cluster.annotate("Widget", "a", { [PAUSED]: "true" });
    bench.cluster.spec("Widget", "a", { name: "a", commit: "c2" });
    await bench.run(30 * MINUTE);
    expect(bench.writes("Widget", "a") - writes).toBe(1);
    expect(bench.conditions("Widget", "a")).toEqual([
      "Ready=True/Available",
      "Synced=False/ReconcilePaused",
      "Deployed=True/DEPLOYED",
      "Drifted=False/NoDrift",
    ]);
    expect(bench.cluster.get("Widget", "a").status).toMatchObject({ observedGeneration: 1 });
    expect(bench.world.count("deploy")).toBe(1);
    bench.cluster.annotate("Widget", "a", { [PAUSED]: null });
    await bench.run(5_000);
    expect(bench.world.count("deploy")).toBe(2);
    expect(bench.conditions("Widget", "a")).toContain("Synced=True/ReconcileSuccess");
  });

  it("of a fresh object creates nothing", async () => {
    const bench = engineBench();
    bench.widget("a", {}, { annotations: { [PAUSED]: "true" } });
    await bench.run(15 * MINUTE);
    expect(bench.conditions("Widget", "a")).toEqual(["Ready=False/ReconcilePaused", "Synced=False/ReconcilePaused"]);
    expect(bench.cluster.get("Widget", "a").status).toMatchObject({ observedGeneration: -1 });
    expect(bench.world.effects).toEqual([]);
  });

  it("holds with no other value than true", async () => {
    const bench = engineBench();
    bench.widget("a", {}, { annotations: { [PAUSED]: "yes" } });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });
});

describe("a reconcile request", () => {
  it("reads again at once, is echoed once, and is handled once", async () => {
    const bench = await with1();
    const reads = bench.world.calls.length;
    const writes = bench.writes("Widget", "a");
    bench.cluster.annotate("Widget", "a", { [RECONCILE_REQUESTED_AT]: "t1" });
    await bench.run(5_000);
    expect(bench.world.calls.length).toBeGreaterThan(reads);
    expect(handled(bench)).toBe("t1");
    await bench.run(30 * MINUTE);
    expect(bench.writes("Widget", "a") - writes).toBe(1);
  });

  it("retries a failed deployment once", async () => {
    const bench = engineBench();
    bench.world.deployed = "FAILED";
    bench.widget("a", { commit: "c1" });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/DeploymentFailed");
    bench.cluster.annotate("Widget", "a", { [RECONCILE_REQUESTED_AT]: "t1" });
    await bench.run(30 * MINUTE);
    expect(bench.world.count("deploy")).toBe(2);
    expect(handled(bench)).toBe("t1");
  });

  it("is not used up by a retry that was never sent", async () => {
    const bench = engineBench();
    bench.world.deployed = "FAILED";
    bench.widget("a", { commit: "c1" });
    await bench.run(5_000);
    let refused = 0;
    bench.world.reserve = () => {
      refused += 1;
      const busy = apiError("reserve", { is: "RateLimited", retryAfterMs: 20_000 }, 0);
      return refused === 1 ? Promise.reject(busy) : Promise.resolve();
    };
    bench.cluster.annotate("Widget", "a", { [RECONCILE_REQUESTED_AT]: "t1" });
    await bench.run(5 * MINUTE);
    expect(bench.world.count("deploy")).toBe(2);
  });
});

describe("a poll interval", () => {
  it("is kept to, and no shorter than 30 s", async () => {
    const bench = await with1();
    bench.cluster.annotate("Widget", "a", { [POLL_INTERVAL]: "1ms" });
    await bench.run(1_000);
    expect(bench.due("Widget", "a")).toBeGreaterThan(26_000 - 1_000);
    bench.cluster.annotate("Widget", "a", { [POLL_INTERVAL]: "2h" });
    await bench.run(1_000);
    expect(bench.due("Widget", "a")).toBeLessThan(134 * MINUTE);
  });

  it("that cannot be read is warned of once", async () => {
    const bench = await with1();
    bench.cluster.annotate("Widget", "a", { [POLL_INTERVAL]: "soon" });
    await bench.run(60 * MINUTE);
    expect(bench.events.filter(({ note }) => note.includes("soon"))).toHaveLength(1);
  });
});

describe("[A8] a kind that throws", () => {
  it.each([
    ["claim", "Ready=True/Available"],
    ["needs", "Stalled=True/InternalError"],
    ["observe", "Stalled=True/InternalError"],
    ["plan", "Stalled=True/InternalError"],
    ["report", "Stalled=True/InternalError"],
  ])("in %s says so (%s) and recovers; its neighbour goes on", async (explode, told) => {
    const bench = engineBench();
    bench.widget("torn", { explode });
    bench.widget("good");
    await bench.run(10_000);
    expect(bench.conditions("Widget", "good")).toContain("Ready=True/Available");
    expect(bench.conditions("Widget", "torn")).toContain(told);
    const { writes } = bench.cluster;
    const before = writes.filter(({ what }) => what === "status").length;
    bench.restart();
    await bench.run(30 * MINUTE);
    expect(writes.filter(({ what }) => what === "status").length).toBe(before);
    const tries = bench.passes.filter(({ key }) => key.endsWith("/torn")).map(({ at }) => at);
    expect(tries.length).toBeLessThan(40);
    // The same status each time, and longer and longer in between.
    const waits = tries.slice(2).map((at, index) => at - (tries[index + 1] ?? 0));
    const growth = (waits.at(-1) ?? 0) / Math.max(1, waits[0] ?? 0);
    expect(growth > 20 || !told.startsWith("Stalled")).toBe(true);
    bench.cluster.spec("Widget", "torn", { name: "torn" });
    await bench.run(3 * MINUTE);
    expect(bench.conditions("Widget", "torn")).toContain("Ready=True/Available");
    expect([...bench.world.remotes.values()].filter(({ name }) => name === "torn")).toHaveLength(1);
  });

  it.each(["entries", "imprints"])("in %s of a status does not keep the news from its neighbours", async (torn) => {
    const bench = engineBench();
    bench.widget("torn");
    await bench.run(5_000);
    bench.cluster.status("Widget", "torn", { ...(bench.cluster.get("Widget", "torn").status as object), torn });
    bench.widget("good");
    await bench.run(10_000);
    expect(bench.conditions("Widget", "good")).toContain("Ready=True/Available");
    bench.restart();
    bench.cluster.spec("Widget", "good", { name: "good", note: "new" });
    await bench.run(3 * MINUTE);
    expect([...bench.world.remotes.values()].find(({ name }) => name === "good")?.note).toBe("new");
  });

  it("in the midst of a create leaves an intent that is traced, and creates once when it is mended", async () => {
    const bench = engineBench();
    bench.widget("torn", { explode: "act" });
    await bench.run(30 * MINUTE);
    expect(bench.events.map(({ reason }) => reason)).toContain("InternalError");
    expect(bench.internal.length).toBeLessThan(40);
    expect(bench.world.effects).toEqual([]);
    bench.cluster.spec("Widget", "torn", { name: "torn" });
    await bench.run(3 * MINUTE);
    expect(bench.conditions("Widget", "torn")).toContain("Ready=True/Available");
    expect(bench.world.count("create")).toBe(1);
  });

  it("is told of a spec that is not valid by its field, and recovers", async () => {
    const bench = engineBench();
    bench.cluster.create("Widget", "a", { name: 7, note: { deep: true } });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/InvalidSpec");
    expect(JSON.stringify(bench.cluster.get("Widget", "a").status)).toContain("spec.name: ");
    bench.cluster.spec("Widget", "a", { name: "a" });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });

  it("does not lose an object whose status makes no sense", async () => {
    const bench = engineBench();
    bench.widget("a");
    bench.cluster.status("Widget", "a", { conditions: "x", deployed: 7, intent: null, observedGeneration: "y" });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });
});

describe("an output that belongs to somebody else", () => {
  it("stalls the object and is looked at again slowly", async () => {
    const bench = engineBench();
    bench.output = () => Promise.reject(new KubeError("Conflict", 409, "belongs to somebody else"));
    bench.widget("a", { output: "data" });
    await bench.run(5_000);
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/NameConflict");
    const reads = bench.world.calls.length;
    await bench.run(30 * MINUTE);
    expect(bench.world.calls.length - reads).toBeLessThan(20);
    bench.output = () => Promise.resolve();
    await bench.run(12 * MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });
});

describe("[C11] a platform that never keeps what is written", () => {
  it("is not written to in a hot loop", async () => {
    const bench = await with1({ note: "mine" });
    bench.world.hooks.after = ({ op, id }) => {
      if (op === "update") bench.world.change(id ?? "", { note: "theirs" });
      return Promise.resolve();
    };
    bench.world.effect = ((effect) => (op, id, made) => {
      const remote = effect(op, id, made);
      return op === "update" ? bench.world.change(id, { note: "theirs" }) : remote;
    })(bench.world.effect.bind(bench.world));
    bench.cluster.spec("Widget", "a", { name: "a", note: "other" });
    await bench.run(10 * MINUTE);
    expect(bench.world.count("update")).toBeLessThan(400);
    await bench.run(60 * MINUTE);
    expect(bench.due("Widget", "a")).toBeGreaterThan(0);
  });
});

describe("a rate limit that names no time", () => {
  it("is no hot loop", async () => {
    const bench = await with1();
    bench.world.hooks.before = ({ op }) => Promise.reject(apiError(op, { is: "RateLimited", retryAfterMs: 0 }, 429));
    bench.widget("b");
    await bench.run(5 * MINUTE);
    expect(bench.world.calls.length).toBeLessThan(400);
  });
});
