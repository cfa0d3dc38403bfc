/** Plans a blueprint. After its creation the platform offers no operation on it. Pure. */
import type { Plan, Uuid, StatusReason } from "../../engine/contract/kind.ts";
import { requestPhase } from "../../platform/codec/states.ts";
import { failureReason, shownState } from "../service/messages.ts";
import { type ServiceAction, serviceRecord } from "../service/model.ts";
import {
  checkBusy,
  checkIdentity,
  checkName,
  checkPlace,
  checkUnclear,
  planCreate,
  planMissing,
} from "../service/plan.ts";
import { askedProgress, type Progress, serviceProgress } from "../service/progress.ts";
import { firstOf, stalled } from "../shared/checks.ts";
import { reasonNotShown, reasonOutsideProjects } from "../shared/names.ts";
import { isOpen, planUnshownRemoval } from "../shared/presence.ts";
import {
  type BlueprintContext,
  CHANGED_VARIABLES,
  isRecent,
  isToRun,
  NAMES,
  type Observed,
  overridesRefused,
  sameVariables,
  written,
} from "./model.ts";

type Check = Plan<ServiceAction> | undefined;

/**
 * Returns the progress by the service's own state; where the platform does not show that, by the deployment request
 * that followed the creation, or by the recorded end of the deployment.
 */
export function blueprintProgress(context: BlueprintContext, observed: Observed): Progress | undefined {
  const last = context.memory.lastDeployment;
  if (observed.siblings !== undefined) return serviceProgress(last, observed);
  if (observed.request !== undefined) return askedProgress(observed.request);
  if (last?.finishedAt === undefined) return undefined;
  const progress: Progress = { state: shownState(last.state ?? ""), phase: requestPhase(last.state ?? ""), ours: true };
  // The platform does not show what others do about a failure. If the service is not to run, it is left to them.
  return progress.phase === "running" || isToRun(context) ? progress : undefined;
}

/** Reports whether the list shows the service. Without a list, a recorded service counts as shown. */
export function isBlueprintShown(context: BlueprintContext, observed: Observed): boolean {
  return observed.siblings === undefined || serviceRecord(context, observed) !== undefined;
}

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
  return isUnlisted(context)
    ? { is: "waiting", why: { reason: "Progressing", message: "The platform does not list the service yet." } }
    : undefined;
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

/** Returns the checks of a service that exists, in order. The platform has no update of its settings. */
function checks(context: BlueprintContext, observed: Observed): readonly (() => Check)[] {
  const progress = blueprintProgress(context, observed);
  if (progress === undefined) return [() => checkHiddenState(observed), () => checkVariables(context)];
  return [
    () => checkFirstDeployment(context, observed),
    () => checkBusy(progress),
    () => checkEnd(context, observed, progress),
    () => checkVariables(context),
    () => checkUnclear(progress, NAMES.noun),
  ];
}

/** Stalls on variables that are not those that the service was created with. */
function checkVariables(context: BlueprintContext): Check {
  return sameVariables(context) ? undefined : stalled("UpdateNotSupported", CHANGED_VARIABLES);
}

/** Waits for the state of a listed service. The documented surface shows no states. */
function checkHiddenState({ areStatesShown }: Observed): Check {
  if (areStatesShown !== true) return undefined;
  return { is: "waiting", why: { reason: "Progressing", message: "The platform shows no state of the service yet." } };
}

/** Stalls on a deployment that was requested with the create and is never shown: no read would show its end. */
function checkFirstDeployment(context: BlueprintContext, { status, request }: Observed): Check {
  const last = context.memory.lastDeployment;
  if (last === undefined || last.finishedAt !== undefined || last.baseline === undefined) return undefined;
  if (request !== undefined || status?.state !== "READY" || isRecent(context, last.startedAt)) return undefined;
  const message =
    "The service was to be deployed right after its creation, but the platform shows no such deployment. Deploy it on the platform.";
  return stalled("DeploymentFailed", message);
}

/** Reports an end that a person has to fix on the platform. */
function checkEnd(context: BlueprintContext, observed: Observed, { phase, state }: Progress): Check {
  const { name } = context.spec;
  if (phase === "failed") {
    const after =
      observed.siblings === undefined
        ? ", then set spec.deployOnCreate to false, as the platform does not show the service"
        : "";
    return stalled(
      failureReason(state),
      `The platform reports ${state} for service "${name}". Look at it on the platform and deploy it there: the platform's surface has no deployment of blueprints${after}.`,
    );
  }
  if (!isToRun(context)) return undefined;
  const others = "Deploy it on the platform, or leave that to others with spec.deployOnCreate false.";
  if (phase === "idle" && context.memory.lastDeployment !== undefined) {
    return stalled("Canceled", `The deployment that was to follow the creation was canceled. ${others}`);
  }
  if (phase !== "stopped" && phase !== "gone") return undefined;
  const what = phase === "stopped" ? "stopped" : "uninstalled";
  return stalled("DriftDetected", `The service was ${what} on the platform. ${others}`);
}

/** Returns the plan for the goals "stopped" and "absent". No surface deletes or stops the service of a blueprint. */
function planRemoval(context: BlueprintContext, observed: Observed): Plan<never> {
  const { id, spec } = context;
  if (id === undefined) return { is: "settled" };
  if (!isBlueprintShown(context, observed) && !isUnlisted(context)) {
    const unshown = { noun: NAMES.noun, name: spec.name, id, where: "the environment" };
    return planUnshownRemoval(observed.presence ?? "Gone", unshown);
  }
  const refused = reasonOutsideProjects(context, observed.projectId);
  if (refused !== undefined) return { is: "stalled", why: refused };
  return context.goal === "stopped"
    ? stalled("NotSupportedByPlatform", "The platform's surface has no stop of blueprints. Stop the service there.")
    : stalled("DeleteNotSupported", "The platform's surface has no deletion of blueprints. Delete the service there.");
}
