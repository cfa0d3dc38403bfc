/** Plans a cluster: a list of checks, of which the first difference wins. A cluster is stopped or left
 * as it is when its resource is deleted, never deleted. Pure. */
import type { DriftField, Plan } from "../../engine/contract/kind.ts";
import { unknownState } from "../service/messages.ts";
import { firstOf, stalled } from "../shared/checks.ts";
import { clusterNotAllowed } from "../shared/limits.ts";
import { notThere } from "../shared/names.ts";
import { isOpen, planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import {
  type ClusterContext,
  clusterFailure,
  type Do,
  faultOf,
  missed,
  type Seen,
  shownPhase,
  working,
} from "./model.ts";
import { checkProven, give, openOrder, refusal } from "./order.ts";
import { checkToken } from "./token.ts";
import { checkClusterVersion } from "./version.ts";

type Check = Plan<Do> | undefined;

/** Returns the next step. Clusters are adopted, never created. */
export function plan(context: ClusterContext, seen: Seen): Plan<Do> {
  if (context.goal !== "present") return planRemoval(context, seen);
  const { listed } = seen;
  if (typeof listed === "string" && isOpen(listed)) return planUnshown(context, listed, missed(context));
  const refused = refusal(context, seen);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.identitySource !== "recorded") return { is: "adopt", id: context.spec.externalId };
  return firstOf<Do>(context, [
    () => checkProgress(context, seen),
    () => checkClusterRunState(context, seen),
    () => checkClusterVersion(context, seen),
    () => checkFailure(seen),
    () => checkCredentials(context, seen),
    () => checkToken(context, seen),
  ]);
}

