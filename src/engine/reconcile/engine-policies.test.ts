import { describe, expect, it } from "vitest";

import { engineBench } from "../../../test/support/engine/env.ts";
import { effects, HOUR, on, polled, ready, remote, status } from "../../../test/support/engine/policies.ts";
import { EXTERNAL_ID, FINALIZER, RECONCILE_REQUESTED_AT } from "../../api/names.ts";
import type { JsonObject } from "../../kube/api/types.ts";

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

describe("a status of a version that knew no policies", () => {
  it("is under the brake, and gets what it lacks", async () => {
    const bench = engineBench();
    bench.world.surface = "Full";
    await bench.run(1_000);
    const names = Array.from({ length: 20 }, (_, index) => `w${String(index)}`);
    for (const name of names) bench.widget(name, { note: "ours" });
    await bench.run(60_000);
    for (const name of names) {
      const { appliedGeneration: _, ...older } = bench.cluster.get("Widget", name).status as JsonObject;
      bench.cluster.status("Widget", name, older);
    }
    for (const { id } of [...bench.world.remotes.values()]) bench.world.change(id, { note: "normalised" });
    bench.restart();
    await bench.run(HOUR);
    expect(bench.world.count("update")).toBe(10);
    expect(bench.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
  });
});
