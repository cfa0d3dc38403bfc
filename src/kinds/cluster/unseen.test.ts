import { describe, expect, it } from "vitest";

import { clusterContext } from "../../../test/support/kinds/cluster-contexts.ts";
import type { ContextChange } from "../../../test/support/kinds/contexts.ts";
import type { ClusterMemory } from "./crd.ts";
import { recordClusterAction } from "./index.ts";
import { NOTHING_OBSERVED, type ClusterContext } from "./model.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";

const unseen = (change: ContextChange<ClusterContext> = {}, spec: object = {}): ClusterContext =>
  clusterContext({ surface: "Documented", allowUnverifiedIds: true, ...change }, spec);

function said(context: ClusterContext): string {
  const found = plan(context, NOTHING_OBSERVED);
  if (found.is === "step") return found.step.op;
  return "why" in found ? found.why.reason : found.is;
}

describe("a cluster that nothing proves to be the organization's", () => {
  const refused = { allowUnverifiedIds: false };

  it.each<[string, ContextChange<ClusterContext>]>([
    ["taken over", { identitySource: "given" }],
    ["acted upon", {}],
    ["stopped when its resource is deleted", { goal: "stopped" }],
  ])("is not %s where the connection does not accept its id", (_name, change) => {
    expect(said(unseen({ ...refused, ...change }, { runState: "Stopped" }))).toBe("NotObservable");
    expect(said(unseen(change, { runState: "Stopped" }))).toBe(
      change.identitySource === "given" ? "adopt" : "stopCluster",
    );
  });

  it("is proven by a request that the platform accepted", () => {
    expect(said(unseen({ ...refused, memory: { verified: true } }, { runState: "Stopped" }))).toBe("stopCluster");
  });
});

describe("the version of a cluster that is not shown", () => {
  const upgraded = { operation: "Upgrade", kubernetesVersion: "1.34", generation: 1 } as const;
  const stopped = { operation: "Stop", generation: 2 } as const;
  const baseline = (kubernetesVersion?: string) => ({
    versionBaseline: { generation: 1, ...(kubernetesVersion !== undefined && { kubernetesVersion }) },
  });

  const shown = { ...baseline("1.33"), nextKubernetesVersion: "1.34" };

  it.each<[string, ClusterMemory, string, string]>([
    ["was set when it was adopted", {}, "1.34", "settled"],
    ["was set before, and so still is", baseline("1.34"), "1.34", "settled"],
    ["is set since, for the first time", baseline(), "1.34", "settled"],
    ["is set since, and an answer showed a newer one as next", { nextKubernetesVersion: "1.35" }, "1.34", "settled"],
    ["is set since, and an answer showed it as next", { nextKubernetesVersion: "1.34" }, "1.34", "upgradeCluster"],
    ["is newer since", baseline("1.33"), "1.34", "upgradeCluster"],
    ["is older since", baseline("1.35"), "1.34", "settled"],
    ["was upgraded to", { lastOrder: upgraded }, "1.34", "settled"],
    ["was upgraded to, before it was stopped", { ...baseline("1.34"), lastOrder: stopped }, "1.34", "settled"],
    ["is newer than the one upgraded to", { lastOrder: upgraded }, "1.35", "upgradeCluster"],
    ["is newer, and an answer showed it as the next one", shown, "1.34", "upgradeCluster"],
    ["is newer, and an answer showed another one", shown, "1.35", "VersionNotAvailable"],
  ])("%s", (_name, memory, kubernetesVersion, expected) => {
    expect(said(unseen({ memory, generation: 2 }, { kubernetesVersion }))).toBe(expected);
  });

  it("is remembered from the first spec with a version on", () => {
    const look = (context: ClusterContext) => report(context, NOTHING_OBSERVED).status["versionBaseline"];
    expect(look(unseen({}, { kubernetesVersion: "1.34" }))).toEqual({ generation: 1, kubernetesVersion: "1.34" });
    expect(look(unseen())).toEqual({ generation: 1 });
    const [first, second] = ["1.34", "1.35"].map((kubernetesVersion) => ({ kubernetesVersion }));
    expect(look(unseen({ memory: baseline(), generation: 2 }, first))).toEqual({ generation: 2, ...first });
    expect(look(unseen({ memory: baseline("1.34"), generation: 2 }, second))).toEqual({ generation: 1, ...first });
    const next = { nextKubernetesVersion: "1.34" };
    expect(look(unseen({ memory: { ...baseline(), ...next }, generation: 2 }, second))).toEqual({ generation: 1 });
  });

  it("is never reported as reached", () => {
    const say = (memory: ClusterMemory) => report(unseen({ memory }, { kubernetesVersion: "1.34" }), NOTHING_OBSERVED);
    const upToDate = expect.objectContaining({ type: "UpToDate", status: "Unknown", reason: "NotObservable" });
    expect(say({})).toMatchObject({ ready: { reason: "Available" } });
    expect(say({}).conditions).toContainEqual(upToDate);
    expect(say({ lastOrder: upgraded })).toMatchObject({ ready: { reason: "Accepted" } });
    expect(say({ lastOrder: upgraded }).conditions).toContainEqual(upToDate);
  });
});

