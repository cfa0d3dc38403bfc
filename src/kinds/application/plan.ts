/** Plans an application: a list of checks, of which the first difference wins. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import { gitProvider } from "../../platform/areas/applications.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { ofCommit, shortCommit } from "../service/messages.ts";
import {
  checkBusy,
  checkFailure,
  checkIdentity,
  checkName,
  checkPlace,
  checkRetry,
  checkRunState,
  checkSettings,
  checkUnclear,
  planCreate,
  planDeploy,
  planMissing,
  planServiceRemoval,
  startDue,
} from "../service/plan.ts";
import { hasFailed, type Progress } from "../service/progress.ts";
import { firstOf, safely, stalled } from "../shared/checks.ts";
import { redeployDue, redeployRefusal } from "../shared/redeploy.ts";
import { scheduledPlan } from "../shared/run-schedule.ts";
import { hasOperation } from "../shared/surface.ts";
import { planUnsynced, variableChecks } from "../variables/plan.ts";
import {
  type ApplicationFacts,
  applicationFacts,
  type DeployedDifference,
  isChangedByUser,
  variablesIncluded,
  variableTarget,
} from "./facts.ts";
import { type Action, APPLICATION_SETTINGS, type ApplicationContext, NAMES, type Observed } from "./model.ts";

type Check = Plan<Action> | undefined;

const CANCEL = "cancelDeployment";

/** Returns the next step. */
export function plan(context: ApplicationContext, observed: Observed): Plan<Action> {
  const facts = applicationFacts(context, observed);
  const next =
    context.goal === "present"
      ? (checkPlace(context, observed) ?? planPresent(context, observed, facts))
      : planServiceRemoval(NAMES, context, observed);
  return scheduledPlan(NAMES, context, facts.run, next);
}

function planPresent(context: ApplicationContext, observed: Observed, facts: ApplicationFacts): Plan<Action> {
  const { id } = context;
  if (id === undefined)
    return checkName(NAMES, context, observed) ?? checkProvider(context) ?? planCreate(NAMES, context, observed);
  if (observed.status === undefined) return planMissing(NAMES, context, observed, id);
  const found = checkIdentity(NAMES, context, observed, id);
  if (found !== undefined) return found;
  const next = firstOf(context, checks(context, observed, facts));
  if (next.is !== "step") return next;
  return { ...next, step: { ...next.step, follows: isChangedByUser(context, observed, facts) } };
}

/** Refuses a repository whose provider is not known: the platform's whole API requires it. */
function checkProvider({ spec: { gitRepository }, isFull }: ApplicationContext): Check {
  if (!isFull || gitRepository.provider !== undefined || gitProvider(gitRepository.url) !== undefined) return undefined;
  const message =
    "The platform requires the provider of the repository, and it does not follow from the host of spec.gitRepository.url. Set spec.gitRepository.provider, e.g. GITLAB.";
  return stalled("InvalidSpec", message);
}

/** Returns the checks of an application that exists, in order. */
function checks(context: ApplicationContext, observed: Observed, facts: ApplicationFacts): readonly (() => Check)[] {
  const settings = () => checkSettings(NAMES, APPLICATION_SETTINGS, context, observed);
  const { last, progress } = facts;
  if (progress === undefined) return [settings];
  const variables = variableTarget(context, facts);
  return [
    settings,
    ...variableChecks([variables]),
    () => checkReplaced(context, facts, progress),
    () => checkProgress(context, facts, progress),
    () => checkRunState(NAMES, context, observed, facts, progress),
    () => checkDeploy(context, observed, facts, progress),
    () => checkFailure(NAMES, last, progress),
    () => checkStopped(context, facts, observed),
    () => checkUnclear(progress, NAMES.noun),
    () => planUnsynced([variables]),
  ];
}

/** Cancels the deployment under way for a newer commit, once, as spec.deploy.onNewCommit says. */
function checkReplaced(context: ApplicationContext, facts: ApplicationFacts, progress: Progress): Check {
  const { onNewCommit, gitCommitId: commit = "" } = context.spec.deploy ?? {};
  if (onNewCommit !== "Cancel" || waitingCommit(context, facts) === undefined) return undefined;
  const { gitCommitId: replaced = "", requestId, canceled } = facts.last ?? {};
  if (requestId === undefined || canceled === true || !isCancelable(progress)) return undefined;
  if (!hasOperation(context, CANCEL)) return undefined;
  const message = `Cancel the deployment of commit ${shortCommit(replaced)}, which commit ${shortCommit(commit)} replaces.`;
  return safely(CANCEL, { what: "cancel", requestId }, { message });
}

function isCancelable({ phase, ours, state }: Progress): boolean {
  return phase === "busy" && ours && state !== "CANCELING";
}

/** Returns the sentence about a commit of the spec that waits for the end of the work under way; undefined without one. */
export function waitingCommit({ spec }: ApplicationContext, { difference, run }: ApplicationFacts): string | undefined {
  const { gitCommitId: commit, policy } = spec.deploy ?? {};
  if (commit === undefined || difference !== "commit" || policy === "Manual" || run.wanted === "Stopped")
    return undefined;
  return `Commit ${shortCommit(commit)} waits for its end.`;
}

function checkProgress(context: ApplicationContext, facts: ApplicationFacts, progress: Progress): Check {
  const { run } = facts;
  const commit = progress.ours ? context.memory.lastDeployment?.gitCommitId : undefined;
  const busy = checkBusy(progress, ofCommit(commit), waitingCommit(context, facts));
  if (busy !== undefined || progress.phase !== "gone") return busy;
  const isRequested = context.requested !== undefined || redeployDue(context) !== undefined;
  const isWanted = isRequested || context.policies.corrects === "Everything";
  const isDeployable = context.spec.deploy !== undefined && run.wanted === "Running";
  if (isWanted && isDeployable && !context.policies.blockedOperations.has(NAMES.operations.deploy)) return undefined;
  const message =
    "The application was uninstalled on the platform. Nothing is deployed in its place; request a retry with the annotation platform-operator.io/reconcile-requested-at.";
  return stalled("ExternalResourceDeleted", message);
}