function checkProgress(context: ClusterContext, seen: Seen): Check {
  const open = openOrder(context, seen);
  if (open !== undefined) return { is: "waiting", why: open };
  const state = seen.status?.status ?? "";
  switch (shownPhase(seen)) {
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

function checkFailure(seen: Seen): Check {
  return shownPhase(seen) === "failed" ? { is: "stalled", why: clusterFailure(seen.status?.status ?? "") } : undefined;
}

function checkCredentials({ spec: { credentialsId } }: ClusterContext, { credentials }: Seen): Check {
  if (credentialsId === undefined || credentials?.is !== "failed") return undefined;
  const { error } = credentials;
  if (error.failure.is === "NotFound") {
    return { is: "stalled", why: notThere("credentials", credentialsId, "the organization") };
  }
  return faultOf(error);
}

/** Returns the plan for the goals "stopped" and "absent". */
export function planRemoval(context: ClusterContext, seen: Seen): Plan<Do> {
  if (typeof seen.listed === "string") return planUnshownRemoval(seen.listed, missed(context));
  if (context.goal === "absent") return stalled("DeleteNotSupported", "The operator does not delete clusters.");
  const notAllowed = clusterNotAllowed(context) ?? checkProven(context, seen);
  if (notAllowed !== undefined) return { is: "stalled", why: notAllowed };
  const open = openOrder(context, seen);
  if (open !== undefined) return { is: "waiting", why: open };
  const state = seen.status?.status ?? "";
  const phase = shownPhase(seen);
  switch (phase) {
    case "stopped":
    case "idle":
    case "gone":
      return { is: "settled" };
    case "busy":
      return { is: "waiting", why: working(context, state) };
    case "unknown":
      return { is: "waiting", why: unknownState(state, "cluster") };
    case "failed":
      return state === "STOP_ERROR" && context.requested === undefined
        ? { is: "stalled", why: clusterFailure(state) }
        : give(context, seen, { operation: "Stop" });
    case "running":
      return give(context, seen, { operation: "Stop" });
    case undefined:
      return context.memory.runState === "Stopped" ? { is: "settled" } : give(context, seen, { operation: "Stop" });
    default:
      return phase satisfies never;
  }
}

type RunState = NonNullable<ClusterContext["spec"]["runState"]>;

/** Reports whether the cluster runs, where the platform shows it. A cluster that was never deployed does not run. */
export function shownRunState(seen: Seen): RunState | undefined {
  const phase = shownPhase(seen);
  if (phase === "running") return "Running";
  return phase === "stopped" || phase === "idle" ? "Stopped" : undefined;
}

/** Returns the run state that the spec wants and that was reached: a later difference was made by others. */
export function reachedRunState({ spec, memory, goal }: ClusterContext, seen: Seen): RunState | undefined {
  if (goal !== "present") return memory.runState;
  // Without a wanted run state, what was reached once does not count.
  if (spec.runState === undefined) return undefined;
  return shownRunState(seen) === spec.runState ? spec.runState : memory.runState;
}

/** Returns the drift of a run state that others changed after it was reached. */
export function runStateDrift({ spec, memory }: ClusterContext, seen: Seen): readonly DriftField[] {
  const { runState: wanted } = spec;
  const observed = shownRunState(seen);
  if (wanted === undefined || observed === undefined || observed === wanted || memory.runState !== wanted) return [];
  return [{ path: "spec.runState", desired: wanted, observed }];
}

/** Stops or starts the cluster where that is due. */
export function checkClusterRunState(context: ClusterContext, seen: Seen): Plan<Do> | undefined {
  const { runState: wanted } = context.spec;
  if (wanted === undefined || shownRunState(seen) === wanted) return undefined;
  if (shownPhase(seen) === undefined) return checkUnseen(context, seen, wanted);
  const step: Do = wanted === "Stopped" ? { operation: "Stop" } : { operation: "Start" };
  const drift = runStateDrift(context, seen);
  if (drift.length > 0 && context.requested === undefined) {
    if (context.policies.corrects === "Everything")
      return give(context, seen, step, { corrects: true, changes: drift });
    return changedByOthers(wanted);
  }
  if (shownPhase(seen) === "failed" && !isRepairable(context, seen, wanted)) return undefined;
  return give(context, seen, step, { changes: changeTo(wanted, seen) });
}

/** A failed cluster may be stopped. A failed stop is repeated on request only, like a deployment. */
function isRepairable(
  { requested, memory, resource: { generation } }: ClusterContext,
  seen: Seen,
  wanted: RunState,
): boolean {
  if (requested !== undefined) return true;
  const { lastOrder } = memory;
  const isOurs = lastOrder?.operation === "Stop" && lastOrder.generation === generation;
  return wanted === "Stopped" && !(isOurs && seen.status?.status === "STOP_ERROR");
}

/** Nothing shows the cluster: a stop is requested once, or when the user asks; there is no start. */
function checkUnseen(context: ClusterContext, seen: Seen, wanted: RunState): Plan<Do> | undefined {
  const isStopped = context.memory.runState === "Stopped";
  if (wanted === "Running") {
    if (!isStopped) return undefined;
    const message =
      "The cluster was stopped, and the platform's surface has no start of clusters. Start it on the platform, then remove spec.runState; or set it to Stopped.";
    return stalled("NotSupportedByApi", message);
  }
  if (isStopped && (context.requested === undefined || seen.ordered)) return undefined;
  return give(context, seen, { operation: "Stop" }, { changes: changeTo(wanted, seen) });
}

function changeTo(desired: RunState, seen: Seen): readonly DriftField[] {
  return [{ path: "spec.runState", desired, observed: shownRunState(seen) ?? "unknown" }];
}

function changedByOthers(wanted: RunState): Plan<never> {
  const [what, is] = wanted === "Running" ? ["stopped", "Running"] : ["started", "Stopped"];
  const message = `The cluster was ${what} on the platform, but spec.runState is ${is}. Undo it with the annotation platform-operator.io/reconcile-requested-at or with driftPolicy Correct, or change spec.runState.`;
  return stalled("DriftDetected", message);
}
