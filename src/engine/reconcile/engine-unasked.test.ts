/** Writes that nobody asked for: after an upgrade of the operator, a restart, or the loss of a status. */
import { describe, expect, it } from "vitest";

import type { Bench } from "../../../test/support/engine/env.ts";
import { effects, on, polled, remote, status, type Spec } from "../../../test/support/engine/policies.ts";
import { APPROVED_PLAN, RESOLVE } from "../../api/names.ts";
import { isObject, stringMember } from "../../kube/api/json.ts";
import { planIn } from "../policies/approval.ts";

const MINUTE = 60_000;

/** A fleet that is settled, of so many widgets on the full surface, all with a note. */
async function withFleet(size: number, spec: Spec = {}): Promise<Bench> {
  const bench = await on("Full", { note: "right", ...spec });
  for (let index = 1; index < size; index += 1) {
    const name = `w${index}`;
    bench.widget(name, { note: "right", ...spec });
  }
  await bench.run(15 * MINUTE);
  expect(bench.world.remotes.size).toBe(size);
  return bench;
}

/** What a version of the operator left behind that did not know these members. */
function withoutMembers(bench: Bench, ...names: readonly string[]): void {
  for (const { kind, metadata, status: old } of bench.cluster.all()) {
    if (kind !== "Widget" || !isObject(old)) continue;
    const kept = Object.fromEntries(Object.entries(old).filter(([name]) => !names.includes(name)));
    bench.cluster.status(kind, metadata.name, kept);
  }
}

describe("[R1] a status that an older version of the operator wrote", () => {
  it("has nothing corrected that is only to be reported", async () => {
    const bench = await on("Full", { note: "ours", lifecycle: { driftPolicy: "Report" } });
    withoutMembers(bench, "appliedGeneration");
    bench.world.change(remote(bench).id, { note: "theirs" });
    bench.restart();
    await polled(bench);
    expect(effects(bench)).toEqual(["create"]);
    expect(bench.conditions("Widget", "a")).toContain("Drifted=True/DriftDetected");
  });

  it("has nothing changed under CreateOnly", async () => {
    const bench = await on("Full", { note: "ours", commit: "abc", lifecycle: { managementPolicy: "CreateOnly" } });
    withoutMembers(bench, "appliedGeneration");
    bench.world.change(remote(bench).id, { note: "theirs" });
    bench.restart();
    await polled(bench);
    expect(effects(bench)).toEqual(["create", "deploy"]);
  });

  it("goes through the brake", async () => {
    const bench = await withFleet(30);
    withoutMembers(bench, "appliedGeneration");
    const before = effects(bench).length;
    for (const id of bench.world.remotes.keys()) bench.world.change(id, { note: "wrong" });
    bench.restart();
    await bench.run(30 * MINUTE);
    expect(effects(bench).length - before).toBe(10);
    expect(bench.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
  });
});

describe("[R1] the brake", () => {
  it("holds on to a fleet that vanished, whatever onMissing says", async () => {
    const bench = await withFleet(30, { lifecycle: { onMissing: "Recreate" } });
    const before = effects(bench).length;
    const ids = [...bench.world.remotes.keys()];
    for (const id of ids) bench.world.remotes.delete(id);
    await bench.run(30 * MINUTE);
    // All are looked at together: those that may be created anew are, at the latest, once the others are confirmed.
    expect(effects(bench).length - before).toBeLessThanOrEqual(10);
    expect(bench.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
    // Nothing is forgotten of those that are held: they are still the same once they are there again.
    const recorded = bench.cluster
      .all()
      .filter(({ status: now }) => ids.includes(stringMember(now, "externalId") ?? ""));
    expect(recorded).toHaveLength(20);
    // The others are settled, and not looked at while the connection tells its trouble.
    const told = recorded.filter(({ metadata }) =>
      bench.conditions("Widget", metadata.name).includes("Ready=False/ConnectionNotReady"),
    );
    expect(told).not.toEqual([]);
    bench.cluster.annotate("Link", "default", { [RESOLVE]: "proceed" });
    await bench.run(30 * MINUTE);
    expect(effects(bench).length - before).toBeGreaterThan(10);
  });

  it("still holds in the next process", async () => {
    const bench = await withFleet(30);
    const before = effects(bench).length;
    for (const id of bench.world.remotes.keys()) bench.world.change(id, { note: "wrong" });
    await bench.run(30 * MINUTE);
    expect(effects(bench).length - before).toBe(10);
    bench.restart();
    await bench.run(30 * MINUTE);
    expect(effects(bench).length - before).toBe(10);
    expect(bench.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
    bench.cluster.annotate("Link", "default", { [RESOLVE]: "proceed" });
    await bench.run(1_000);
    expect(bench.conditions("Link", "default")).toContain("Ready=True/Available");
  });
});

describe("an approval", () => {
  it("of the first create does not stand for the create of what has vanished since", async () => {
    const bench = await on("Full", { lifecycle: { applyPolicy: "Manual", onMissing: "Recreate" } });
    const first = planIn(bench.cluster.get("Widget", "a"))?.hash ?? "";
    bench.cluster.annotate("Widget", "a", { [APPROVED_PLAN]: first });
    await bench.run(10_000);
    expect(effects(bench)).toEqual(["create"]);
    bench.world.remotes.delete(remote(bench).id);
    await polled(bench);
    expect(effects(bench)).toEqual(["create"]);
    expect(status(bench, "plan")).toMatchObject({ reason: "ApprovalPending" });
    const second = planIn(bench.cluster.get("Widget", "a"))?.hash ?? "";
    expect(second).not.toBe(first);
    bench.cluster.annotate("Widget", "a", { [APPROVED_PLAN]: second });
    await bench.run(10_000);
    expect(effects(bench)).toEqual(["create", "create"]);
  });
});
