import { describe, expect, it } from "vitest";

import { CLUSTER, clusterContext, listed } from "../../../test/support/kinds/cluster-contexts.ts";
import type { ContextChange } from "../../../test/support/kinds/contexts.ts";
import type { Plan, Supports } from "../../engine/contract/kind.ts";
import { clusterPhase, clusterStates } from "../../platform/codec/states.ts";
import type { ClusterOrder } from "./crd.ts";
import type { ClusterContext } from "./model.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";

/**
 * What is done or reported in each state, for a cluster that should run, one that should be stopped, and one that is
 * left alone.
 */
const TABLE: Readonly<Record<string, readonly [running: string, stopped: string, left: string]>> = {
  READY: ["deployCluster", "settled", "settled"],
  DEPLOYED: ["settled", "stopCluster", "settled"],
  RESTARTED: ["settled", "stopCluster", "settled"],
  STOPPED: ["deployCluster", "settled", "settled"],
  DELETED: ["ExternalResourceDeleted", "ExternalResourceDeleted", "ExternalResourceDeleted"],
  CANCELED: ["Canceled", "stopCluster", "Canceled"],
  BUILD_ERROR: ["BuildFailed", "stopCluster", "BuildFailed"],
  DEPLOYMENT_ERROR: ["DeploymentFailed", "stopCluster", "DeploymentFailed"],
  STOP_ERROR: ["StopFailed", "stopCluster", "StopFailed"],
  RESTART_ERROR: ["RestartFailed", "stopCluster", "RestartFailed"],
  DELETE_ERROR: ["DeleteFailed", "stopCluster", "DeleteFailed"],
  INVALID_CREDENTIALS: ["DeploymentFailed", "stopCluster", "DeploymentFailed"],
  BUILDING: ["Building", "Building", "Building"],
  CANCELING: ["Canceling", "Canceling", "Canceling"],
  DELETE_QUEUED: ["Queued", "Queued", "Queued"],
  DELETING: ["Deleting", "Deleting", "Deleting"],
  DEPLOYING: ["Deploying", "Deploying", "Deploying"],
  DEPLOYMENT_QUEUED: ["Queued", "Queued", "Queued"],
  DRY_RUN: ["Progressing", "Progressing", "Progressing"],
  QUEUED: ["Queued", "Queued", "Queued"],
  STOPPING: ["Stopping", "Stopping", "Stopping"],
  STOP_QUEUED: ["Queued", "Queued", "Queued"],
  RESTART_QUEUED: ["Queued", "Queued", "Queued"],
  RESTARTING: ["Restarting", "Restarting", "Restarting"],
};

function said(found: Plan): string {
  if (found.is === "step") return found.step.op;
  return "why" in found ? found.why.reason : found.is;
}

const saidIn = (state: string, runState?: string): string =>
  said(plan(clusterContext({}, { runState }), listed(state)));

describe("a cluster", () => {
  it("[C5] is judged in all 24 states", () => {
    expect(Object.keys(TABLE).toSorted()).toEqual([...clusterStates].toSorted());
  });

  it.each(Object.entries(TABLE))("in state %s, which is the reason of ClusterDeployed", (state, row) => {
    expect([saidIn(state, "Running"), saidIn(state, "Stopped"), saidIn(state)]).toEqual(row);
    const status = state === "DEPLOYED" || state === "RESTARTED" ? "True" : "False";
    expect(report(clusterContext(), listed(state)).conditions).toContainEqual(
      expect.objectContaining({ type: "ClusterDeployed", reason: state, status }),
    );
  });

  it("[C5] in a state of the future waits, and shows it", () => {
    expect(saidIn("HIBERNATING", "Running")).toBe("UnknownState");
    expect(report(clusterContext(), listed("HIBERNATING")).conditions).toContainEqual(
      expect.objectContaining({ type: "ClusterDeployed", status: "Unknown", reason: "HIBERNATING" }),
    );
  });
});

describe("a failed cluster", () => {
  const ALL = clusterStates.filter((state) => clusterPhase(state) === "failed");
  const OF_UPGRADES = ["BUILD_ERROR", "CANCELED", "DEPLOYMENT_ERROR", "INVALID_CREDENTIALS"];
  const wanted = { kubernetesVersion: "1.34" };
  const after = (operation: ClusterOrder["operation"]) => ({ memory: { lastOrder: { operation, generation: 1 } } });
  const supports: Supports = (operation) => (operation === "deployCluster" ? "Unsupported" : "Supported");

  it.each<[string, object, ContextChange<ClusterContext>, readonly string[]]>([
    ["that is to run", { runState: "Running" }, {}, ALL],
    ["that is left alone", {}, {}, []],
    ["whose upgrade failed", wanted, after("Upgrade"), OF_UPGRADES],
    ["whose deployment before an upgrade failed", wanted, after("Start"), OF_UPGRADES],
    ["that others failed to upgrade", wanted, {}, []],
    ["that runs the version", { kubernetesVersion: "1.33" }, after("Upgrade"), []],
    ["whose upgrade failed where clusters cannot be deployed", wanted, { ...after("Upgrade"), supports }, []],
  ])("%s promises a retry on request only where it is deployed then", (_name, spec, change, retried) => {
    const on = (state: string, requested?: string) =>
      plan(clusterContext({ ...change, requested }, spec), listed(state));
    const message = (state: string) => {
      const found = on(state);
      return "why" in found ? found.why.message : "";
    };
    expect(ALL.filter((state) => said(on(state, "now")) === "deployCluster")).toEqual(retried);
    expect(ALL.filter((state) => message(state).includes("or request a retry"))).toEqual(retried);
  });
});

