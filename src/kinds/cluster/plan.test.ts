import { describe, expect, it } from "vitest";

import { CLUSTER, clusterContext, listed } from "../../../test/support/kinds/cluster-contexts.ts";
import type { ContextChange } from "../../../test/support/kinds/contexts.ts";
import type { Plan } from "../../engine/contract/kind.ts";
import { clusterPhase, clusterStates } from "../../platform/codec/states.ts";
import type { ClusterMemory, ClusterOperation } from "./crd.ts";
import { type ClusterContext, NOTHING_OBSERVED, type Observed } from "./model.ts";
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

const conditions = (context: ClusterContext, observed: Observed): readonly string[] =>
  report(context, observed).conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
const saidIn = (state: string, runState?: string): string =>
  said(plan(clusterContext({}, { runState }), listed(state)));

describe("a cluster", () => {
  it("[C5] has a plan in each of the 24 documented states", () => {
    expect(Object.keys(TABLE).toSorted()).toEqual([...clusterStates].toSorted());
  });

  it.each(Object.entries(TABLE))("[C5] in state %s is planned for each run state: %j", (state, row) => {
    expect(["Running", "Stopped", undefined].map((runState) => saidIn(state, runState))).toEqual(row);
  });

  it.each(Object.keys(TABLE))("[C5] in state %s has it as the reason of ClusterDeployed", (state) => {
    const status = state === "DEPLOYED" || state === "RESTARTED" ? "True" : "False";
    expect(conditions(clusterContext(), listed(state))).toContain(`ClusterDeployed ${status} ${state}`);
  });

  it("[C5] in a state of the future waits, and shows it", () => {
    expect(saidIn("HIBERNATING", "Running")).toBe("UnknownState");
    expect(conditions(clusterContext(), listed("HIBERNATING"))).toContain("ClusterDeployed Unknown HIBERNATING");
  });
});

describe("a failed cluster", () => {
  const ALL = clusterStates.filter((state) => clusterPhase(state) === "failed");
  const OF_UPGRADES = ["BUILD_ERROR", "CANCELED", "DEPLOYMENT_ERROR", "INVALID_CREDENTIALS"];
  const wanted = { kubernetesVersion: "1.34" };
  const after = (operation: ClusterOperation["operation"]) => ({ memory: { lastOrder: { operation, generation: 1 } } });

  it.each<[string, object, ContextChange<ClusterContext>, readonly string[]]>([
    ["that is to run", { runState: "Running" }, {}, ALL],
    ["that is left alone", {}, {}, []],
    ["whose upgrade failed", wanted, after("Upgrade"), OF_UPGRADES],
    ["whose deployment before an upgrade failed", wanted, after("Start"), OF_UPGRADES],
    ["that others failed to upgrade", wanted, {}, []],
    ["that runs the version", { kubernetesVersion: "1.33" }, after("Upgrade"), []],
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
    expect(conditions(context, locked(state))).toContainEqual(expect.stringMatching(/^Locked True /));
    expect(report(context, locked(state)).status).toMatchObject({ lock: clusterLock });
    expect(plan(clusterContext({ goal: "stopped" }, spec), locked("DEPLOYED"))).toMatchObject({ is: "waiting" });
    expect(plan(context, listed(state, { nextK8sAvailableVersion: "1.34" })).is).toBe("step");
  });

  it("that is not shown is left alone until the lock ends or the user asks", () => {
    const saidWith = (change: ContextChange<ClusterContext>) =>
      saidUnseen(unseen({ memory: { lock: clusterLock }, ...change }, { runState: "Stopped" }));
    const afterEnd = { now: new Date("2026-11-22T10:00:01Z") };
    expect(saidWith({})).toBe("ClusterLocked");
    expect(saidWith({ requested: "now" })).toBe("stopCluster");
    expect(saidWith(afterEnd)).toBe("stopCluster");
    const ended = unseen({ memory: { lock: clusterLock, state: "DEPLOYED" }, ...afterEnd });
    expect(conditions(ended, NOTHING_OBSERVED)).toContain("Locked Unknown NotObservable");
  });

  it("that is as the spec says is settled", () => {
    expect(plan(clusterContext({}, { runState: "Running" }), locked("DEPLOYED"))).toEqual({ is: "settled" });
  });
});

it.each([
  ["Stopped", "DEPLOYED", "Running", "stopCluster"],
  ["Running", "STOPPED", "Stopped", "deployCluster"],
] as const)("one of runState %s that others changed to %s is drift; that is undone where it may be", (...row) => {
  const [runState, state, observed, op] = row;
  const contextOf = (change: object = {}) => clusterContext({ memory: { runState }, ...change }, { runState });
  const changes = [{}, { corrects: "Nothing" }, { corrects: "Everything" }, { requested: "now" }];
  const planned = changes.map((change) => said(plan(contextOf(change), listed(state))));
  expect(planned).toEqual(["DriftDetected", "DriftDetected", op, op]);
  expect(report(contextOf(), listed(state)).drift).toEqual([{ path: "spec.runState", desired: runState, observed }]);
});

