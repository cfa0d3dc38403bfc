import { describe, expect, it } from "vitest";

import { engineEnv, type Env } from "../../../test/support/engine/env.ts";
import { effects, HOUR, on, polled, ready, remote, status, type Spec } from "../../../test/support/engine/widgets.ts";
import { APPROVED_PLAN, EXTERNAL_ID, FINALIZER, RECONCILE_REQUESTED_AT } from "../../api/names.ts";
import { planIn } from "../policies/policy-status.ts";

describe("managementPolicy ObserveOnly", () => {
  it("adopts an existing object, reports drift, and neither corrects nor deletes it", async () => {
    const env = engineEnv();
    env.world.add("a", { note: "theirs" });
    env.widget("a", { note: "ours", lifecycle: { managementPolicy: "ObserveOnly", deletionPolicy: "Delete" } });
    await env.run(10_000);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.conditions("Widget", "a")).toContain("Drifted=True/DriftDetected");
    expect(status(env, "externalId")).toBe(remote(env).id);
    expect(status(env, "appliedGeneration")).toBeUndefined();
    expect(env.cluster.get("Widget", "a").metadata.finalizers ?? []).toEqual([]);
    await polled(env);
    env.cluster.remove("Widget", "a");
    await env.run(10_000);
    expect(effects(env)).toEqual([]);
  });
});