/**
 * Deploys if that is due: for a cause of the operator, to start a stopped application, because the user requests it, or
 * as another attempt.
 */
function checkDeploy(
  context: ApplicationContext,
  observed: Observed,
  facts: ApplicationFacts,
  progress: Progress,
): Check {
  if (facts.run.wanted === "Stopped") return undefined;
  const cause = deployCause(context, observed, facts, progress);
  return (
    checkWanted(context, observed, facts, progress, cause) ??
    checkRedeploy(context, observed, facts) ??
    checkAttempts(context, observed, facts, progress, cause)
  );
}

/** Why a deployment is due. */
type DeployCause = DeployedDifference | "foreign" | "retry";

/**
 * Returns why the operator has to deploy; undefined when no deployment is due. A reconcile request deploys again what
 * failed or may have failed, once.
 */
function deployCause(
  context: ApplicationContext,
  observed: Observed,
  facts: ApplicationFacts,
  progress: Progress,
): DeployCause | undefined {
  const { difference } = facts;
  if (context.spec.deploy === undefined || difference !== undefined) return difference;
  if (isRetryRequested(context, facts, progress)) return "retry";
  return context.policies.corrects === "Everything" && isForeign(observed, facts) ? "foreign" : undefined;
}

/** Reports whether the user requests another attempt of a deployment that failed or may have failed. */
function isRetryRequested({ requested }: ApplicationContext, { last }: ApplicationFacts, { phase }: Progress): boolean {
  const hasPerhapsFailed = phase === "failed" || phase === "unknown" || (last !== undefined && hasFailed(last));
  return hasPerhapsFailed && requested !== undefined && requested !== last?.retry;
}

/** Reports whether others deployed another commit after the operator's own deployment was over. */
function isForeign({ status }: Observed, { foreign, isJustEnded, last }: ApplicationFacts): boolean {
  // While the state belongs to the operator's own request, the list that shows the commit may lag behind.
  const lags = last?.requestId !== undefined && status?.deploymentRequestId === last.requestId;
  return foreign !== undefined && !isJustEnded && !lags;
}

/** Deploys the commit of the spec for a cause, or to start a stopped application. */
function checkWanted(
  context: ApplicationContext,
  observed: Observed,
  facts: ApplicationFacts,
  progress: Progress,
  cause: DeployCause | undefined,
): Check {
  const commit = context.spec.deploy?.gitCommitId;
  if (commit === undefined) return undefined;
  const start = startDue(context, progress);
  if (start === undefined && !isDeployDue(context, progress, cause)) return undefined;
  const corrects = start === "corrects" || (start === undefined && cause === "foreign");
  return deploy(context, observed, facts, { commit, corrects, attempts: undefined });
}

function isDeployDue(context: ApplicationContext, progress: Progress, cause: DeployCause | undefined): boolean {
  if (cause === undefined) return false;
  if (context.spec.deploy?.policy === "Manual") return cause === "retry";
  // Somebody stopped it: only a new commit starts it; other changes are deployed with the next start.
  return progress.phase !== "stopped" || cause === "commit";
}

/** Deploys on request once more: the commit of the spec; where it names none, the commit that runs. */
function checkRedeploy(context: ApplicationContext, observed: Observed, facts: ApplicationFacts): Check {
  const { run, running } = facts;
  if (redeployDue(context) === undefined || redeployRefusal(NAMES.noun, context, run.wanted) !== undefined)
    return undefined;
  const commit = context.spec.deploy?.gitCommitId ?? running;
  if (commit === undefined) return undefined;
  return deploy(context, observed, facts, { commit, corrects: false, attempts: undefined });
}

/** Starts a failed deployment again, as spec.lifecycle.retry says. */
function checkAttempts(
  context: ApplicationContext,
  observed: Observed,
  facts: ApplicationFacts,
  progress: Progress,
  cause: DeployCause | undefined,
): Check {
  const commit = context.spec.deploy?.gitCommitId;
  if (commit === undefined || cause !== undefined) return undefined;
  return checkRetry(context, facts.last, progress, `commit ${shortCommit(commit)}`, (attempts) =>
    deploy(context, observed, facts, { commit, corrects: false, attempts }),
  );
}

function deploy(
  context: ApplicationContext,
  observed: Observed,
  { writtenAt }: ApplicationFacts,
  wanted: {
    readonly commit: string;
    readonly corrects: boolean;
    readonly attempts: number | undefined;
  },
): Plan<Action> {
  return planDeploy(NAMES.operations.deploy, context, observed, {
    ...wanted,
    message: `Commit ${shortCommit(wanted.commit)} is being deployed.`,
    mark: { variablesAt: variablesIncluded(context, writtenAt) },
  });
}

/** Reports an out-of-band stop, and does not revert it. */
function checkStopped({ spec }: ApplicationContext, { run }: ApplicationFacts, observed: Observed): Check {
  if (servicePhase(observed.status?.state ?? "") !== "stopped" || spec.deploy === undefined || run.wanted === "Stopped")
    return undefined;
  const message =
    "The application was stopped on the platform, but spec.runState is Running. Start it with the annotation platform-operator.io/reconcile-requested-at, or set spec.runState to Stopped.";
  return stalled("DriftDetected", message);
}
