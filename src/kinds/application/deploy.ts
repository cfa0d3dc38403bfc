/** Whether a deployment is to be started now. Pure. */
import type { Json, Plan, Why } from "../../engine/kind.ts";
import type { ServiceStatus } from "../../platform/service-status.ts";
import { baselineOf, hasFailed } from "../service/baseline.ts";
import type { Progress } from "../service/progress.ts";
import { once } from "../service/steps.ts";
import { deployCause, lastDeployment, type Cause } from "./deployment.ts";
import type { ApplicationPass, Do, Seen } from "./model.ts";
import { shortCommit } from "./words.ts";

/** The step, if one is due: a cause of ours, or a start of what was stopped. */
export function checkDeploy(
  pass: ApplicationPass,
  seen: Seen,
  status: ServiceStatus,
  progress: Progress,
): Plan<Do> | undefined {
  const { deploy } = pass.spec;
  if (deploy === undefined) return undefined;
  const last = lastDeployment(pass, seen);
  const failed = progress.phase === "failed" || (last !== undefined && hasFailed(last));
  const cause = deployCause(pass, last, failed);
  const start = startDue(pass, progress);
  if (!start && !deployDue(pass, progress, cause)) return undefined;
  const commit = deploy.gitCommitId;
  const why: Why = { reason: "Deploying", message: `Commit ${shortCommit(commit)} is being deployed.` };
  return once("deployApplication", { what: "deploy", commit, retry: pass.requested }, why, {
    commit,
    mark: markOf(pass, status),
  });
}

/** Only what we stopped is started again, or what the user asks for; the latter brings back what was uninstalled, too. */
function startDue(pass: ApplicationPass, progress: Progress): boolean {
  if (progress.phase === "gone") return pass.requested !== undefined;
  return progress.phase === "stopped" && (pass.memory.runState === "Stopped" || pass.requested !== undefined);
}

function deployDue(pass: ApplicationPass, progress: Progress, cause: Cause | undefined): boolean {
  if (cause === undefined) return false;
  if (pass.spec.deploy?.policy === "Manual") return cause === "retry";
  // Somebody stopped it: but for a new commit, a change of ours goes out with the next start.
  return progress.phase !== "stopped" || cause === "commit";
}

/** What a later trace compares with, and what the deployment is made with. */
function markOf({ memory, requested }: ApplicationPass, status: ServiceStatus): Json {
  return {
    baseline: baselineOf(status),
    requestId: status.deploymentRequestId ?? null,
    settings: memory.written?.revision ?? 0,
    variables: memory.written?.variables === undefined ? undefined : { ...memory.written.variables },
    retry: requested,
  };
}
