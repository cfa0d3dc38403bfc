import { describe, expect, it } from "vitest";

import { effects, engineEnv, type Env, on, ready, remote, status } from "../../test/support/engine/env.ts";
import { HOUR } from "../../test/support/platform/durations.ts";
import { APPROVED_PLAN, FINALIZER } from "../api/names.ts";
import { planIn } from "./policies/policy-status.ts";

it("onMissing never replaces what the user named by its id", async () => {
  const env = engineEnv();
  const { id } = env.world.add("a");
  env.widget("a", { externalId: id, lifecycle: { onMissing: "Recreate" } });
  await env.run(10_000);
  env.world.remotes.delete(id);
  await env.run(HOUR);
  expect(ready(env)).toBe("Ready=False/ExternalResourceDeleted");
  expect(effects(env)).toEqual([]);
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
});

describe("applyPolicy Manual", () => {
  const MANUAL = { lifecycle: { applyPolicy: "Manual" } };
  const hash = (env: Env): string | undefined => planIn(env.cluster.get("Widget", "a"))?.hash;
  const approve = async (env: Env): Promise<void> => {
    env.cluster.annotate("Widget", "a", { [APPROVED_PLAN]: hash(env) ?? null });
    await env.run(10_000);
  };

  it("needs a new approval for a newer generation, and for the same change a second time", async () => {
    const env = await on("Full", MANUAL);
    await approve(env);
    env.cluster.spec("Widget", "a", { name: "a", note: "one", ...MANUAL });
    await env.run(10_000);
    expect(ready(env)).toBe("Ready=False/ApprovalPending");
    const fields = [{ path: "spec.note", desired: "one", observed: "" }];
    expect(status(env, "plan")).toMatchObject({ actions: [{ operation: "update", fields }] });
    await approve(env);
    expect(effects(env)).toEqual(["create", "update"]);
    for (const times of [1, 2]) {
      env.world.change(remote(env).id, { note: "theirs" });
      await env.run(HOUR);
      expect(effects(env)).toHaveLength(1 + times);
      expect(ready(env)).toBe("Ready=True/Available");
      expect(env.conditions("Widget", "a")).toContain("Drifted=True/DriftDetected");
      await approve(env);
      expect(effects(env)).toHaveLength(2 + times);
    }
  });

  it("is given for one generation: a newer one waits, though the approved change is still under way", async () => {
    const env = await on("Full", { commit: "abc", ...MANUAL });
    env.world.deployed = "BUSY";
    await approve(env);
    expect(status(env, "plan")).toMatchObject({ approved: true, generation: 1 });
    env.cluster.spec("Widget", "a", { name: "a", note: "two", commit: "def", ...MANUAL });
    env.world.change(remote(env).id, { state: "READY" });
    await env.run(HOUR);
    expect(effects(env)).toEqual(["create", "deploy"]);
    expect(ready(env)).toBe("Ready=False/ApprovalPending");
    expect(status(env, "plan")).toMatchObject({ generation: 2 });
  });

  it("of the first create does not cover the recreation of an object that vanished", async () => {
    const env = await on("Full", { lifecycle: { applyPolicy: "Manual", onMissing: "Recreate" } });
    const first = hash(env);
    await approve(env);
    expect(effects(env)).toEqual(["create"]);
    env.world.remotes.delete(remote(env).id);
    await env.run(HOUR);
    expect(effects(env)).toEqual(["create"]);
    expect(ready(env)).toBe("Ready=False/ApprovalPending");
    expect(hash(env)).not.toBe(first);
    await approve(env);
    expect(effects(env)).toEqual(["create", "create"]);
  });

  it("does not block a deletion", async () => {
    const env = await on("Full", { lifecycle: { applyPolicy: "Manual", deletionPolicy: "Delete" } });
    await approve(env);
    env.cluster.remove("Widget", "a");
    await env.run(10_000);
    expect(effects(env)).toEqual(["create", "delete"]);
  });
});
