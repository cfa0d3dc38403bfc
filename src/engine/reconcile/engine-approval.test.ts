import { describe, expect, it } from "vitest";

import type { Env } from "../../../test/support/engine/env.ts";
import { effects, HOUR, on, polled, ready, remote, status, type Spec } from "../../../test/support/engine/widgets.ts";
import { APPROVED_PLAN } from "../../api/names.ts";
import { planIn } from "../policies/policy-status.ts";

describe("applyPolicy Manual", () => {
  const MANUAL = { lifecycle: { applyPolicy: "Manual" } };
  const approve = (env: Env, hash: string | undefined): void => {
    env.cluster.annotate("Widget", "a", { [APPROVED_PLAN]: hash ?? null });
  };
  const hash = (env: Env): string | undefined => planIn(env.cluster.get("Widget", "a"))?.hash;

  it("shows a plan and waits, then does what was approved and all that follows from a create", async () => {
    const env = await on("Full", { note: "one", commit: "abc", ...MANUAL });
    expect(effects(env)).toEqual([]);
    expect(env.conditions("Widget", "a")).toEqual(
      expect.arrayContaining(["Ready=False/ApprovalPending", "Reconciling=True/Progressing"]),
    );
    expect(status(env, "plan")).toMatchObject({
      reason: "ApprovalPending",
      generation: 1,
      actions: [{ operation: "create", message: "It is being created.", creates: true }],
    });
    const writes = env.writes("Widget", "a");
    await polled(env);
    expect(env.writes("Widget", "a")).toBe(writes);
    approve(env, hash(env));
    await env.run(10_000);
    expect(effects(env)).toEqual(["create", "deploy"]);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(status(env, "plan")).toBeUndefined();
  });

  it.each(["0123456789abcdef", ""])("is not satisfied with %j in place of the plan's hash", async (text) => {
    const env = await on("Full", MANUAL);
    approve(env, text);
    await polled(env);
    expect(effects(env)).toEqual([]);
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
