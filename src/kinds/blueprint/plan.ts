/** Plans a blueprint: a list of checks, of which the first difference wins. Pure. */
import { isChangedAtSource, type Plan, type Uuid, type StatusReason } from "../../engine/contract/kind.ts";
import { failureReason } from "../service/messages.ts";
import { type ServiceAction, type ServiceNames, serviceRecord } from "../service/model.ts";
import {
  checkBusy,
  checkFailure,
  checkIdentity,
  checkName,
  checkPlace,
  checkRetry,
  checkUnclear,
  planCreate,
  planDelete,
  planDeploy,
  planFinalStop,
  planMissing,
  startDue,
} from "../service/plan.ts";
import type { Progress } from "../service/progress.ts";
import {
  declaredSettings,
  observedSettings,
  sendingDue,
  settingsDrift,
  shownField,
  unsentPaths,
} from "../service/settings.ts";
import { firstOf, safely, stalled } from "../shared/checks.ts";
import { reasonNotShown, reasonOutsideProjects } from "../shared/names.ts";
import { isOpen, planUnshownRemoval } from "../shared/presence.ts";
import { redeployDue, redeployRefusal } from "../shared/redeploy.ts";
import { hasOperation } from "../shared/surface.ts";
import { type BlueprintFacts, blueprintFacts, isBlueprintShown } from "./facts.ts";
import {
  BLUEPRINT_SETTINGS,
  type BlueprintContext,
  type BlueprintService,
  isRecent,
  isToRun,
  NAMES,
  namesOf,
  type Observed,
  overridesRefused,
  sameVariables,
  variablesRefused,
  written,
} from "./model.ts";

type Check = Plan<ServiceAction> | undefined;

/** Returns the next step. */
export function plan(context: BlueprintContext, observed: Observed): Plan<ServiceAction> {
  if (context.goal !== "present") return planRemoval(context, observed);
  return checkPlace(context, observed) ?? planPresent(context, observed);
}

function planPresent(context: BlueprintContext, observed: Observed): Plan<ServiceAction> {
  const { id } = context;
  if (id === undefined) return checkName(NAMES, context, observed) ?? planNew(context, observed);
  if (!isBlueprintShown(context, observed))
    return checkMissing(context, observed, id) ?? planMissing(NAMES, context, observed, id);
  return checkIdentity(NAMES, context, observed, id) ?? firstOf(context, checks(context, observed));
}

function planNew(context: BlueprintContext, observed: Observed): Plan<ServiceAction> {
  const refused = overridesRefused(context.spec);
  if (refused !== undefined) return { is: "stalled", why: refused };
  // What is sent: the spec may differ by the time that the create is traced.
  const mark = { written: written(context), deploys: context.spec.deployOnCreate ?? false };
  return planCreate(NAMES, context, observed, mark);
}

/** Returns the plan for an id that the list does not show; undefined where it is the same as for every service. */
function checkMissing(context: BlueprintContext, observed: Observed, id: Uuid): Plan<never> | undefined {
  if (context.identitySource !== "recorded")
    return isOpen(observed.presence) ? undefined : { is: "stalled", why: notListed(context, observed, id) };
  return isUnlisted(context) ? { is: "waiting", why: UNLISTED } : undefined;
}

/** Reports whether it was created so recently that the platform's list may not show it yet. */
function isUnlisted(context: BlueprintContext): boolean {
  return context.memory.serviceId === undefined && isRecent(context, context.memory.createdAt);
}

/**
 * Returns the reason of an id that is not listed. Users often give the id of the service instead of its blueprint's.
 */
function notListed(context: BlueprintContext, { siblings }: Observed, id: Uuid): StatusReason {
  const meant = siblings?.find(({ serviceId }) => serviceId === id)?.id;
  if (meant === undefined) {
    return reasonNotShown(context, { noun: "blueprint", name: context.spec.name, id, where: "the environment" });
  }
  const message = `The id ${id} is that of a service. Set spec.externalId to the id of its blueprint, ${meant}.`;
  return { reason: "InvalidSpec", message };
}

