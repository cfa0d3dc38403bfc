import { describe, expect, it } from "vitest";

import { engineBench, type Bench } from "../../test/support/engine-bench.ts";
import type { Remote } from "../../test/support/engine-world.ts";
import { member } from "../kube/json.ts";
import type { Json } from "../kube/types.ts";
import { APPROVED_PLAN, EXTERNAL_ID, FINALIZER, RECONCILE_REQUESTED_AT } from "../resources/base/names.ts";
import { planIn } from "./approval.ts";

const HOUR = 3_600_000;

type Spec = { readonly [key: string]: Json };

async function on(surface: "Documented" | "Full", spec: Spec, defaults?: Spec): Promise<Bench> {
  const bench = engineBench({ bare: true });
  bench.world.surface = surface;
  bench.cluster.secret("token", { token: "token-1" });
  bench.cluster.create("Link", "default", { surface, ...(defaults === undefined ? {} : { defaults }) });
  await bench.run(1_000);
  bench.widget("a", spec);
  await bench.run(10_000);
  return bench;
}

const remote = (bench: Bench): Remote => [...bench.world.remotes.values()][0]!;
const effects = (bench: Bench): readonly string[] => bench.world.effects.map(({ op }) => op);
const status = (bench: Bench, name: string): Json | undefined => member(bench.cluster.get("Widget", "a").status, name);
const ready = (bench: Bench): string | undefined =>
  bench.conditions("Widget", "a").find((one) => one.startsWith("Ready"));

/** Lets everybody see what is there now. */
const polled = async (bench: Bench): Promise<void> => await bench.run(HOUR);

describe("managementPolicy ObserveOnly", () => {
  const OBSERVE = { lifecycle: { managementPolicy: "ObserveOnly", deletionPolicy: "Delete" } };

  it("creates nothing and says so", async () => {
    const bench = await on("Full", OBSERVE);
    expect(effects(bench)).toEqual([]);
    expect(ready(bench)).toBe("Ready=False/NotCreated");
    expect(bench.conditions("Widget", "a")).toContain("Stalled=True/NotCreated");
  });

  it("takes over what is there, reports drift, and neither corrects nor deletes it", async () => {
    const bench = engineBench({ bare: true });
    bench.world.surface = "Full";
    bench.cluster.secret("token", { token: "token-1" });
    bench.cluster.create("Link", "default", { surface: "Full" });
    bench.world.add("a", { note: "theirs" });
    await bench.run(1_000);
    bench.widget("a", { note: "ours", ...OBSERVE });
    await bench.run(10_000);
    expect(bench.conditions("Widget", "a")).toEqual(
      expect.arrayContaining(["Ready=True/Available", "Drifted=True/DriftDetected"]),
    );
    expect(status(bench, "externalId")).toBe(remote(bench).id);
    expect(status(bench, "appliedGeneration")).toBeUndefined();
    expect(bench.cluster.get("Widget", "a").metadata.finalizers ?? []).toEqual([]);
    await polled(bench);
    bench.cluster.remove("Widget", "a");
    await bench.run(10_000);
    expect(effects(bench)).toEqual([]);
  });
});

describe("managementPolicy CreateOnly", () => {
  it("brings the spec about once and then leaves it alone", async () => {
    const bench = await on("Full", { note: "one", commit: "abc", lifecycle: { managementPolicy: "CreateOnly" } });
    expect(effects(bench)).toEqual(["create", "deploy"]);
    expect(status(bench, "appliedGeneration")).toBe(1);
    bench.cluster.spec("Widget", "a", {
      name: "a",
      note: "two",
      commit: "def",
      lifecycle: { managementPolicy: "CreateOnly" },
    });
    await polled(bench);
    expect(effects(bench)).toEqual(["create", "deploy"]);
    expect(bench.conditions("Widget", "a")).toContain("Drifted=True/DriftDetected");
    expect(status(bench, "observedGeneration")).toBe(2);
    expect(status(bench, "appliedGeneration")).toBe(1);
  });
});

describe("driftPolicy Report", () => {
  const REPORT = { note: "ours", lifecycle: { driftPolicy: "Report" } };

  it("tells what others changed, and writes what the user changes", async () => {
    const bench = await on("Full", REPORT);
    bench.world.change(remote(bench).id, { note: "theirs" });
    await polled(bench);
    expect(effects(bench)).toEqual(["create"]);
    expect(bench.conditions("Widget", "a")).toEqual(
      expect.arrayContaining(["Ready=True/Available", "Drifted=True/DriftDetected"]),
    );
    expect(bench.events.filter(({ reason }) => reason === "DriftDetected")).toHaveLength(1);
    expect(status(bench, "drift")).toEqual({
      fields: [{ path: "spec.note", desired: "ours", observed: "theirs" }],
    });
    bench.cluster.spec("Widget", "a", { name: "a", ...REPORT, note: "newer" });
    await bench.run(10_000);
    expect(effects(bench)).toEqual(["create", "update"]);
    expect(bench.conditions("Widget", "a")).toContain("Drifted=False/NoDrift");
  });

  it("is not needed to have drift corrected", async () => {
    const bench = await on("Full", { note: "ours" });
    bench.world.change(remote(bench).id, { note: "theirs" });
    await polled(bench);
    expect(effects(bench)).toEqual(["create", "update"]);
  });
});

