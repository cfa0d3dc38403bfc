/** Plans an application that exists: a list of checks, of which the first difference wins. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { ofCommit, shortCommit } from "../service/messages.ts";
import { type Progress, checkRetry } from "../service/progress.ts";
import {
  checkBusy,
  checkFailure,
  checkServiceRunState,
  checkUnclear,
  deploy as deployService,
  startDue,
} from "../service/steps.ts";
import { hasFailed } from "../service/trace.ts";
import { stalled, safely } from "../shared/checks.ts";
import { redeployDue, redeployRefusal } from "../shared/redeploy.ts";
import {
  type DeployCause,
  deployCause,
  followedDeployment,
  foreignCommit,
  lastDeployment,
  redeployedCommit,
  variablesIncluded,
} from "./deployment.ts";
import { type Action, type ApplicationContext, type Declaration, NAMES, type Observed } from "./model.ts";
import { sentOrFound } from "./report.ts";
import { isDeployedByOthers, isImportDue, pendingVariables, variablesSent } from "./variables.ts";

type Check = Plan<Action> | undefined;

export const checks: Declaration["checks"] = (context, observed, progress) => {
  if (progress === undefined) return [];
  return [
    () => checkVariables(context, observed),
    () => checkProgress(context, progress),
    () => checkServiceRunState(NAMES, context, observed, progress),
    () => checkDeploy(context, observed, progress),
    () => checkFailure(NAMES, followedDeployment(context, observed), progress),
    () => checkStopped(context, observed),
    () => checkUnclear(progress, NAMES.noun),
  ];
};

function checkVariables(context: ApplicationContext, observed: Observed): Check {
  // While the variables of a service that others deployed cannot be read, it is unknown whether they are as wanted.
  if (observed.variablesFault !== undefined && isDeployedByOthers(context, observed.status)) return undefined;
  if (!variablesSent(context, observed))
    return safely("importVariables", { what: "import" }, { message: "Import the variables." });
  const pending = pendingVariables(context);
  for (const { name } of pending) {
    const secretId = observed.secretIds.get(name);
    if (secretId === undefined) continue;
    return safely("updateSecret", { what: "secret", name, secretId }, { message: `Replace the secret ${name}.` });
  }
  if (!isImportDue(context, observed)) return undefined;
  const names = pending.map(({ name }) => name).join(", ");
  return safely("importVariables", { what: "import" }, { message: `Import ${names} again.` });
}

function checkProgress(context: ApplicationContext, progress: Progress): Check {
  const commit = progress.ours ? context.memory.lastDeployment?.gitCommitId : undefined;
  const busy = checkBusy(progress, ofCommit(commit));
  if (busy !== undefined || progress.phase !== "gone") return busy;
  const { deploy, runState } = context.spec;
  const isAsked = context.requested !== undefined || redeployDue(context) !== undefined;
  const isWanted = isAsked || context.policies.corrects === "Everything";
  if (
    isWanted &&
    deploy !== undefined &&
    runState === "Running" &&
    !context.policies.blockedOperations.has("deployApplication")
  ) {
    return undefined;
  }
  const message =
    "The application was uninstalled on the platform. Nothing is deployed in its place; request a retry with the annotation platform-operator.io/reconcile-requested-at.";
  return stalled("ExternalResourceDeleted", message);
}

/**
 * Deploys if that is due: for a cause of the operator, to start a stopped application, because the user requests it, or
 * as another attempt.
 */
function checkDeploy(context: ApplicationContext, observed: Observed, progress: Progress): Check {
  if (context.spec.runState === "Stopped") return undefined;
  return (
    checkWanted(context, observed, progress) ??
    checkRedeploy(context, observed) ??
    checkAttempts(context, observed, progress)
  );
}

function checkWanted(context: ApplicationContext, observed: Observed, progress: Progress): Check {
  const commit = context.spec.deploy?.gitCommitId;
  if (commit === undefined) return undefined;
  const start = startDue(context, progress);
  const cause = causeOf(context, observed, progress);
  if (start === undefined && !deployDue(context, progress, cause)) return undefined;
  const corrects = start === "corrects" || (start === undefined && cause === "foreign");
  return deploy(context, observed, { commit, corrects, attempts: undefined });
}

/** Deploys the same commit again on request. */
function checkRedeploy(context: ApplicationContext, observed: Observed): Check {
  if (redeployDue(context) === undefined || redeployRefusal(NAMES.noun, context) !== undefined) return undefined;
  const commit = redeployedCommit(context, observed);
  if (commit === undefined) return undefined;
  return deploy(context, observed, { commit, corrects: false, attempts: undefined });
}

function checkAttempts(context: ApplicationContext, observed: Observed, progress: Progress): Check {
  const commit = context.spec.deploy?.gitCommitId;
  if (commit === undefined || causeOf(context, observed, progress) !== undefined) return undefined;
  return checkRetry(
    context,
    followedDeployment(context, observed),
    progress,
    `commit ${shortCommit(commit)}`,
    (attempts) => deploy(context, observed, { commit, corrects: false, attempts }),
  );
}

function deploy(
  context: ApplicationContext,
  observed: Observed,
  wanted: {
    readonly commit: string;
    readonly corrects: boolean;
    readonly attempts: number | undefined;
  },
): Plan<Action> {
  const variables = sentOrFound(context, observed)?.variables;
  return deployService(NAMES, context, observed, {
    ...wanted,
    message: `Commit ${shortCommit(wanted.commit)} is being deployed.`,
    mark: { variables: variables && { ...variables }, variablesAt: variablesIncluded(context) },
  });
}

function causeOf(context: ApplicationContext, observed: Observed, progress: Progress): DeployCause | undefined {
  const last = lastDeployment(context, observed);
  const failed = progress.phase === "failed" || progress.phase === "unknown" || (last !== undefined && hasFailed(last));
  const cause = deployCause(context, last, failed);
  if (
    cause !== undefined ||
    context.policies.corrects !== "Everything" ||
    foreignCommit(context, observed, last) === undefined
  )
    return cause;
  // While the state belongs to the operator's own request, the list that shows the commit may lag behind.
  const lags = last?.requestId !== undefined && observed.status?.deploymentRequestId === last.requestId;
  return lags ? undefined : "foreign";
}

function deployDue(context: ApplicationContext, progress: Progress, cause: DeployCause | undefined): boolean {
  if (cause === undefined) return false;
  if (context.spec.deploy?.policy === "Manual") return cause === "retry";
  // Somebody stopped it: only a new commit starts it; other changes are deployed with the next start.
  return progress.phase !== "stopped" || cause === "commit";
}

/** Reports an out-of-band stop, and does not revert it. */
function checkStopped({ spec: { deploy, runState } }: ApplicationContext, { status }: Observed): Check {
  if (servicePhase(status?.state ?? "") !== "stopped" || deploy === undefined || runState === "Stopped")
    return undefined;
  const message =
    "The application was stopped on the platform, but spec.runState is Running. Start it with the annotation platform-operator.io/reconcile-requested-at, or set spec.runState to Stopped.";
  return stalled("DriftDetected", message);
}
