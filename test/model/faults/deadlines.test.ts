import { expect, it } from "vitest";

import { APPROVED_PLAN, PAUSED } from "../../../src/api/names.ts";
import { planIn } from "../../../src/engine/policies/policy-status.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { NEXT_COMMIT, operation, tree } from "../../support/kube/manifests.ts";
import { HOUR, MINUTE } from "../../support/platform/durations.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

const statusOf = (env: OperatorEnv): JsonObject => (env.get("PlatformOperation", "late").status ?? {}) as JsonObject;
const resultOf = (env: OperatorEnv): unknown => member(statusOf(env)["outcome"], "result");
const deployments = (env: OperatorEnv, from: number): number =>
  env.writes(from).filter((op) => op === "deployApplication").length;

it("the time limit of an operation stands still while it waits for approval or is paused, across restarts, without a write", async () => {
  const env = await settledEnv((env) => tree(env, "a"), { surface: "documented" });
  // What is deployed from now on takes longer than the time limit.
  env.platform.sim.settings.durations.deploy = 24 * 3600;
  const from = env.baseline();
  const deploy = { type: "DeployApplication", applicationRef: { name: "a" }, gitCommitId: NEXT_COMMIT };
  env.apply(operation("late", { ...deploy, activeDeadlineSeconds: 600, lifecycle: { applyPolicy: "Manual" } }));
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