/** Returns the checks of a service that exists, in order. Without its state, only its creation is followed. */
function checks(context: BlueprintContext, observed: Observed): readonly (() => Check)[] {
  const facts = blueprintFacts(context, observed);
  const { last, progress } = facts;
  const update = () => checkUpdate(context, observed);
  const variables = () => checkVariables(context, observed);
  if (progress === undefined) return [update, () => checkHiddenState(observed), variables];
  return [
    update,
    () => checkFirstDeployment(context, observed),
    () => checkBusy(progress),
    () => checkDeploy(context, observed, facts, progress),
    () =>
      isDeployable(context, observed)
        ? checkFailure(NAMES, last, progress)
        : checkFailureThere(context, observed, progress),
    () => checkEnd(context, observed, progress),
    variables,
    () => checkUnclear(progress, NAMES.noun),
  ];
}

/**
 * Returns the update if the platform has one, shows the service, and lacks settings or variables of the spec. Those that
 * it does not show are compared with what was last sent.
 */
function checkUpdate(context: BlueprintContext, observed: Observed): Check {
  const { spec } = context;
  const op = NAMES.operations.update;
  const record = serviceRecord(context, observed);
  if (observed.updated || record === undefined || !hasOperation(context, op)) return undefined;
  const due = sendingOf(context, observed, record);
  if (due === undefined) return undefined;
  const refused = overridesRefused(spec);
  if (refused !== undefined) return { is: "stalled", why: refused };
  const message = "Update the settings and variables of the service.";
  return safely(op, { what: "update" }, { message, ...due });
}

/** Returns what an update changes, and why it is due; undefined where it is not. */
function sendingOf(context: BlueprintContext, observed: Observed, record: BlueprintService) {
  const { inputs, memory, requested, spec } = context;
  const { written } = memory;
  const declared = declaredSettings(BLUEPRINT_SETTINGS, spec);
  const shown = observedSettings(BLUEPRINT_SETTINGS, record, spec);
  const isSent = unsentPaths(declared, written).length === 0;
  const areVariablesDue = !sameVariables(context) && variablesRefused(context, observed) === undefined;
  const differences = settingsDrift(declared, { ...written?.settings, ...shown });
  const isDrift = requested === undefined ? sendingDue(declared, shown, written) : differences.length > 0;
  if (!isDrift && isSent && !areVariablesDue) return undefined;
  return {
    corrects: requested === undefined && isSent && !areVariablesDue,
    follows: isSent && isChangedAtSource(written?.variables, inputs.fingerprint),
    changes: differences.map(shownField),
  };
}

/** Stalls on variables that cannot be sent. */
function checkVariables(context: BlueprintContext, observed: Observed): Check {
  const why = variablesRefused(context, observed);
  return why && { is: "stalled", why };
}

/** Waits for the state of a listed service. The documented surface shows no states. */
function checkHiddenState({ areStatesShown }: Observed): Check {
  if (areStatesShown !== true) return undefined;
  return { is: "waiting", why: { reason: "Progressing", message: "The platform shows no state of the service yet." } };
}

/** Reports whether the operator can deploy the service: the platform has the operation, and shows what becomes of it. */
function isDeployable(context: BlueprintContext, observed: Observed): boolean {
  return hasOperation(context, NAMES.operations.deploy) && serviceRecord(context, observed) !== undefined;
}

/** Reports whether the user requests a deployment, once for each value of the annotation. */
function isRetryRequested({ memory, requested }: BlueprintContext): boolean {
  return requested !== undefined && requested !== memory.lastDeployment?.retry;
}

/**
 * Stalls on a deployment that was requested with the create and is never shown: no read would show its end. On request
 * the service is deployed.
 */
function checkFirstDeployment(context: BlueprintContext, observed: Observed): Check {
  const { status, request } = observed;
  const last = context.memory.lastDeployment;
  if (last === undefined || last.finishedAt !== undefined || last.baseline === undefined) return undefined;
  if (request !== undefined || status?.state !== "READY" || isRecent(context, last.startedAt)) return undefined;
  if (isDeployable(context, observed) && isRetryRequested(context)) return deploy(context, observed, {});
  const advice = isDeployable(context, observed) ? `${ASK}.` : "Deploy it on the platform.";
  const message = `The service was to be deployed right after its creation, but the platform shows no such deployment. ${advice}`;
  return stalled("DeploymentFailed", message);
}

const ASK = "To deploy it, use the annotation platform-operator.io/reconcile-requested-at";

