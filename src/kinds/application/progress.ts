/** The progress of a commit's deployment, and what is deployed (docs/architecture.md §2). Pure. */
import { hasFailed } from "../service/baseline.ts";
import { advanced, progressOf as serviceProgress, type Progress } from "../service/progress.ts";
import type { LastDeployment } from "./crd.ts";
import { deployedCommit, lastDeployment } from "./deployment.ts";
import type { ApplicationContext, Seen } from "./model.ts";

/** Returns the progress of the application. */
export function progressOf(context: ApplicationContext, seen: Seen): Progress | undefined {
  return serviceProgress(context.memory.lastDeployment, seen);
}

/** Returns the last deployment with what is known now. It ends when its state does. */
export function followed(context: ApplicationContext, seen: Seen): LastDeployment | undefined {
  return advanced(lastDeployment(context, seen), progressOf(context, seen), seen, context.now);
}

/** Returns the failed deployment, if it was the operator's: a failure may be of somebody else's, or of a stop. */
export function failedDeployment(context: ApplicationContext, seen: Seen): LastDeployment | undefined {
  const last = followed(context, seen);
  return last?.startedAt !== undefined && hasFailed(last) ? last : undefined;
}

/** Returns the running commit: the platform's word, else that of the last successful deployment. */
export function runningCommit(context: ApplicationContext, seen: Seen): string | undefined {
  const last = followed(context, seen);
  return deployedCommit(context, seen) ?? (last === undefined || hasFailed(last) ? undefined : last.gitCommitId);
}
