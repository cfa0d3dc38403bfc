/**
 * Plans a cluster: a list of checks, of which the first difference wins. When its resource is deleted, a cluster is
 * stopped or left as it is, never deleted. Pure.
 */
import type { DriftField, Plan } from "../../engine/contract/kind.ts";
import { unclearStop, unknownState } from "../service/messages.ts";
import { firstOf, stalled } from "../shared/checks.ts";
import { clusterNotAllowed } from "../shared/limits.ts";
import { notThere } from "../shared/names.ts";
import { isOpen, planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import {
  type Action,
  type ClusterContext,
  clusterFailure,
  faultOf,
  missed,
  type Observed,
  shownPhase,
  working,
} from "./model.ts";
import { checkProven, give, openOrder, refusal } from "./order.ts";
import { checkToken } from "./token.ts";
import { checkClusterVersion, isUpgradeRetried } from "./version.ts";

type Check = Plan<Action> | undefined;

/** Returns the next step. Clusters are adopted, never created. */
export function plan(context: ClusterContext, observed: Observed): Plan<Action> {
  if (context.goal !== "present") return planRemoval(context, observed);
  const { listed } = observed;
  if (typeof listed === "string" && isOpen(listed)) return planUnshown(context, listed, missed(context));
  const refused = refusal(context, observed);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.identitySource !== "recorded") return { is: "adopt", id: context.spec.externalId };
  return firstOf<Action>(context, [
    () => checkProgress(context, observed),
    () => checkClusterRunState(context, observed),
    () => checkClusterVersion(context, observed),
    () => checkFailure(context, observed),
    () => checkCredentials(context, observed),
    () => checkToken(context, observed),
  ]);
}

function checkProgress(context: ClusterContext, observed: Observed): Check {
  const open = openOrder(context, observed);
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

function checkFailure(context: ClusterContext, observed: Observed): Check {
  if (shownPhase(observed) !== "failed") return undefined;
  const { spec, isFull } = context;
  const isStartable = spec.runState === "Running" && isFull;
  const isRetried = spec.runState === "Stopped" || isStartable || isUpgradeRetried(context, observed);
  return { is: "stalled", why: clusterFailure(observed.status?.status ?? "", isRetried) };
}

function checkCredentials({ spec: { credentialsId } }: ClusterContext, { credentials }: Observed): Check {
  if (credentialsId === undefined || credentials?.is !== "failed") return undefined;
  const { error } = credentials;
  if (error.failure.is === "NotFound") {
    return { is: "stalled", why: notThere("credentials", credentialsId, "the organization") };
  }
  return faultOf(error);
}

/** Returns the plan for the goals "stopped" and "absent". */
export function planRemoval(context: ClusterContext, observed: Observed): Plan<Action> {
  if (typeof observed.listed === "string") return planUnshownRemoval(observed.listed, missed(context));
  if (context.goal === "absent") return stalled("DeleteNotSupported", "The operator does not delete clusters.");
  const notAllowed = clusterNotAllowed(context) ?? checkProven(context, observed);
  if (notAllowed !== undefined) return { is: "stalled", why: notAllowed };
  const open = openOrder(context, observed);
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
        ? give(context, observed, { operation: "Stop" })
        : { is: "stalled", why: clusterFailure(state) };
    case "running":
      return give(context, observed, { operation: "Stop" });
    case undefined:
      return context.memory.runState === "Stopped" ? { is: "settled" } : give(context, observed, { operation: "Stop" });
    default:
      return phase satisfies never;
  }
}

type RunState = NonNullable<ClusterContext["spec"]["runState"]>;

/** Reports whether the cluster runs, where the platform shows it. A cluster that was never deployed does not run. */
export function shownRunState(observed: Observed): RunState | undefined {
  const phase = shownPhase(observed);
  if (phase === "running") return "Running";
  return phase === "stopped" || phase === "idle" ? "Stopped" : undefined;
}

/** Returns the run state that the spec wants and that was reached: a later difference was made by others. */
export function reachedRunState({ spec, memory, goal }: ClusterContext, observed: Observed): RunState | undefined {
  if (goal !== "present") return memory.runState;
  // Without spec.runState, a state that was reached earlier does not count.
  if (spec.runState === undefined) return undefined;
  return shownRunState(observed) === spec.runState ? spec.runState : memory.runState;
}

/** Returns the drift of a run state that others changed after it was reached. */
export function runStateDrift({ spec, memory }: ClusterContext, observed: Observed): readonly DriftField[] {
  const { runState: wanted } = spec;
  const actual = shownRunState(observed);
  if (wanted === undefined || actual === undefined || actual === wanted || memory.runState !== wanted) return [];
  return [{ path: "spec.runState", desired: wanted, observed: actual }];
}

/** Stops or starts the cluster where that is due. */
export function checkClusterRunState(context: ClusterContext, observed: Observed): Plan<Action> | undefined {
  const { runState: wanted } = context.spec;
  if (wanted === undefined || shownRunState(observed) === wanted) return undefined;
  if (shownPhase(observed) === undefined) return checkUnseen(context, observed, wanted);
  const step: Action = wanted === "Stopped" ? { operation: "Stop" } : { operation: "Start" };
  const drift = runStateDrift(context, observed);
  if (drift.length > 0 && context.requested === undefined) {
    if (context.policies.corrects === "Everything")
      return give(context, observed, step, { corrects: true, changes: drift });
    return changedByOthers(wanted);
  }
  if (shownPhase(observed) === "failed" && !isRepairable(context, observed, wanted)) return undefined;
  return give(context, observed, step, { changes: changeTo(wanted, observed) });
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
function checkUnseen(context: ClusterContext, observed: Observed, wanted: RunState): Plan<Action> | undefined {
  const isStopped = context.memory.runState === "Stopped";
  if (wanted === "Running") {
    if (!isStopped) return undefined;
    const message =
      "The cluster was stopped, and the platform's surface has no start of clusters. Start it on the platform, then remove spec.runState; or set it to Stopped.";
    return stalled("NotSupportedByPlatform", message);
  }
  if (isStopped && (context.requested === undefined || observed.ordered)) return undefined;
  return give(context, observed, { operation: "Stop" }, { changes: changeTo(wanted, observed) });
}

function changeTo(desired: RunState, observed: Observed): readonly DriftField[] {
  return [{ path: "spec.runState", desired, observed: shownRunState(observed) ?? "unknown" }];
}

function changedByOthers(wanted: RunState): Plan<never> {
  const [what, is] = wanted === "Running" ? ["stopped", "Running"] : ["started", "Stopped"];
  const message = `The cluster was ${what} on the platform, but spec.runState is ${is}. Undo it with the annotation platform-operator.io/reconcile-requested-at or with driftPolicy Correct, or change spec.runState.`;
  return stalled("DriftDetected", message);
}
