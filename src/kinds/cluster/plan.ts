/**
 * Plans a cluster: a list of checks, of which the first difference wins. When its resource is deleted, a cluster is
 * stopped or left as it is, never deleted. Pure.
 */
import type { DriftField, Plan } from "../../engine/contract/kind.ts";
import { unclearStop, unknownState } from "../service/messages.ts";
import { firstOf, stalled } from "../shared/checks.ts";
import { clusterNotAllowed } from "../shared/limits.ts";
import { reasonNotFound } from "../shared/names.ts";
import { isOpen, planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import { type RunFacts, type RunState, scheduledPlan } from "../shared/run-schedule.ts";
import {
  type Action,
  type ClusterContext,
  clusterFailure,
  faultOf,
  unshownCluster,
  type Observed,
  shownPhase,
  working,
} from "./model.ts";
import { checkProven, planRequest, pendingOperation, refusal } from "./operation.ts";
import { clusterRun, RUN_NAMES, runStateDrift, shownRunState } from "./run.ts";
import { checkToken } from "./token.ts";
import { checkClusterVersion, isUpgradeRetried } from "./version.ts";

type Check = Plan<Action> | undefined;

/** Returns the next step. Clusters are adopted, never created. */
export function plan(context: ClusterContext, observed: Observed): Plan<Action> {
  const run = clusterRun(context, observed);
  const next = context.goal === "present" ? planPresent(context, observed, run) : planRemoval(context, observed);
  return scheduledPlan(RUN_NAMES, context, run, next);
}

function planPresent(context: ClusterContext, observed: Observed, run: RunFacts): Plan<Action> {
  const { listed } = observed;
  if (typeof listed === "string" && isOpen(listed)) return planUnshown(context, listed, unshownCluster(context));
  const refused = refusal(context, observed);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.identitySource !== "recorded") return { is: "adopt", id: context.spec.externalId };
  return firstOf<Action>(context, [
    () => checkProgress(context, observed),
    () => checkClusterRunState(context, observed, run),
    () => checkClusterVersion(context, observed, run.wanted),
    () => checkFailure(context, observed, run),
    () => checkCredentials(context, observed),
    () => checkToken(context, observed, run.wanted),
  ]);
}

function checkProgress(context: ClusterContext, observed: Observed): Check {
  const open = pendingOperation(context, observed);
  if (open !== undefined) return { is: "waiting", why: open };
  const state = observed.status?.status ?? "";
  switch (shownPhase(observed)) {
    case "busy":
      return { is: "waiting", why: working(context, state) };
    case "unknown":
      return { is: "unknown", why: unknownState(state, "cluster"), condition: "ClusterDeployed" };
    case "gone":
      return stalled("ExternalResourceDeleted", "The cluster was deleted on the platform. Delete this resource.");
    default:
      return undefined;
  }
}

function checkFailure(context: ClusterContext, observed: Observed, { wanted }: RunFacts): Check {
  if (shownPhase(observed) !== "failed") return undefined;
  const isStartable = wanted === "Running" && context.isFull;
  const isRetried = wanted === "Stopped" || isStartable || isUpgradeRetried(context, observed);
  return { is: "stalled", why: clusterFailure(observed.status?.status ?? "", isRetried) };
}

function checkCredentials({ spec: { credentialsId } }: ClusterContext, { credentials }: Observed): Check {
  if (credentialsId === undefined || credentials?.is !== "failed") return undefined;
  const { error } = credentials;
  if (error.failure.is === "NotFound") {
    return { is: "stalled", why: reasonNotFound("credentials", credentialsId, "the organization") };
  }
  return faultOf(error);
}

