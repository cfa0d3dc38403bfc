import { describe, expect, it } from "vitest";

import { engineEnv } from "../../../test/support/engine/env.ts";
import { effects, HOUR, on, polled, ready, remote, status } from "../../../test/support/engine/widgets.ts";
import { EXTERNAL_ID, FINALIZER, RECONCILE_REQUESTED_AT } from "../../api/names.ts";

describe("managementPolicy ObserveOnly", () => {
  it("adopts an existing object, reports drift, and neither corrects nor deletes it", async () => {
    const env = engineEnv();
    env.world.add("a", { note: "theirs" });
    env.widget("a", { note: "ours", lifecycle: { managementPolicy: "ObserveOnly", deletionPolicy: "Delete" } });
    await env.run(10_000);
    expect(env.conditions("Widget", "a")).toEqual(
      expect.arrayContaining(["Ready=True/Available", "Drifted=True/DriftDetected"]),
    );
    expect(status(env, "externalId")).toBe(remote(env).id);
    expect(status(env, "appliedGeneration")).toBeUndefined();
    expect(env.cluster.get("Widget", "a").metadata.finalizers ?? []).toEqual([]);
    await polled(env);
    env.cluster.remove("Widget", "a");
    await env.run(10_000);
    expect(effects(env)).toEqual([]);
  });
});

describe("managementPolicy CreateOnly", () => {
  it("applies the spec once and then leaves the object alone", async () => {
    const lifecycle = { managementPolicy: "CreateOnly" };
    const env = await on("Full", { note: "one", commit: "abc", lifecycle });
    expect(effects(env)).toEqual(["create", "deploy"]);
    expect(status(env, "appliedGeneration")).toBe(1);
    env.cluster.spec("Widget", "a", { name: "a", note: "two", commit: "def", lifecycle });
    await polled(env);
    expect(effects(env)).toEqual(["create", "deploy"]);
    expect(env.conditions("Widget", "a")).toContain("Drifted=True/DriftDetected");
    expect(status(env, "observedGeneration")).toBe(2);
    expect(status(env, "appliedGeneration")).toBe(1);
  });
});

describe("driftPolicy Report", () => {
  const REPORT = { note: "ours", lifecycle: { driftPolicy: "Report" } };

  it("reports what others changed, and writes what the user changes", async () => {
    const env = await on("Full", REPORT);
    env.world.change(remote(env).id, { note: "theirs" });
    await polled(env);
    expect(effects(env)).toEqual(["create"]);
    expect(env.conditions("Widget", "a")).toEqual(
      expect.arrayContaining(["Ready=True/Available", "Drifted=True/DriftDetected"]),
    );
    expect(env.events.filter(({ reason }) => reason === "DriftDetected")).toHaveLength(1);
    expect(status(env, "drift")).toEqual({ fields: [{ path: "spec.note", desired: "ours", observed: "theirs" }] });
    env.cluster.spec("Widget", "a", { name: "a", ...REPORT, note: "newer" });
    await env.run(10_000);
    expect(effects(env)).toEqual(["create", "update"]);
    expect(env.conditions("Widget", "a")).toContain("Drifted=False/NoDrift");
  });
});

describe("onMissing", () => {
  it.each<[surface: "Documented" | "Full", onMissing: string | undefined, end: string, ops: readonly string[]]>([
    ["Full", "Recreate", "Ready=True/Available", ["create", "deploy", "create", "deploy"]],
    ["Full", undefined, "Ready=False/ExternalResourceDeleted", ["create", "deploy"]],
    ["Documented", "Recreate", "Ready=False/ExternalResourceDeleted", ["create", "deploy"]],
  ])("on %s, %s: %s", async (surface, onMissing, end, ops) => {
    const env = await on(surface, { commit: "abc", lifecycle: onMissing === undefined ? {} : { onMissing } });
    const { id } = remote(env);
    env.world.remotes.delete(id);
    await polled(env);
    expect(ready(env)).toBe(end);
    expect(effects(env)).toEqual(ops);
    const now = status(env, "externalId");
    expect(now === id).toBe(ops.length === 2);
    expect(env.cluster.get("Widget", "a").metadata.annotations?.[EXTERNAL_ID]).toBe(now);
  });

  it("never replaces what the user named by its id", async () => {
    const env = engineEnv();
    const { id } = env.world.add("a");
    env.widget("a", { externalId: id, lifecycle: { onMissing: "Recreate" } });
    await env.run(10_000);
    env.world.remotes.delete(id);
    await polled(env);
    expect(ready(env)).toBe("Ready=False/ExternalResourceDeleted");
    expect(effects(env)).toEqual([]);
  });
});

describe("the connection's defaults", () => {
  it("count where the object says nothing, and nowhere else", async () => {
    const env = await on("Full", {}, { lifecycle: { deletionPolicy: "Delete", managementPolicy: "ObserveOnly" } });
    expect(ready(env)).toBe("Ready=False/NotCreated");
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/NotCreated");
    expect(effects(env)).toEqual([]);
    env.cluster.spec("Widget", "a", { name: "a", lifecycle: { managementPolicy: "Manage" } });
    await env.run(10_000);
    env.cluster.remove("Widget", "a");
    await env.run(10_000);
    expect(effects(env)).toEqual(["create", "delete"]);
  });

  it("reach objects that are settled already", async () => {
    const env = await on("Full", {});
    expect(env.cluster.get("Widget", "a").metadata.finalizers ?? []).toEqual([]);
    const defaults = { lifecycle: { deletionPolicy: "Delete" } };
    env.cluster.spec("Link", "default", { surface: "Full", defaults });
    await env.run(70_000);
    expect(env.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
  });

  it("set the poll interval of settled objects", async () => {
    const env = await on("Full", {}, { pollInterval: "2h" });
    await env.run(HOUR / 2);
    env.cluster.annotate("Widget", "a", { [RECONCILE_REQUESTED_AT]: "1" });
    await env.run(1_000);
    expect(env.due("Widget", "a")).toBeGreaterThan(1.5 * HOUR);
  });
});
