import { describe, expect, it } from "vitest";

import { APPROVED_PLAN, PAUSED } from "../../../src/api/names.ts";
import { planIn } from "../../../src/engine/policies/approval.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { defaults, NEXT_COMMIT, operation, tree } from "../../support/kube/manifests.ts";
import { operatorBench, type OperatorBench } from "../../support/platform/operator-env.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const deploy: JsonObject = {
  type: "DeployApplication",
  applicationRef: { name: "a" },
  gitCommitId: NEXT_COMMIT,
  activeDeadlineSeconds: 600,
};
const MANUAL: JsonObject = { applyPolicy: "Manual" };

async function withApplication(): Promise<OperatorBench> {
  const bench = await operatorBench({ surface: "documented" });
  bench.apply(...defaults(bench), ...tree(bench, "a"));
  await bench.run(10 * MINUTE);
  // What is deployed from now on takes longer than any time limit here.
  bench.platform.sim.settings.durations.deploy = 24 * 3600;
  return bench;
}

const statusOf = (bench: OperatorBench): JsonObject =>
  (bench.get("PlatformOperation", "late").status ?? {}) as JsonObject;
const resultOf = (bench: OperatorBench): unknown => member(statusOf(bench)["outcome"], "result");
const deployments = (bench: OperatorBench, from: number): number =>
  bench.writes(from).filter((op) => op === "deployApplication").length;

describe("the time limit of an operation", { timeout: 60_000 }, () => {
  it("counts from its creation, also where nothing can be sent, and then fails", async () => {
    const bench = await withApplication();
    bench.apply(operation("late", { ...deploy, applicationRef: { name: "nobody" } }));
    await bench.run(9 * MINUTE);
    await bench.restart();
    expect(resultOf(bench)).toBeUndefined();
    await bench.run(90_000);
    expect(statusOf(bench)).toMatchObject({ outcome: { result: "Failed", reason: "DeadlineExceeded" } });
    expect(bench.looks("PlatformOperation", "late")).toMatch(/Failed=True.*DeadlineExceeded/);
    expect(bench.told("PlatformOperation", "late", "Stalled")).toBe("True/DeadlineExceeded");
  });

  it("ends what was sent as unknown, never as failed", async () => {
    const bench = await withApplication();
    const from = bench.mark();
    bench.apply(operation("late", deploy));
    await bench.run(9 * MINUTE);
    expect(resultOf(bench)).toBeUndefined();
    await bench.run(90_000);
    expect(statusOf(bench)).toMatchObject({ outcome: { result: "Unknown", reason: "DeadlineExceeded" } });
    expect(bench.told("PlatformOperation", "late", "Complete")).toBe("Unknown/DeadlineExceeded");
    expect(bench.told("PlatformOperation", "late", "Failed")).toBe("");
    await bench.restart();
    await bench.run(HOUR);
    expect(deployments(bench, from)).toBe(1);
  });

  it("ends what was sent as unknown while the platform cannot be asked", async () => {
    const bench = await withApplication();
    bench.apply(operation("late", deploy));
    await bench.run(MINUTE);
    bench.platform.sim.faults.add({ count: null, answer: { is: "reset" } });
    await bench.run(11 * MINUTE);
    expect(statusOf(bench)).toMatchObject({ outcome: { result: "Unknown", reason: "DeadlineExceeded" } });
  });

  it("stands still while it waits for approval or is paused, across restarts, without a write", async () => {
    const bench = await withApplication();
    const from = bench.mark();
    bench.apply(operation("late", { ...deploy, lifecycle: MANUAL }));
    await bench.run(MINUTE);
    expect(bench.told("PlatformOperation", "late")).toBe("False/ApprovalPending");
    const { remainingSeconds } = statusOf(bench);
    expect(remainingSeconds).toBeGreaterThan(500);
    const before = bench.get("PlatformOperation", "late").metadata.resourceVersion;
    await bench.run(3 * HOUR);
    await bench.restart();
    await bench.run(3 * HOUR);
    expect(bench.get("PlatformOperation", "late").metadata.resourceVersion).toBe(before);
    expect(statusOf(bench)).toMatchObject({ remainingSeconds });

    const { hash = "" } = planIn(bench.get("PlatformOperation", "late")) ?? {};
    bench.cluster.annotate("PlatformOperation", "late", { [APPROVED_PLAN]: hash });
    await bench.run(MINUTE);
    expect(deployments(bench, from)).toBe(1);
    const { deadline } = statusOf(bench);
    expect(statusOf(bench)).not.toHaveProperty("remainingSeconds");
    await bench.run(4 * MINUTE);
    expect(statusOf(bench)).toMatchObject({ deadline });

    bench.cluster.annotate("PlatformOperation", "late", { [PAUSED]: "true" });
    await bench.run(3 * HOUR);
    bench.cluster.annotate("PlatformOperation", "late", { [PAUSED]: "false" });
    await bench.run(MINUTE);
    expect(resultOf(bench)).toBeUndefined();
    await bench.run(6 * MINUTE);
    expect(resultOf(bench)).toBe("Unknown");
    expect(deployments(bench, from)).toBe(1);
  });
});