/** Returns the plan for the goals "stopped" and "absent". */
function planRemoval(context: ClusterContext, observed: Observed): Plan<Action> {
  if (typeof observed.listed === "string") return planUnshownRemoval(observed.listed, unshownCluster(context));
  if (context.goal === "absent") return stalled("DeleteNotSupported", "The operator does not delete clusters.");
  const notAllowed = clusterNotAllowed(context) ?? checkProven(context, observed);
  if (notAllowed !== undefined) return { is: "stalled", why: notAllowed };
  const open = pendingOperation(context, observed);
  if (open !== undefined) return { is: "waiting", why: open };
  const state = observed.status?.status ?? "";
  const phase = shownPhase(observed);
  switch (phase) {
    case "stopped":
    case "idle":
    case "gone":
      return { is: "settled" };
    case "busy":
      return { is: "waiting", why: working(context, state) };
    case "unknown":
      return { is: "waiting", why: unclearStop(state, "cluster") };
    case "failed":
      return isRepairable(context, observed, "Stopped")
        ? planRequest(context, observed, { operation: "Stop" })
        : { is: "stalled", why: clusterFailure(state) };
    case "running":
      return planRequest(context, observed, { operation: "Stop" });
    case undefined:
      return context.memory.runState === "Stopped"
        ? { is: "settled" }
        : planRequest(context, observed, { operation: "Stop" });
    default:
      return phase satisfies never;
  }
}

/** Stops or starts the cluster where that is due. */
function checkClusterRunState(context: ClusterContext, observed: Observed, run: RunFacts): Check {
  const { wanted } = run;
  if (wanted === undefined || shownRunState(observed) === wanted) return undefined;
  if (shownPhase(observed) === undefined) return checkHiddenState(context, observed, wanted);
  const step: Action = wanted === "Stopped" ? { operation: "Stop" } : { operation: "Start" };
  const drift = runStateDrift(context, observed, run);
  if (drift.length > 0 && context.requested === undefined) {
    if (context.policies.corrects === "Everything")
      return planRequest(context, observed, step, { corrects: true, changes: drift });
    return changedByOthers(wanted);
  }
  if (shownPhase(observed) === "failed" && !isRepairable(context, observed, wanted)) return undefined;
  return planRequest(context, observed, step, { changes: changeTo(wanted, observed) });
}

/**
 * Reports whether a failed cluster may be changed: it may be stopped, but a failed stop is repeated on request only.
 */
function isRepairable(
  { requested, memory, resource: { generation } }: ClusterContext,
  observed: Observed,
  wanted: RunState,
): boolean {
  if (requested !== undefined) return true;
  const { lastOrder } = memory;
  const isOurs = lastOrder?.operation === "Stop" && lastOrder.generation === generation;
  return wanted === "Stopped" && !(isOurs && observed.status?.status === "STOP_ERROR");
}

/** Handles a cluster that is not shown: a stop is requested once, or when the user asks; there is no start. */
function checkHiddenState(context: ClusterContext, observed: Observed, wanted: RunState): Plan<Action> | undefined {
  const isStopped = context.memory.runState === "Stopped";
  if (wanted === "Running") {
    if (!isStopped) return undefined;
    const message =
      "The cluster was stopped, and the platform's surface has no start of clusters. Start it on the platform, then remove spec.runState; or set it to Stopped.";
    return stalled("NotSupportedByPlatform", message);
  }
  if (isStopped && (context.requested === undefined || observed.isRequestSent)) return undefined;
  return planRequest(context, observed, { operation: "Stop" }, { changes: changeTo(wanted, observed) });
}

function changeTo(desired: RunState, observed: Observed): readonly DriftField[] {
  return [{ path: "spec.runState", desired, observed: shownRunState(observed) ?? "unknown" }];
}

function changedByOthers(wanted: RunState): Plan<never> {
  const [what, is] = wanted === "Running" ? ["stopped", "Running"] : ["started", "Stopped"];
  const message = `The cluster was ${what} on the platform, but spec.runState is ${is}. Undo it with the annotation platform-operator.io/reconcile-requested-at or with driftPolicy Correct, or change spec.runState.`;
  return stalled("DriftDetected", message);
}
