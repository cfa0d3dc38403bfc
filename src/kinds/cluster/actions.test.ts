import { describe, expect, it } from "vitest";

import { clusterContext } from "../../../test/support/kinds/cluster-contexts.ts";
import type { ExternalAction } from "../../engine/contract/kind.ts";
import type { ClusterMemory } from "./crd.ts";
import { recordClusterAction } from "./index.ts";
import { NOTHING_OBSERVED, type ClusterContext } from "./model.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";

const action = (op: string): ExternalAction => ({
  op,
  by: "shop/op",
  at: "2026-11-21T09:30:00.000Z",
  state: "DEPLOYED",
});

function after(op: string, spec: object, memory: ClusterMemory = {}): ClusterContext {
  const context = clusterContext({ surface: "Documented", allowUnverifiedIds: true, memory }, spec);
  return { ...context, memory: recordClusterAction(action(op), context) };
}

function said(context: ClusterContext): string {
  const found = plan(context, NOTHING_OBSERVED);
  if (found.is === "step") return found.step.op;
  return "why" in found ? found.why.reason : report(context, NOTHING_OBSERVED).ready.reason;
}

describe("a cluster that is not shown, after an operation", () => {
  const baseline = { versionBaseline: { generation: 1, kubernetesVersion: "1.33" } };

  it.each<[string, string, object, ClusterMemory, string]>([
    ["was asked to stop", "stopCluster", {}, {}, "Accepted"],
    ["was asked to stop, as its spec says", "stopCluster", { runState: "Stopped" }, {}, "Accepted"],
    ["was stopped and cannot be started", "stopCluster", { runState: "Running" }, {}, "NotSupportedByApi"],
    ["was upgraded", "upgradeCluster", { kubernetesVersion: "1.33" }, baseline, "Accepted"],
    ["is not upgraded a second time", "upgradeCluster", { kubernetesVersion: "1.34" }, baseline, "Accepted"],
    ["is upgraded further", "upgradeCluster", { kubernetesVersion: "1.35" }, baseline, "upgradeCluster"],
    ["is no database", "stopDatabase", {}, {}, "Available"],
  ])("%s", (_name, op, spec, memory, expected) => {
    expect(said(after(op, spec, memory))).toBe(expected);
  });

  it("names the operation where its own request is not later", () => {
    const message = (context: ClusterContext) => report(context, NOTHING_OBSERVED).ready.message;
    const upgraded = after("upgradeCluster", { kubernetesVersion: "1.33" }, baseline);
    expect(message(upgraded)).toContain("shop/op");
    expect(report(upgraded, NOTHING_OBSERVED).conditions).toContainEqual(
      expect.objectContaining({ type: "UpToDate", status: "Unknown", message: expect.stringContaining("shop/op") }),
    );
    const lastOrder = { operation: "Upgrade", generation: 1, kubernetesVersion: "1.34" } as const;
    expect(message({ ...upgraded, memory: { ...upgraded.memory, lastOrder } })).not.toContain("shop/op");
    expect(message(after("stopCluster", {}))).toContain("shop/op");
  });

  it("is not written twice, and is only remembered where the platform shows clusters", () => {
    const context = after("stopCluster", {});
    expect(recordClusterAction(action("stopCluster"), context)).toBe(context.memory);
    expect(recordClusterAction(action("stopCluster"), clusterContext())).toEqual({
      lastOperation: expect.anything() as unknown,
    });
  });
});