it("managementPolicy CreateOnly applies the spec once and then leaves the object alone", async () => {
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

describe("driftPolicy Report", () => {
  const REPORT = { note: "ours", lifecycle: { driftPolicy: "Report" } };

  it("reports what others changed, and writes what the user changes", async () => {
    const env = await on("Full", REPORT);
    env.world.change(remote(env).id, { note: "theirs" });
    await polled(env);
    expect(effects(env)).toEqual(["create"]);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.conditions("Widget", "a")).toContain("Drifted=True/DriftDetected");
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

describe("applyPolicy Manual", () => {
  const MANUAL = { lifecycle: { applyPolicy: "Manual" } };
  const approve = (env: Env, hash: string | undefined): void => {
    env.cluster.annotate("Widget", "a", { [APPROVED_PLAN]: hash ?? null });
  };
  const hash = (env: Env): string | undefined => planIn(env.cluster.get("Widget", "a"))?.hash;

  it("shows a plan and waits, then does what was approved and all that follows from a create", async () => {
    const env = await on("Full", { note: "one", commit: "abc", ...MANUAL });
    expect(effects(env)).toEqual([]);
    expect(ready(env)).toBe("Ready=False/ApprovalPending");
    expect(env.conditions("Widget", "a")).toContain("Reconciling=True/Progressing");
    const actions = [{ operation: "create", message: "It is being created.", creates: true }];
    expect(status(env, "plan")).toMatchObject({ reason: "ApprovalPending", generation: 1, actions });
    const writes = env.writes("Widget", "a");
    await polled(env);
    expect(env.writes("Widget", "a")).toBe(writes);
    for (const other of ["0123456789abcdef", ""]) {
      approve(env, other);
      await polled(env);
      expect(effects(env)).toEqual([]);
    }
    approve(env, hash(env));
    await env.run(10_000);
    expect(effects(env)).toEqual(["create", "deploy"]);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(status(env, "plan")).toBeUndefined();
  });

  it("needs a new approval for a newer generation, and for the same change a second time", async () => {
    const env = await on("Full", MANUAL);
    approve(env, hash(env));
    await env.run(10_000);
    env.cluster.spec("Widget", "a", { name: "a", note: "one", ...MANUAL });
    await env.run(10_000);
    expect(ready(env)).toBe("Ready=False/ApprovalPending");
    expect(status(env, "plan")).toMatchObject({
      actions: [{ operation: "update", fields: [{ path: "spec.note", desired: "one", observed: "" }] }],
    });
    approve(env, hash(env));
    await env.run(10_000);
    expect(effects(env)).toEqual(["create", "update"]);
    for (const times of [1, 2]) {
      env.world.change(remote(env).id, { note: "theirs" });
      await polled(env);
      expect(effects(env)).toHaveLength(1 + times);
      expect(ready(env)).toBe("Ready=True/Available");
      expect(env.conditions("Widget", "a")).toContain("Drifted=True/DriftDetected");
      approve(env, hash(env));
      await env.run(10_000);
      expect(effects(env)).toHaveLength(2 + times);
    }
  });

  /** An environment whose approved deployment takes long. */
  async function deploying(): Promise<Env> {
    const env = await on("Full", { commit: "abc", ...MANUAL });
    env.world.deployed = "BUSY";
    approve(env, hash(env));
    await env.run(10_000);
    expect(status(env, "plan")).toMatchObject({ approved: true, generation: 1 });
    return env;
  }

  it("keeps an approval over a restart of the operator", async () => {
    const env = await deploying();
    env.restart();
    env.world.change(remote(env).id, { state: "READY" });
    await env.run(60_000);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(effects(env)).toEqual(["create", "deploy"]);
  });

  it("is given for one generation: a newer one waits, though the approved change is still under way", async () => {
    const env = await deploying();
    env.cluster.spec("Widget", "a", { name: "a", note: "two", commit: "def", ...MANUAL });
    env.world.change(remote(env).id, { state: "READY" });
    await polled(env);
    expect(effects(env)).toEqual(["create", "deploy"]);
    expect(ready(env)).toBe("Ready=False/ApprovalPending");
    expect(status(env, "plan")).toMatchObject({ reason: "ApprovalPending", generation: 2 });
  });

  it("of the first create does not cover the recreation of an object that vanished", async () => {
    const env = await on("Full", { lifecycle: { applyPolicy: "Manual", onMissing: "Recreate" } });
    const first = hash(env);
    approve(env, first);
    await env.run(10_000);
    expect(effects(env)).toEqual(["create"]);
    env.world.remotes.delete(remote(env).id);
    await polled(env);
    expect(effects(env)).toEqual(["create"]);
    expect(status(env, "plan")).toMatchObject({ reason: "ApprovalPending" });
    expect(hash(env)).not.toBe(first);
    approve(env, hash(env));
    await env.run(10_000);
    expect(effects(env)).toEqual(["create", "create"]);
  });

  it("does not block a deletion", async () => {
    const env = await on("Full", { lifecycle: { applyPolicy: "Manual", deletionPolicy: "Delete" } });
    approve(env, hash(env));
    await env.run(10_000);
    env.cluster.remove("Widget", "a");
    await env.run(10_000);
    expect(effects(env)).toEqual(["create", "delete"]);
  });
});

describe("syncWindows", () => {
  // The harness begins at 10:00 UTC.
  const allowed = (schedule: string): Spec => ({
    lifecycle: { deletionPolicy: "Delete", syncWindows: { kind: "Allow", windows: [{ schedule, duration: "2h" }] } },
  });

  it("hold writes back until they open, to the minute", async () => {
    const env = await on("Full", allowed("0 12 * * *"));
    expect(ready(env)).toBe("Ready=False/OutsideChangeWindow");
    await env.run(Date.parse("2026-11-21T12:00:00Z") - env.clock.now().getTime() - 1_000);
    expect(effects(env)).toEqual([]);
    await env.run(30_000);
    expect(effects(env)).toEqual(["create"]);
    expect(ready(env)).toBe("Ready=True/Available");
  });

  it("hold a deletion back as well", async () => {
    const env = await on("Full", {});
    env.cluster.spec("Widget", "a", { name: "a", ...allowed("0 12 * * *") });
    await env.run(10_000);
    env.cluster.remove("Widget", "a");
    await env.run(HOUR);
    expect(effects(env)).toEqual(["create"]);
    expect(ready(env)).toBe("Ready=False/OutsideChangeWindow");
    await env.run(2 * HOUR);
    expect(effects(env)).toEqual(["create", "delete"]);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
  });

  it("that are invalid stall the object and write nothing", async () => {
    const env = await on("Full", allowed("99 * * * *"));
    expect(ready(env)).toBe("Ready=False/InvalidSpec");
    expect(effects(env)).toEqual([]);
  });
});