describe("a locked cluster", () => {
  const clusterLock = { reason: "new nodes", ownerName: "ops", lockedAt: "2026-11-20T10:00:00Z", ttlInDays: 2 };
  const locked = (state: string) => listed(state, { clusterLock, nextK8sAvailableVersion: "1.34" });

  it.each<[what: string, spec: object, state: string]>([
    ["stopped", { runState: "Stopped" }, "DEPLOYED"],
    ["deployed", { runState: "Running" }, "STOPPED"],
    ["upgraded", { kubernetesVersion: "1.34" }, "DEPLOYED"],
  ])("is not %s, and the message names who locked it", (_, spec, state) => {
    const context = clusterContext({}, spec);
    expect(plan(context, locked(state))).toMatchObject({
      is: "waiting",
      why: { reason: "ClusterLocked", message: expect.stringContaining('by "ops" (reason: new nodes)') },
    });
    const reported = report(context, locked(state));
    expect(reported.conditions).toContainEqual(expect.objectContaining({ type: "Locked", status: "True" }));
    expect(reported.status).toMatchObject({ lock: clusterLock });
    expect(plan(clusterContext({ goal: "stopped" }, spec), locked("DEPLOYED"))).toMatchObject({ is: "waiting" });
    expect(plan(context, listed(state, { nextK8sAvailableVersion: "1.34" })).is).toBe("step");
  });

  it("that is as the spec says is settled", () => {
    expect(plan(clusterContext({}, { runState: "Running" }), locked("DEPLOYED"))).toEqual({ is: "settled" });
  });
});

describe("a cluster that others started", () => {
  it("is reported as drift, and stopped on request", () => {
    const change = { memory: { runState: "Stopped" } } as const;
    const planned = (more: object) =>
      plan(clusterContext({ ...change, ...more }, { runState: "Stopped" }), listed("DEPLOYED"));
    expect(planned({})).toMatchObject({ is: "stalled", why: { reason: "DriftDetected" } });
    expect(planned({ requested: "now" })).toMatchObject({ is: "step", step: { op: "stopCluster" } });
  });
});

describe("steps that a policy blocks", () => {
  const context = (spec: object) =>
    clusterContext({ blockedOperations: new Set(["stopCluster", "upgradeCluster"]) }, spec);
  it("are skipped", () => {
    expect(plan(context({ runState: "Stopped" }), listed("DEPLOYED"))).toEqual({ is: "settled" });
    const offered = listed("DEPLOYED", { nextK8sAvailableVersion: "1.34" });
    expect(plan(context({ kubernetesVersion: "1.34" }), offered)).toEqual({ is: "settled" });
    expect(report(context({ kubernetesVersion: "1.34" }), offered).conditions).toContainEqual(
      expect.objectContaining({ type: "UpToDate", status: "False", reason: "DeployPending" }),
    );
  });
});

describe("the wanted version", () => {
  const saidOf = (wanted: string, runs: string | undefined, next: string | undefined): string => {
    const observed = listed("DEPLOYED", next === undefined ? {} : { nextK8sAvailableVersion: next });
    const cluster = { id: CLUSTER, name: "edge", ...(runs === undefined ? {} : { version: runs }) };
    return said(plan(clusterContext({}, { kubernetesVersion: wanted }), { ...observed, listed: cluster }));
  };
  it.each<[string, string | undefined, string | undefined, string]>([
    ["1.34", "1.33", "1.34", "upgradeCluster"],
    ["1.34", "v1.33.7-eks", "1.34", "upgradeCluster"],
    ["1.34", "1.34", "1.35", "settled"],
    ["1.9", "1.10", "1.11", "settled"],
    ["1.34", "1.35", undefined, "settled"],
    ["1.35", "1.33", "1.34", "VersionNotAvailable"],
    ["1.34", "1.33", undefined, "VersionNotAvailable"],
    ["1.34", undefined, "1.34", "upgradeCluster"],
    ["1.34", "newest", "1.35", "VersionNotAvailable"],
  ])("%s where %s runs and %s is next: %s", (wanted, runs, next, expected) => {
    expect(saidOf(wanted, runs, next)).toBe(expected);
  });

  it("is named where it runs", () => {
    const observed = { ...listed("DEPLOYED"), listed: { id: CLUSTER, name: "edge", version: "1.34" } };
    expect(report(clusterContext({}, { kubernetesVersion: "1.34" }), observed).conditions).toContainEqual(
      expect.objectContaining({ type: "UpToDate", status: "True", message: "Kubernetes 1.34 runs." }),
    );
  });

  it.each<[string, string | undefined, number, string]>([
    ["is waited for where the list lags behind", undefined, 1, "Upgrading"],
    ["has failed where it is offered again", "1.34", 1, "UpgradeFailed"],
    ["is asked for again by a new generation", "1.34", 2, "Upgrading"],
  ])("that was requested %s", (_name, next, generation, reason) => {
    const lastOrder = { operation: "Upgrade" as const, kubernetesVersion: "1.34", generation: 1 };
    const context = clusterContext({ generation, memory: { lastOrder } }, { kubernetesVersion: "1.34" });
    const observed = listed("DEPLOYED", next === undefined ? {} : { nextK8sAvailableVersion: next });
    const found = plan(context, observed);
    expect(found.is === "step").toBe(generation === 2);
    expect(found).toMatchObject(found.is === "step" ? { step: { why: { reason } } } : { why: { reason } });
  });

  it("is not requested while the cluster does not run", () => {
    const stopped = listed("STOPPED", { nextK8sAvailableVersion: "1.34" });
    for (const runState of ["Stopped", undefined]) {
      expect(plan(clusterContext({}, { runState, kubernetesVersion: "1.34" }), stopped)).toEqual({ is: "settled" });
    }
  });
});