describe("applyPolicy Manual", () => {
  const MANUAL = { lifecycle: { applyPolicy: "Manual" } };
  const approve = (bench: Bench, hash: string | undefined): void => {
    bench.cluster.annotate("Widget", "a", { [APPROVED_PLAN]: hash ?? null });
  };
  const hash = (bench: Bench): string | undefined => planIn(bench.cluster.get("Widget", "a"))?.hash;

  it("shows a plan and waits, then does what was approved and all that follows from a create", async () => {
    const bench = await on("Full", { note: "one", commit: "abc", ...MANUAL });
    expect(effects(bench)).toEqual([]);
    expect(bench.conditions("Widget", "a")).toEqual(
      expect.arrayContaining(["Ready=False/ApprovalPending", "Reconciling=True/Progressing"]),
    );
    expect(status(bench, "plan")).toMatchObject({
      reason: "ApprovalPending",
      generation: 1,
      actions: [{ operation: "create", message: "It is being created.", creates: true }],
    });
    const writes = bench.writes("Widget", "a");
    await polled(bench);
    expect(bench.writes("Widget", "a")).toBe(writes);
    approve(bench, hash(bench));
    await bench.run(10_000);
    expect(effects(bench)).toEqual(["create", "deploy"]);
    expect(ready(bench)).toBe("Ready=True/Available");
    expect(status(bench, "plan")).toBeUndefined();
  });

  it.each([
    ["another plan's hash", "0123456789abcdef"],
    ["nothing", ""],
  ])("is not satisfied with %s", async (_, text) => {
    const bench = await on("Full", MANUAL);
    approve(bench, text);
    await polled(bench);
    expect(effects(bench)).toEqual([]);
  });

  it("wants a new approval for a newer generation, and for the same change a second time", async () => {
    const bench = await on("Full", MANUAL);
    approve(bench, hash(bench));
    await bench.run(10_000);
    bench.cluster.spec("Widget", "a", { name: "a", note: "one", ...MANUAL });
    await bench.run(10_000);
    expect(ready(bench)).toBe("Ready=False/ApprovalPending");
    expect(status(bench, "plan")).toMatchObject({
      actions: [{ operation: "update", fields: [{ path: "spec.note", desired: "one", observed: "" }] }],
    });
    approve(bench, hash(bench));
    await bench.run(10_000);
    expect(effects(bench)).toEqual(["create", "update"]);
    for (const times of [1, 2]) {
      bench.world.change(remote(bench).id, { note: "theirs" });
      await polled(bench);
      expect(effects(bench)).toHaveLength(1 + times);
      expect(ready(bench)).toBe("Ready=True/Available");
      expect(bench.conditions("Widget", "a")).toContain("Drifted=True/DriftDetected");
      approve(bench, hash(bench));
      await bench.run(10_000);
      expect(effects(bench)).toHaveLength(2 + times);
    }
  });

  it("holds an approval over a restart of the operator", async () => {
    const bench = await on("Full", { commit: "abc", ...MANUAL });
    bench.world.deployed = "BUSY";
    approve(bench, hash(bench));
    await bench.run(10_000);
    expect(status(bench, "plan")).toMatchObject({ approved: true });
    bench.restart();
    bench.world.change(remote(bench).id, { state: "READY" });
    await bench.run(60_000);
    expect(ready(bench)).toBe("Ready=True/Available");
    expect(effects(bench)).toEqual(["create", "deploy"]);
  });

  it("does not hold up a deletion", async () => {
    const bench = await on("Full", { lifecycle: { applyPolicy: "Manual", deletionPolicy: "Delete" } });
    approve(bench, hash(bench));
    await bench.run(10_000);
    bench.cluster.remove("Widget", "a");
    await bench.run(10_000);
    expect(effects(bench)).toEqual(["create", "delete"]);
  });
});

