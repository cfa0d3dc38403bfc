/** Whether a cluster is to run, and what others changed about it. Pure. */
import type { DriftField } from "../../engine/contract/kind.ts";
import { type RunFacts, runFacts, type RunState } from "../shared/run-schedule.ts";
import { type ClusterContext, type Observed, shownPhase } from "./model.ts";
import { pendingOperation } from "./operation.ts";

/** How messages name clusters, and the operations that start and stop them. */
export const RUN_NAMES = {
  noun: "cluster",
  plural: "clusters",
  operations: { deploy: "deployCluster", stop: "stopCluster" },
} as const;

/** Returns whether the cluster is to run now. @param observed absent before anything was read */
export function clusterRun(context: ClusterContext, observed?: Observed): RunFacts {
  const isShown = observed !== undefined && pendingOperation(context, observed) === undefined;
  return runFacts(RUN_NAMES, context, isShown ? shownRunState(observed) : undefined);
}

/** Reports whether the cluster runs, where the platform shows it. A cluster that was never deployed does not run. */
export function shownRunState(observed: Observed): RunState | undefined {
  const phase = shownPhase(observed);
  if (phase === "running") return "Running";
  return phase === "stopped" || phase === "idle" ? "Stopped" : undefined;
}

/** Returns the run state that is wanted and that was reached: a later difference was made by others. */
export function reachedRunState(
  { memory, goal }: ClusterContext,
  observed: Observed,
  { wanted }: RunFacts,
): RunState | undefined {
  if (goal !== "present") return memory.runState;
  // Where no run state is wanted, a state that was reached earlier does not count.
  if (wanted === undefined) return undefined;
  return shownRunState(observed) === wanted ? wanted : memory.runState;
}

/** Returns the drift of a run state that others changed after it was reached. */
export function runStateDrift(
  { memory }: ClusterContext,
  observed: Observed,
  { wanted }: RunFacts,
): readonly DriftField[] {
  const actual = shownRunState(observed);
  if (wanted === undefined || actual === undefined || actual === wanted || memory.runState !== wanted) return [];
  return [{ path: "spec.runState", desired: wanted, observed: actual }];
}
