import { describe, expect, it } from "vitest";

import type { Bench } from "../../../test/support/engine/env.ts";
import { effects, HOUR, on, polled, ready, remote, status, type Spec } from "../../../test/support/engine/policies.ts";
import { APPROVED_PLAN } from "../../api/names.ts";
import { planIn } from "../policies/approval.ts";

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
