/** Plans a database that exists: a list of checks, of which the first difference wins. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import { shownState } from "../service/messages.ts";
import type { ServiceAction } from "../service/model.ts";
import { advanced, checkRetry, type Progress, shownProgress } from "../service/progress.ts";
import { revisionOf } from "../service/settings.ts";
import {
  checkBusy,
  checkFailure,
  checkServiceRunState,
  checkUnclear,
  deploy as deployService,
  startDue,
  stop,
} from "../service/steps.ts";
import { everDeployed } from "../service/trace.ts";
import { stalled } from "../shared/checks.ts";
import { redeployDue, redeployRefusal } from "../shared/redeploy.ts";
import type { DatabaseDeployment } from "./crd.ts";
import { type DatabaseContext, type Declaration, NAMES, type Observed } from "./model.ts";

type Check = Plan<ServiceAction> | undefined;

export const checks: Declaration["checks"] = (context, observed, progress) => {
  if (progress === undefined) return [() => checkUnseen(context, observed)];
  return [
    () => checkBusy(progress),
    () => checkServiceRunState(NAMES, context, observed, progress),
    () => checkDeploy(context, observed, progress),
    () => checkFailure(NAMES, followedDatabase(context, observed), progress),
    () => checkEnded(context, progress),
    () => checkUnclear(progress, NAMES.noun),
  ];
};

/** Reports a database that others stopped or uninstalled. */
function checkEnded(context: DatabaseContext, { phase }: Progress): Check {
  const { spec } = context;
  const ask = "request it with the annotation platform-operator.io/reconcile-requested-at";
  if (phase === "gone") {
    const message = `The database was uninstalled on the platform. Nothing is deployed in its place; ${ask}.`;
    return stalled("ExternalResourceDeleted", message);
  }
  if (phase !== "stopped" || spec.runState === "Stopped") return undefined;
  const message = `The database was stopped on the platform, but spec.runState is Running. To start it, ${ask}, or set spec.runState to Stopped.`;
  return stalled("DriftDetected", message);
}

/**
 * Returns the deployment, if one is due: the first one, one after settings were written, a start, or another attempt.
 */
function checkDeploy(context: DatabaseContext, observed: Observed, progress: Progress): Check {
  if (context.spec.runState === "Stopped") return undefined;
  const start = startDue(context, progress);
  if (start !== undefined) return deploy(context, observed, { corrects: start === "corrects" });
  if (isRedeployed(context)) return deploy(context, observed, {});
  // Others stopped or uninstalled the database: changes are deployed with the next start.
  if (progress.phase === "stopped" || progress.phase === "gone") return undefined;
  const last = followedDatabase(context, observed);
  // A failed database, or one in an unknown state, is deployed again on request.
  const mayRetry = progress.phase === "failed" || progress.phase === "unknown";
  if (last === undefined || isPending(context, last) || (mayRetry && isAsked(context, last))) {
    return deploy(context, observed, {});
  }
  return checkRetry(context, last, progress, "the database", (attempts) => deploy(context, observed, { attempts }));
}

/** Reports whether a request deploys the database again. */
function isRedeployed(context: DatabaseContext): boolean {
  return redeployDue(context) !== undefined && redeployRefusal(NAMES.noun, context) === undefined;
}

/** Plans by the earlier requests where the state of the database is not observed. */
function checkUnseen(context: DatabaseContext, observed: Observed): Check {
  if (observed.ordered || observed.status === undefined) return undefined;
  const { runState = "Running" } = context.memory;
  const asked = isAsked(context, context.memory.lastDeployment) || isRedeployed(context);
  if (!asked && runState === context.spec.runState) return undefined;
  return context.spec.runState === "Stopped" ? stop(NAMES, context, observed) : deploy(context, observed, {});
}

/** Reports whether the user asks for a deployment; once per token. */
function isAsked({ requested }: DatabaseContext, last: DatabaseDeployment | undefined): boolean {
  return requested !== undefined && requested !== last?.retry;
}

function deploy(
  context: DatabaseContext,
  observed: Observed,
  { corrects = false, attempts }: { readonly corrects?: boolean; readonly attempts?: number },
): Plan<ServiceAction> {
  const message = "The database is being deployed.";
  const notObservableAfterwards = !context.isFull;
  return deployService(NAMES, context, observed, { message, corrects, attempts, notObservableAfterwards });
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

/** Returns the last deployment with what is known now. It ends when its state does. */
export function followedDatabase(context: DatabaseContext, observed: Observed): DatabaseDeployment | undefined {
  return advanced(lastDeployment(context, observed), shownProgress(context, observed), observed, context.now);
}

/**
 * Reports whether settings were written since the last deployment, or there was none. The platform's OUT_OF_DATE does
 * not count.
 */
export function isPending(
  { memory, policies: { pendingOperations } }: DatabaseContext,
  last: DatabaseDeployment | undefined,
): boolean {
  return last === undefined || pendingOperations.has("updateDatabase") || revisionOf(memory) !== (last.settings ?? 0);
}