describe("syncWindows", () => {
  // The bench begins at 10:00 UTC.
  const daily = (kind: "Allow" | "Deny", hour: number): Spec => ({
    lifecycle: {
      deletionPolicy: "Delete",
      syncWindows: { kind, windows: [{ schedule: `0 ${hour} * * *`, duration: "2h" }] },
    },
  });

  it("hold writes back until they open, to the minute", async () => {
    const bench = await on("Full", daily("Allow", 12));
    expect(ready(bench)).toBe("Ready=False/OutsideChangeWindow");
    const opens = new Date(bench.clock.now());
    opens.setUTCHours(12, 0, 0, 0);
    if (opens < bench.clock.now()) opens.setUTCDate(opens.getUTCDate() + 1);
    await bench.run(opens.getTime() - bench.clock.now().getTime() - 1_000);
    expect(effects(bench)).toEqual([]);
    await bench.run(30_000);
    expect(effects(bench)).toEqual(["create"]);
    expect(ready(bench)).toBe("Ready=True/Available");
  });

  it("hold a deletion back as well", async () => {
    const bench = await on("Full", {});
    bench.cluster.spec("Widget", "a", { name: "a", ...daily("Allow", 23) });
    await bench.run(10_000);
    bench.cluster.remove("Widget", "a");
    await bench.run(HOUR);
    expect(effects(bench)).toEqual(["create"]);
    expect(ready(bench)).toBe("Ready=False/OutsideChangeWindow");
    await bench.run(24 * HOUR);
    expect(effects(bench)).toEqual(["create", "delete"]);
    expect(bench.cluster.find("Widget", "a")).toBeUndefined();
  });

  it("that make no sense stall the object and write nothing", async () => {
    const bench = await on("Full", {
      lifecycle: { syncWindows: { kind: "Allow", windows: [{ schedule: "99 * * * *", duration: "2h" }] } },
    });
    expect(ready(bench)).toBe("Ready=False/InvalidSpec");
    expect(effects(bench)).toEqual([]);
  });
});

describe("onMissing", () => {
  it.each<[surface: "Documented" | "Full", onMissing: string | undefined, end: string, ops: readonly string[]]>([
    ["Full", "Recreate", "Ready=True/Available", ["create", "deploy", "create", "deploy"]],
    ["Full", undefined, "Ready=False/ExternalResourceDeleted", ["create", "deploy"]],
    ["Documented", "Recreate", "Ready=False/ExternalResourceDeleted", ["create", "deploy"]],
  ])("on %s, %s: %s", async (surface, onMissing, end, ops) => {
    const bench = await on(surface, { commit: "abc", lifecycle: onMissing === undefined ? {} : { onMissing } });
    const { id } = remote(bench);
    bench.world.remotes.delete(id);
    await polled(bench);
    expect(ready(bench)).toBe(end);
    expect(effects(bench)).toEqual(ops);
    const now = status(bench, "externalId");
    expect(now === id).toBe(ops.length === 2);
    expect(bench.cluster.get("Widget", "a").metadata.annotations?.[EXTERNAL_ID]).toBe(now);
  });

  it("never replaces what the user named by its id", async () => {
    const bench = engineBench();
    bench.world.surface = "Full";
    const { id } = bench.world.add("a");
    bench.cluster.spec("Link", "default", { surface: "Full" });
    await bench.run(1_000);
    bench.widget("a", { externalId: id, lifecycle: { onMissing: "Recreate" } });
    await bench.run(10_000);
    bench.world.remotes.delete(id);
    await polled(bench);
    expect(ready(bench)).toBe("Ready=False/ExternalResourceDeleted");
    expect(effects(bench)).toEqual([]);
  });
});

describe("the connection's defaults", () => {
  it("count where the object says nothing, and nowhere else", async () => {
    const bench = await on("Full", {}, { lifecycle: { deletionPolicy: "Delete", managementPolicy: "ObserveOnly" } });
    expect(ready(bench)).toBe("Ready=False/NotCreated");
    bench.cluster.spec("Widget", "a", { name: "a", lifecycle: { managementPolicy: "Manage" } });
    await bench.run(10_000);
    bench.cluster.remove("Widget", "a");
    await bench.run(10_000);
    expect(effects(bench)).toEqual(["create", "delete"]);
  });

  it("reach objects that are settled already", async () => {
    const bench = await on("Full", {});
    expect(bench.cluster.get("Widget", "a").metadata.finalizers ?? []).toEqual([]);
    const defaults = { lifecycle: { deletionPolicy: "Delete" } };
    bench.cluster.spec("Link", "default", { surface: "Full", defaults });
    await bench.run(70_000);
    expect(bench.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
  });

  it("say how often what is settled is looked at", async () => {
    const bench = await on("Full", {}, { pollInterval: "2h" });
    await bench.run(HOUR / 2);
    bench.cluster.annotate("Widget", "a", { [RECONCILE_REQUESTED_AT]: "1" });
    await bench.run(1_000);
    expect(bench.due("Widget", "a")).toBeGreaterThan(1.5 * HOUR);
  });
});