/** Returns the deployment, if one is due: after settings were written, a start, on request, or another attempt. */
function checkDeploy(
  context: BlueprintContext,
  observed: Observed,
  { isPending, last }: BlueprintFacts,
  progress: Progress,
): Check {
  if (!isDeployable(context, observed)) return undefined;
  if (isRedeployed(context)) return deploy(context, observed, {});
  const { phase } = progress;
  if (phase === "stopped" || phase === "gone") {
    // Changes are deployed with the next start.
    const start = isToRun(context) ? startDue(context, progress) : undefined;
    return start && deploy(context, observed, { corrects: start === "corrects" });
  }
  const isLeftToOthers = phase === "idle" && !isToRun(context);
  if (isLeftToOthers) return undefined;
  if (isPending) return deploy(context, observed, { follows: true });
  if (phase !== "running" && isRetryRequested(context)) return deploy(context, observed, {});
  return checkRetry(context, last, progress, "the service", (attempts) => deploy(context, observed, { attempts }));
}

/** Reports whether the annotation redeploy-requested-at deploys the service. */
function isRedeployed(context: BlueprintContext): boolean {
  return redeployDue(context) !== undefined && redeployRefusal(NAMES.noun, context, undefined) === undefined;
}

function deploy(
  context: BlueprintContext,
  observed: Observed,
  {
    corrects = false,
    attempts,
    follows = false,
  }: { readonly corrects?: boolean; readonly attempts?: number; readonly follows?: boolean },
): Plan<ServiceAction> {
  const message = "The service is being deployed.";
  const next = planDeploy(NAMES.operations.deploy, context, observed, { message, corrects, attempts });
  // What was written is deployed: the limit of mass changes counted the write.
  return next.is === "step" && follows ? { ...next, step: { ...next.step, follows } } : next;
}

/** Reports a failure that a person has to fix on the platform. */
function checkFailureThere(
  { spec: { name } }: BlueprintContext,
  observed: Observed,
  { phase, state }: Progress,
): Check {
  if (phase !== "failed") return undefined;
  const after =
    observed.siblings === undefined
      ? ", then set spec.deployOnCreate to false, as the platform does not show the service"
      : "";
  return stalled(
    failureReason(state),
    `The platform reports ${state} for service "${name}". Look at it on the platform and deploy it there: the platform's surface has no deployment of blueprints${after}.`,
  );
}

/** Reports a service that is to run and does not. */
function checkEnd(context: BlueprintContext, observed: Observed, { phase }: Progress): Check {
  if (!isToRun(context)) return undefined;
  const start = isDeployable(context, observed) ? ASK : "Deploy it on the platform";
  const others = `${start}, or leave that to others with spec.deployOnCreate false.`;
  if (phase === "idle" && context.memory.lastDeployment !== undefined) {
    return stalled("Canceled", `The deployment of the service was canceled. ${others}`);
  }
  if (phase !== "stopped" && phase !== "gone") return undefined;
  const what = phase === "stopped" ? "stopped" : "uninstalled";
  return stalled("DriftDetected", `The service was ${what} on the platform. ${others}`);
}

/** Returns the plan for the goals "stopped" and "absent". */
function planRemoval(context: BlueprintContext, observed: Observed): Plan<ServiceAction> {
  const { goal, id, spec } = context;
  if (id === undefined) return { is: "settled" };
  if (observed.unproven !== undefined) return { is: "stalled", why: observed.unproven };
  if (!isBlueprintShown(context, observed) && !isUnlisted(context)) {
    const unshown = { noun: NAMES.noun, name: spec.name, id, where: "the environment" };
    return planUnshownRemoval(observed.presence ?? "Gone", unshown);
  }
  const refused = reasonOutsideProjects(context, observed.projectId);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.isFull && !isBlueprintShown(context, observed)) return { is: "waiting", why: UNLISTED };
  const names = namesOf(serviceRecord(context, observed)?.type);
  return goal === "stopped" ? planLastStop(names, context, observed) : planDelete(names, context, observed);
}

function planLastStop(names: ServiceNames, context: BlueprintContext, observed: Observed): Plan<ServiceAction> {
  const { stop } = names.operations;
  if (stop === undefined || !hasOperation(context, stop)) {
    const what = context.isFull ? "stop of this type of services" : "stop of blueprints";
    return stalled("NotSupportedByPlatform", `The platform's surface has no ${what}. Stop the service there.`);
  }
  if (observed.status !== undefined) return planFinalStop(names, context, observed);
  return stalled("NotObservable", "The platform does not show the state of the service, so it is not stopped.");
}

const UNLISTED: StatusReason = { reason: "Progressing", message: "The platform does not list the service yet." };
