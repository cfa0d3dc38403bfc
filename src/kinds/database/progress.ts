/** The progress of a database, and why it is to be deployed. Pure. */
import { everDeployed, hasFailed } from "../service/baseline.ts";
import { advanced, progressOf as serviceProgress, type Progress } from "../service/progress.ts";
import { revisionOf } from "../service/settings.ts";
import { shownState } from "../service/words.ts";
import type { DatabaseDeployment } from "./crd.ts";
import type { DatabaseContext, Seen } from "./model.ts";

/** Returns the progress of the database; undefined where nothing of it is observed. */
export function progressOf(context: DatabaseContext, seen: Seen): Progress | undefined {
  return seen.unseen === undefined ? serviceProgress(context.memory.lastDeployment, seen) : undefined;
}

/**
 * Returns the last deployment. What was deployed before the operator's first reconcile, or before the status was lost,
 * counts as it is and is not deployed again.
 */
function lastDeployment({ memory, now }: DatabaseContext, { status }: Seen): DatabaseDeployment | undefined {
  if (memory.lastDeployment !== undefined || status === undefined || !everDeployed(status))
    return memory.lastDeployment;
  return { state: shownState(status.state), finishedAt: now.toISOString(), settings: revisionOf(memory) };
}

/** Returns the last deployment with what is known now. It ends when its state does. */
export function followed(context: DatabaseContext, seen: Seen): DatabaseDeployment | undefined {
  return advanced(lastDeployment(context, seen), progressOf(context, seen), seen, context.now);
}

/** Returns the failed deployment, if it was the operator's: a failure may be of somebody else's, or of a stop. */
export function failedDeployment(context: DatabaseContext, seen: Seen): DatabaseDeployment | undefined {
  const last = followed(context, seen);
  return last?.startedAt !== undefined && hasFailed(last) ? last : undefined;
}

/**
 * Reports whether settings were written since the last deployment, or there was none; never the platform's OUT_OF_DATE.
 */
export function isPending(
  { memory, policies: { pendingOperations } }: DatabaseContext,
  last: DatabaseDeployment | undefined,
): boolean {
  return last === undefined || pendingOperations.has("updateDatabase") || revisionOf(memory) !== (last.settings ?? 0);
}
