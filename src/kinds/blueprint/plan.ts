/** Plans a blueprint. After its creation the platform offers no operation on it. Pure. */
import type { Plan, Uuid, Why } from "../../engine/contract/kind.ts";
import { requestPhase } from "../../platform/codec/states.ts";
import { failureReason, shownState } from "../service/messages.ts";
import { type ServiceAction, serviceRecord } from "../service/model.ts";
import { askedProgress, type Progress, serviceProgress } from "../service/progress.ts";
import { checkBusy, checkUnclear } from "../service/steps.ts";
import { stalled } from "../shared/checks.ts";
import { outside, unseen } from "../shared/names.ts";
import { isOpen, planUnshownRemoval } from "../shared/presence.ts";
import {
  type BlueprintContext,
  CHANGED_VARIABLES,
  type Declaration,
  isRecent,
  isToRun,
  NAMES,
  type Observed,
  sameVariables,
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

/** Returns the plan for an id that the list does not show. */
export function checkMissing(context: BlueprintContext, observed: Observed, id: Uuid): Plan<never> | undefined {
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
function notListed(context: BlueprintContext, { siblings }: Observed, id: Uuid): Why {
  const meant = siblings?.find(({ serviceId }) => serviceId === id)?.id;
  if (meant === undefined) {
    return unseen(context, { noun: "blueprint", name: context.spec.name, id, where: "the environment" });
  }
  const message = `The id ${id} is that of a service. Set spec.externalId to the id of its blueprint, ${meant}.`;
  return { reason: "InvalidSpec", message };
}

export const checks: Declaration["checks"] = (context, observed, progress) => {
  if (progress === undefined) return [() => checkUnseen(observed), () => checkVariables(context)];
  return [
    () => checkBegun(context, observed),
    () => checkBusy(progress),
    () => checkEnd(context, observed, progress),
    () => checkVariables(context),
    () => checkUnclear(progress, NAMES.noun),
  ];
};

/** Stalls on variables that are not those that the service was created with. */
function checkVariables(context: BlueprintContext): Check {
  return sameVariables(context) ? undefined : stalled("UpdateNotSupported", CHANGED_VARIABLES);
}

/** Waits for the state of a listed service. The documented surface shows no states. */
function checkUnseen({ areStatesShown }: Observed): Check {
  if (areStatesShown !== true) return undefined;
  return { is: "waiting", why: { reason: "Progressing", message: "The platform shows no state of the service yet." } };
}

/** Stalls on a deployment that was requested with the create and is never shown: no read would show its end. */
function checkBegun(context: BlueprintContext, { status, request }: Observed): Check {
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
export function planRemoval(context: BlueprintContext, observed: Observed): Plan<never> {
  const { id, spec } = context;
  if (id === undefined) return { is: "settled" };
  if (!isBlueprintShown(context, observed) && !isUnlisted(context)) {
    const missed = { noun: NAMES.noun, name: spec.name, id, where: "the environment" };
    return planUnshownRemoval(observed.presence ?? "Gone", missed);
  }
  const refused = outside(context, observed.projectId);
  if (refused !== undefined) return { is: "stalled", why: refused };
  return context.goal === "stopped"
    ? stalled("NotSupportedByPlatform", "The platform's surface has no stop of blueprints. Stop the service there.")
    : stalled("DeleteNotSupported", "The platform's surface has no deletion of blueprints. Delete the service there.");
}