describe("the stop of a cluster that is not shown", () => {
  it.each([
    ["STOP_QUEUED", "Accepted"],
    [undefined, "Accepted"],
    ["STOPPED", "Stopped"],
  ])("is reported after the answer %s as %s", (state, reason) => {
    const memory = { runState: "Stopped", lastOrder: { operation: "Stop", generation: 1 }, state } as const;
    const context = unseen({ memory }, { runState: "Stopped" });
    expect(said(context)).toBe("settled");
    expect(report(context, NOTHING_OBSERVED).ready.reason).toBe(reason);
  });
});

const action = (op: string) => ({ op, by: "shop/op", at: "2026-11-21T09:30:00.000Z", state: "DEPLOYED" });

/** The context after an operation that a PlatformOperation carried out. */
function after(op: string, spec: object, memory: ClusterMemory = {}): ClusterContext {
  const context = unseen({ memory }, spec);
  return { ...context, memory: recordClusterAction(action(op), context) };
}

describe("a cluster that is not shown, after an operation", () => {
  const baseline = { versionBaseline: { generation: 1, kubernetesVersion: "1.33" } };
  const offered = { versionBaseline: { generation: 1 }, nextKubernetesVersion: "1.34" };

  it.each<[string, string, object, ClusterMemory, string]>([
    ["was asked to stop", "stopCluster", {}, {}, "Accepted"],
    ["was asked to stop, as its spec says", "stopCluster", { runState: "Stopped" }, {}, "Accepted"],
    ["was stopped and cannot be started", "stopCluster", { runState: "Running" }, {}, "NotSupportedByApi"],
    ["was upgraded", "upgradeCluster", { kubernetesVersion: "1.33" }, baseline, "Accepted"],
    ["is not upgraded a second time", "upgradeCluster", { kubernetesVersion: "1.34" }, baseline, "Accepted"],
    ["is upgraded further", "upgradeCluster", { kubernetesVersion: "1.35" }, baseline, "upgradeCluster"],
    ["was upgraded to the offered version", "upgradeCluster", { kubernetesVersion: "1.34" }, offered, "Accepted"],
    ["is upgraded beyond it", "upgradeCluster", { kubernetesVersion: "1.35" }, offered, "upgradeCluster"],
    ["is no database", "stopDatabase", {}, {}, "Available"],
  ])("%s", (_name, op, spec, memory, expected) => {
    const context = after(op, spec, memory);
    const planned = said(context);
    expect(planned === "settled" ? report(context, NOTHING_OBSERVED).ready.reason : planned).toBe(expected);
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
