/** Decides whether a deployment is to be started now. Pure. */
import type { Plan, Why } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { hasFailed } from "../service/baseline.ts";
import { type Progress, retryIn, waitToRetry } from "../service/progress.ts";
import { revisionOf } from "../service/settings.ts";
import { startDue } from "../service/steps.ts";
import { orderMark } from "../service/trace.ts";
import { once } from "../shared/checks.ts";
import { deployCause, foreignCommit, lastDeployment, variablesIncluded, type Cause } from "./deployment.ts";
import type { ApplicationContext, Do, Seen } from "./model.ts";
import { followed } from "./progress.ts";
import { failure, shortCommit } from "./words.ts";

/** Returns the step, if one is due: for a cause of the operator's, to start what was stopped, or as another attempt. */
export function checkDeploy(
  context: ApplicationContext,
  seen: Seen,
  status: ServiceStatus,
  progress: Progress,
): Plan<Do> | undefined {
  const { deploy, runState } = context.spec;
  if (deploy === undefined || runState === "Stopped") return undefined;
  const commit = deploy.gitCommitId;
  const last = followed(context, seen);
  const start = startDue(context, progress);
  const cause = causeOf(context, seen, progress);
  if (start !== undefined || deployDue(context, progress, cause)) {
    const corrects = start === "corrects" || (start === undefined && cause === "foreign");
    return deployment(context, status, { commit, corrects, attempts: undefined });
  }
  const left = cause === undefined ? retryIn(context, last, progress) : undefined;
  if (left === undefined || last === undefined) return undefined;
  if (left > 0) {
    return waitToRetry(left, failure(progress.state, commit), progress.state, `commit ${shortCommit(commit)}`);
  }
  return deployment(context, status, { commit, corrects: false, attempts: (last.attempts ?? 0) + 1 });
}

interface Wanted {
  readonly commit: string;
  readonly corrects: boolean;
  readonly attempts: number | undefined;
}

function deployment(
  context: ApplicationContext,
  status: ServiceStatus,
  { commit, corrects, attempts }: Wanted,
): Plan<Do> {
  const { written } = context.memory;
  const why: Why = { reason: "Deploying", message: `Commit ${shortCommit(commit)} is being deployed.` };
  const made = {
    settings: revisionOf(context.memory),
    variables: written?.variables === undefined ? undefined : { ...written.variables },
    variablesAt: variablesIncluded(context),
    attempts,
  };
  const mark = orderMark(context, status, made);
  return once("deployApplication", { what: "deploy", commit, retry: context.requested, attempts }, why, {
    commit,
    mark,
    corrects,
    retries: attempts !== undefined,
  });
}

function causeOf(context: ApplicationContext, seen: Seen, progress: Progress): Cause | undefined {
  const last = lastDeployment(context, seen);
  const failed = progress.phase === "failed" || progress.phase === "unknown" || (last !== undefined && hasFailed(last));
  const cause = deployCause(context, last, failed);
  if (
    cause !== undefined ||
    context.policies.corrects !== "Everything" ||
    foreignCommit(context, seen, last) === undefined
  )
    return cause;
  // While the state is about the operator's own request, the commit comes from a list that lags behind.
  const lags = last?.requestId !== undefined && seen.status?.deploymentRequestId === last.requestId;
  return lags ? undefined : "foreign";
}

function deployDue(context: ApplicationContext, progress: Progress, cause: Cause | undefined): boolean {
  if (cause === undefined) return false;
  if (context.spec.deploy?.policy === "Manual") return cause === "retry";
  // Somebody stopped it: only a new commit starts it; other changes are deployed with the next start.
  return progress.phase !== "stopped" || cause === "commit";
}
