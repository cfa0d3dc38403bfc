/** Plans a database: a list of checks, of which the first difference wins. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import type { ServiceAction } from "../service/model.ts";
import {
  checkBusy,
  checkFailure,
  checkFixedSettings,
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
  planStop,
  startDue,
} from "../service/plan.ts";
import type { Progress } from "../service/progress.ts";
import { firstOf, stalled } from "../shared/checks.ts";
import { redeployDue, redeployRefusal } from "../shared/redeploy.ts";
import { type RunState, scheduledPlan } from "../shared/run-schedule.ts";
import { type DatabaseFacts, databaseFacts } from "./facts.ts";
import { DATABASE_SETTINGS, type DatabaseContext, NAMES, type Observed } from "./model.ts";

type Check = Plan<ServiceAction> | undefined;

/** Returns the next step. */
export function plan(context: DatabaseContext, observed: Observed): Plan<ServiceAction> {
  const facts = databaseFacts(context, observed);
  const next =
    context.goal === "present"
      ? (checkPlace(context, observed) ?? planPresent(context, observed, facts))
      : planServiceRemoval(NAMES, context, observed);
  return scheduledPlan(NAMES, context, facts.run, next);
}

function planPresent(context: DatabaseContext, observed: Observed, facts: DatabaseFacts): Plan<ServiceAction> {
  const found = checkExistence(context, observed);
  if (found?.is === "adopt") return planAdoption(context, observed, found);
  return found ?? firstOf(context, checks(context, observed, facts));
}

/** Returns the plan for a database that does not exist or may not be worked on yet; undefined for any other. */
function checkExistence(context: DatabaseContext, observed: Observed): Check {
  const { id } = context;
  if (id === undefined) return checkName(NAMES, context, observed) ?? planCreate(NAMES, context, observed);
  if (observed.status === undefined) return planMissing(NAMES, context, observed, id);
  return checkIdentity(NAMES, context, observed, id);
}

/** Adopts a database unless its type or mode, which cannot be changed, differs. */
function planAdoption(
  { spec }: DatabaseContext,
  { siblings }: Observed,
  found: Extract<Plan<never>, { is: "adopt" }>,
): Plan<never> {
  const record = siblings?.find(({ id }) => id === found.id);
  const refused = checkFixedSettings(NAMES.noun, DATABASE_SETTINGS, spec, record);
  return refused ?? { ...found, notObservableAfterwards: true };
}

/** Returns the checks of a database that exists, in order. */
function checks(context: DatabaseContext, observed: Observed, facts: DatabaseFacts): readonly (() => Check)[] {
  const settings = () => checkSettings(NAMES, DATABASE_SETTINGS, context, observed);
  const { last, progress } = facts;
  if (progress === undefined) return [settings, () => checkHiddenState(context, observed, facts)];
  return [
    settings,
    () => checkBusy(progress),
    () => checkRunState(NAMES, context, observed, facts, progress),
    () => checkDeploy(context, observed, facts, progress),
    () => checkFailure(NAMES, last, progress),
    () => checkEnded(facts, progress),
    () => checkUnclear(progress, NAMES.noun),
  ];
}

/** Reports a database that others stopped or uninstalled. */
function checkEnded({ run }: DatabaseFacts, { phase }: Progress): Check {
  const ask = "request it with the annotation platform-operator.io/reconcile-requested-at";
  if (phase === "gone") {
    const message = `The database was uninstalled on the platform. Nothing is deployed in its place; ${ask}.`;
    return stalled("ExternalResourceDeleted", message);
  }
  if (phase !== "stopped" || run.wanted === "Stopped") return undefined;
  const message = `The database was stopped on the platform, but spec.runState is Running. To start it, ${ask}, or set spec.runState to Stopped.`;
  return stalled("DriftDetected", message);
}

/**
 * Returns the deployment, if one is due: the first one, one after settings were written, a start, or another attempt.
 */
function checkDeploy(
  context: DatabaseContext,
  observed: Observed,
  { isPending, last, run }: DatabaseFacts,
  progress: Progress,
): Check {
  if (run.wanted === "Stopped") return undefined;
  const start = startDue(context, progress);
  if (start !== undefined) return deploy(context, observed, { corrects: start === "corrects" });
  if (isRedeployed(context, run.wanted)) return deploy(context, observed, {});
  // Others stopped or uninstalled the database: changes are deployed with the next start.
  if (progress.phase === "stopped" || progress.phase === "gone") return undefined;
  // A failed database, or one in an unknown state, is deployed again on request.
  const mayRetry = progress.phase === "failed" || progress.phase === "unknown";
  if (isPending || (mayRetry && isRetryRequested(context, last))) {
    return deploy(context, observed, {});
  }
  return checkRetry(context, last, progress, "the database", (attempts) => deploy(context, observed, { attempts }));
}

/** Reports whether a request deploys the database again. */
function isRedeployed(context: DatabaseContext, wanted: RunState | undefined): boolean {
  return redeployDue(context) !== undefined && redeployRefusal(NAMES.noun, context, wanted) === undefined;
}

/** Plans by the earlier requests where the state of the database is not observed. */
function checkHiddenState(context: DatabaseContext, observed: Observed, { run: { wanted } }: DatabaseFacts): Check {
  if (observed.isRequestSent || observed.status === undefined) return undefined;
  const { lastDeployment, runState = "Running" } = context.memory;
  const isRequested = isRetryRequested(context, lastDeployment) || isRedeployed(context, wanted);
  if (!isRequested && runState === wanted) return undefined;
  return wanted === "Stopped" ? planStop(NAMES, context, observed) : deploy(context, observed, {});
}

/** Reports whether the user requests a deployment, once for each value of the annotation. */
function isRetryRequested({ requested }: DatabaseContext, last: DatabaseFacts["last"]): boolean {
  return requested !== undefined && requested !== last?.retry;
}

function deploy(
  context: DatabaseContext,
  observed: Observed,
  { corrects = false, attempts }: { readonly corrects?: boolean; readonly attempts?: number },
): Plan<ServiceAction> {
  const message = "The database is being deployed.";
  const notObservableAfterwards = !context.isFull;
  return planDeploy(NAMES.operations.deploy, context, observed, {
    message,
    corrects,
    attempts,
    notObservableAfterwards,
  });
}
