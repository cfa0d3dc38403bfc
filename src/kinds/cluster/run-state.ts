/** Running or stopped. Pure. */
import type { DriftField, Plan } from "../../engine/contract/kind.ts";
import { stalled } from "../service/steps.ts";
import { shownPhase, type ClusterContext, type Do, type Seen } from "./model.ts";
import { give } from "./order.ts";

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
export function checkRunState(context: ClusterContext, seen: Seen): Plan<Do> | undefined {
  const { runState: wanted } = context.spec;
  if (wanted === undefined || shownRunState(seen) === wanted) return undefined;
  if (shownPhase(seen) === undefined) return checkUnseen(context, seen, wanted);
  const step: Do = wanted === "Stopped" ? { what: "stop" } : { what: "start" };
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
    return stalled(
      "NotSupportedByApi",
      "The cluster was stopped, and the platform's surface has no start of clusters. Start it on the platform, then remove spec.runState; or set it to Stopped.",
    );
  }
  if (isStopped && (context.requested === undefined || seen.ordered)) return undefined;
  return give(context, seen, { what: "stop" }, { changes: changeTo(wanted, seen) });
}

function changeTo(desired: RunState, seen: Seen): readonly DriftField[] {
  return [{ path: "spec.runState", desired, observed: shownRunState(seen) ?? "unknown" }];
}

function changedByOthers(wanted: RunState): Plan<never> {
  const [what, is] = wanted === "Running" ? ["stopped", "Running"] : ["started", "Stopped"];
  return stalled(
    "DriftDetected",
    `The cluster was ${what} on the platform, but spec.runState is ${is}. Undo it with the annotation platform-operator.io/reconcile-requested-at or with driftPolicy Correct, or change spec.runState.`,
  );
}
