/** The facts of a database that its plan and its report are made of. Pure. */
import { shownState } from "../service/messages.ts";
import { advanced, everDeployed, type ServiceFacts, shownProgress } from "../service/progress.ts";
import { observedRunState } from "../service/report.ts";
import { revisionOf } from "../service/settings.ts";
import { runFacts } from "../shared/run-schedule.ts";
import type { DatabaseDeployment } from "./crd.ts";
import { type DatabaseContext, NAMES, type Observed } from "./model.ts";

export interface DatabaseFacts extends ServiceFacts<DatabaseDeployment> {
  /** Settings were written since the last deployment, or there was none. The platform's OUT_OF_DATE does not count. */
  readonly isPending: boolean;
}

/** Gathers the facts. */
export function databaseFacts(context: DatabaseContext, observed: Observed): DatabaseFacts {
  const { memory, now, policies } = context;
  const progress = shownProgress(context, observed);
  const last = advanced(lastDeployment(context, observed), progress, observed, now);
  const isWritten =
    policies.pendingOperations.has(NAMES.operations.update) || revisionOf(memory) !== (last?.settings ?? 0);
  return {
    progress,
    last,
    run: runFacts(NAMES, context, observedRunState(context, observed)),
    isPending: last === undefined || isWritten,
  };
}

/**
 * Returns the last deployment. A deployment from before the operator's first reconcile, or from before the status was
 * lost, counts and is not repeated.
 */
function lastDeployment({ memory, now }: DatabaseContext, { status }: Observed): DatabaseDeployment | undefined {
  if (memory.lastDeployment !== undefined || status === undefined || !everDeployed(status))
    return memory.lastDeployment;
  return { state: shownState(status.state), finishedAt: now.toISOString(), settings: revisionOf(memory) };
}