it("steps that a policy blocks are skipped", () => {
  const blockedOperations = new Set(["stopCluster", "upgradeCluster"]);
  const upgraded = clusterContext({ blockedOperations }, { kubernetesVersion: "1.34" });
  const offered = listed("DEPLOYED", { nextK8sAvailableVersion: "1.34" });
  expect(plan(clusterContext({ blockedOperations }, { runState: "Stopped" }), offered)).toEqual({ is: "settled" });
  expect(plan(upgraded, offered)).toEqual({ is: "settled" });
  expect(conditions(upgraded, offered)).toContain("UpToDate False DeployPending");
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
    const observed = listed("DEPLOYED", next === undefined ? {} : { nextK8sAvailableVersion: next });
    const found = plan(clusterContext({ generation, memory: { lastOrder } }, { kubernetesVersion: "1.34" }), observed);
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

const unseen = (change: ContextChange<ClusterContext> = {}, spec: object = {}): ClusterContext =>
  clusterContext({ surface: "Documented", allowUnverifiedIds: true, ...change }, spec);

const saidUnseen = (context: ClusterContext): string => said(plan(context, NOTHING_OBSERVED));

describe("a cluster that nothing proves to be the organization's", () => {
  const refused = { allowUnverifiedIds: false };
  const verified = { ...refused, memory: { verified: true } };
  const version = { kubernetesVersion: "1.34" };

  it.each<[string, ContextChange<ClusterContext>, object, string]>([
    ["taken over", { identitySource: "given" }, version, "adopt"],
    ["upgraded", { memory: { nextKubernetesVersion: "1.34" } }, version, "upgradeCluster"],
  ])("is not %s where the connection does not accept its id, unless a request proved it", (_name, change, spec, op) => {
    const planned = (more: ContextChange<ClusterContext>) =>
      saidUnseen(unseen({ ...change, ...more, memory: { ...change.memory, ...more.memory } }, spec));
    expect(planned(refused)).toBe("NotObservable");
    expect(planned({})).toBe(op);
    expect(planned(verified)).toBe(op);
  });

  it.each<[string, ContextChange<ClusterContext>, string]>([
    ["is taken over to be stopped", { identitySource: "given" }, "adopt"],
    ["is stopped", {}, "stopCluster"],
    ["is stopped when its resource is deleted", { goal: "stopped" }, "stopCluster"],
  ])("%s by any connection: the request names the organization, which proves it", (_name, change, op) => {
    expect(saidUnseen(unseen({ ...refused, ...change }, { runState: "Stopped" }))).toBe(op);
  });
});

it.each<[string, ClusterMemory, string]>([
  ["of others", {}, "stopCluster"],
  ["of an earlier generation", { lastOrder: { operation: "Stop", generation: 0 } }, "stopCluster"],
  ["after another request", { lastOrder: { operation: "Upgrade", generation: 1 } }, "stopCluster"],
  ["of this deletion", { lastOrder: { operation: "Stop", generation: 1 } }, "StopFailed"],
])("a deletion that stops the cluster finds a failed stop %s: %j: %s", (_whose, memory, expected) => {
  expect(said(plan(clusterContext({ goal: "stopped", memory }), listed("STOP_ERROR")))).toBe(expected);
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
    expect(saidUnseen(unseen({ memory, generation: 2 }, { kubernetesVersion }))).toBe(expected);
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
    const conditions: unknown = expect.arrayContaining([upToDate]);
    expect(say({})).toMatchObject({ ready: { reason: "NotObservable" }, conditions });
    expect(say({ lastOrder: upgraded })).toMatchObject({ ready: { reason: "NotObservable" }, conditions });
  });
});

it.each([
  ["STOP_QUEUED", "NotObservable"],
  [undefined, "NotObservable"],
  ["STOPPED", "Stopped"],
])("the stop of a cluster that is not shown is reported after the answer %s as %s", (state, reason) => {
  const memory = { runState: "Stopped", lastOrder: { operation: "Stop", generation: 1 }, state } as const;
  const context = unseen({ memory }, { runState: "Stopped" });
  expect(saidUnseen(context)).toBe("settled");
  expect(report(context, NOTHING_OBSERVED).ready.reason).toBe(reason);
  const asked = { ...context, requested: "now" };
  expect(saidUnseen(asked)).toBe("stopCluster");
  expect(said(plan(asked, { ...NOTHING_OBSERVED, isRequestSent: true }))).toBe("settled");
});
