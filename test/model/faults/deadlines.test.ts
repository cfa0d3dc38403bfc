import { describe, expect, it } from "vitest";

import { APPROVED_PLAN, PAUSED } from "../../../src/api/names.ts";
import { planIn } from "../../../src/engine/policies/policy-status.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { defaults, NEXT_COMMIT, operation, tree } from "../../support/kube/manifests.ts";
import { HOUR, MINUTE } from "../../support/platform/durations.ts";
import { operatorEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

const deploy: JsonObject = {
  type: "DeployApplication",
  applicationRef: { name: "a" },
  gitCommitId: NEXT_COMMIT,
  activeDeadlineSeconds: 600,
};
const MANUAL: JsonObject = { applyPolicy: "Manual" };

async function withApplication(): Promise<OperatorEnv> {
  const env = await operatorEnv({ surface: "documented" });
  env.apply(...defaults(env), ...tree(env, "a"));
  await env.run(10 * MINUTE);
  // What is deployed from now on takes longer than any time limit here.
  env.platform.sim.settings.durations.deploy = 24 * 3600;
  return env;
}

const statusOf = (env: OperatorEnv): JsonObject => (env.get("PlatformOperation", "late").status ?? {}) as JsonObject;
const resultOf = (env: OperatorEnv): unknown => member(statusOf(env)["outcome"], "result");
const deployments = (env: OperatorEnv, from: number): number =>
  env.writes(from).filter((op) => op === "deployApplication").length;

describe("the time limit of an operation", { timeout: 60_000 }, () => {
  it("counts from its creation, also where nothing can be sent, and then fails", async () => {
    const env = await withApplication();
    env.apply(operation("late", { ...deploy, applicationRef: { name: "nobody" } }));
    await env.run(9 * MINUTE);
    await env.restart();
    expect(resultOf(env)).toBeUndefined();
    await env.run(90_000);
    expect(statusOf(env)).toMatchObject({ outcome: { result: "Failed", reason: "DeadlineExceeded" } });
    expect(env.summary("PlatformOperation", "late")).toMatch(/Failed=True.*DeadlineExceeded/);
    expect(env.condition("PlatformOperation", "late", "Stalled")).toBe("True/DeadlineExceeded");
  });

  it("ends what was sent as unknown, never as failed", async () => {
    const env = await withApplication();
    const from = env.baseline();
    env.apply(operation("late", deploy));
    await env.run(9 * MINUTE);
    expect(resultOf(env)).toBeUndefined();
    await env.run(90_000);
    expect(statusOf(env)).toMatchObject({ outcome: { result: "Unknown", reason: "DeadlineExceeded" } });
    expect(env.condition("PlatformOperation", "late", "Complete")).toBe("Unknown/DeadlineExceeded");
    expect(env.condition("PlatformOperation", "late", "Failed")).toBe("");
    await env.restart();
    await env.run(HOUR);
    expect(deployments(env, from)).toBe(1);
  });

  it("stands still while it waits for approval or is paused, across restarts, without a write", async () => {
    const env = await withApplication();
    const from = env.baseline();
    env.apply(operation("late", { ...deploy, lifecycle: MANUAL }));
    await env.run(MINUTE);
    expect(env.condition("PlatformOperation", "late")).toBe("False/ApprovalPending");
    const { remainingSeconds } = statusOf(env);
    expect(remainingSeconds).toBeGreaterThan(500);
    const before = env.get("PlatformOperation", "late").metadata.resourceVersion;
    await env.run(HOUR);
    await env.restart();
    await env.run(HOUR);
    expect(env.get("PlatformOperation", "late").metadata.resourceVersion).toBe(before);
    expect(statusOf(env)).toMatchObject({ remainingSeconds });

    const { hash = "" } = planIn(env.get("PlatformOperation", "late")) ?? {};
    env.cluster.annotate("PlatformOperation", "late", { [APPROVED_PLAN]: hash });
    await env.run(MINUTE);
    expect(deployments(env, from)).toBe(1);
    const { deadline } = statusOf(env);
    expect(statusOf(env)).not.toHaveProperty("remainingSeconds");
    await env.run(4 * MINUTE);
    expect(statusOf(env)).toMatchObject({ deadline });

    env.cluster.annotate("PlatformOperation", "late", { [PAUSED]: "true" });
    await env.run(HOUR);
    env.cluster.annotate("PlatformOperation", "late", { [PAUSED]: "false" });
    await env.run(MINUTE);
    expect(resultOf(env)).toBeUndefined();
    await env.run(6 * MINUTE);
    expect(resultOf(env)).toBe("Unknown");
    expect(deployments(env, from)).toBe(1);
  });
});
