/** Plans a blueprint. After its creation the platform offers no operation on it. Pure. */
import type { Plan, Uuid, Why } from "../../engine/contract/kind.ts";
import { checkClaim, checkPlace } from "../service/identity.ts";
import type { Progress } from "../service/progress.ts";
import { checkBusy, checkUnclear } from "../service/steps.ts";
import { failureReason } from "../service/words.ts";
import { once, stalled } from "../shared/checks.ts";
import { nameMark } from "../shared/create-trace.ts";
import { adoptOrRefuse, checkLatecomers, deletedThere, gone, outside, sameName, unseen } from "../shared/names.ts";
import { isOpen, planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import { overridesRefused } from "./engine.ts";
import { isRecent, isToRun, serviceOf, type BlueprintContext, type Do, type Seen } from "./model.ts";
import { progressIn } from "./progress.ts";
import { changedPaths, written } from "./settings.ts";

type Check = Plan<Do> | undefined;

/** Returns the next step. */
export function plan(context: BlueprintContext, seen: Seen): Plan<Do> {
  if (context.goal !== "present") return planRemoval(context, seen);
  const place = checkPlace(context, seen);
  if (place !== undefined) return place;
  if (context.id === undefined) return planNew(context, seen);
  return checkIdentity(context, seen, context.id) ?? planExisting(context, seen);
}

function planNew(context: BlueprintContext, seen: Seen): Plan<Do> {
  const { name, deployOnCreate = false } = context.spec;
  const what = `service "${name}"`;
  const matches = (seen.siblings ?? []).filter((one) => sameName(one.name, name));
  const found = adoptOrRefuse(context, matches, what);
  if (found !== undefined) return found;
  const refused = overridesRefused(context.spec);
  if (refused !== undefined) return { is: "stalled", why: refused };
  const why: Why = { reason: "Creating", message: `Creating ${what}.` };
  // What was sent: the spec may differ by the time that the create is traced.
  const mark = { ...nameMark(seen.serverNow, seen.siblings), written: written(context), deploys: deployOnCreate };
  return once("createBlueprint", { what: "create" }, why, { creates: true, name, mark });
}

/** Checks that the id leads to the right blueprint. */
function checkIdentity(context: BlueprintContext, seen: Seen, id: Uuid): Check {
  const service = serviceOf(context, seen);
  if (seen.siblings === undefined || service !== undefined) {
    const what = `service "${context.spec.name}"`;
    return checkClaim(context, service, id, "service") ?? checkLatecomers(context, service, seen.siblings ?? [], what);
  }
  if (context.identitySource !== "recorded" && !isOpen(seen.presence))
    return { is: "stalled", why: notListed(context, seen, id) };
  if (context.identitySource === "recorded" && isUnlisted(context)) {
    return { is: "waiting", why: { reason: "Progressing", message: "The platform does not list the service yet." } };
  }
  if (isOpen(seen.presence)) return planUnshown(context, seen.presence, missed(context, id));
  const why = deletedThere(`service "${context.spec.name}"`, id);
  return seen.isGone ? gone(context, why) : { is: "stalled", why };
}

const missed = ({ spec }: BlueprintContext, id: Uuid) =>
  ({ noun: "service", name: spec.name, id, where: "the environment" }) as const;

/** Reports whether it was created so recently that the platform's list may not show it yet. */
function isUnlisted(context: BlueprintContext): boolean {
  return context.memory.serviceId === undefined && isRecent(context, context.memory.createdAt);
}

/** People see the id of the service more often than that of its blueprint. */
function notListed(context: BlueprintContext, { siblings }: Seen, id: Uuid): Why {
  const meant = siblings?.find(({ serviceId }) => serviceId === id)?.id;
  if (meant === undefined) {
    return unseen(context, { noun: "blueprint", name: context.spec.name, id, where: "the environment" });
  }
  const message = `The id ${id} is that of a service. Set spec.externalId to the id of its blueprint, ${meant}.`;
  return { reason: "InvalidSpec", message };
}

function planExisting(context: BlueprintContext, seen: Seen): Plan<Do> {
  const changed = changedPaths(context);
  if (changed.length > 0) {
    return stalled(
      "UpdateNotSupported",
      `The platform's surface has no update of blueprints: ${changed.toSorted().join(", ")} cannot be changed. Change it back, or change it on the platform and adopt the service again.`,
    );
  }
  const progress = progressIn(context, seen);
  if (progress === undefined) return withoutState(context);
  return (
    checkBegun(context, seen) ??
    checkBusy(progress) ??
    checkEnd(context, seen, progress) ??
    checkUnclear(progress, "service") ?? { is: "settled" }
  );
}

/** The documented surface shows no state. Elsewhere every listed service has one. */
function withoutState({ supports }: BlueprintContext): Plan<Do> {
  if (supports("listServiceStatuses") !== "Supported") return { is: "settled" };
  return { is: "waiting", why: { reason: "Progressing", message: "The platform shows no state of the service yet." } };
}

/** Stalls on a deployment that was requested with the create and never shows: nobody would see its end. */
function checkBegun(context: BlueprintContext, { status, request }: Seen): Check {
  const last = context.memory.lastDeployment;
  if (last === undefined || last.finishedAt !== undefined || last.baseline === undefined) return undefined;
  if (request !== undefined || status?.state !== "READY" || isRecent(context, last.startedAt)) return undefined;
  return stalled(
    "DeploymentFailed",
    "The service was to be deployed right after its creation, but the platform shows no such deployment. Deploy it on the platform.",
  );
}

/** Reports what only the platform can fix. */
function checkEnd(context: BlueprintContext, seen: Seen, { phase, state }: Progress): Check {
  const { name } = context.spec;
  if (phase === "failed") {
    const after = seen.siblings === undefined ? ", then set spec.deployOnCreate false: the service is not shown" : "";
    return stalled(
      failureReason(state),
      `The platform reports ${state} for service "${name}". Look at it on the platform and deploy it there: the platform's surface has no deployment of blueprints${after}.`,
    );
  }
  if (!isToRun(context)) return undefined;
  const others = "Deploy it on the platform, or leave that to others with spec.deployOnCreate false.";
  if (phase === "idle" && context.memory.lastDeployment !== undefined) {
    return stalled("Canceled", `The deployment that was to follow the creation was cancelled. ${others}`);
  }
  if (phase !== "stopped" && phase !== "gone") return undefined;
  const what = phase === "stopped" ? "stopped" : "uninstalled";
  return stalled("DriftDetected", `The service was ${what} on the platform. ${others}`);
}

/** No surface deletes or stops the service of a blueprint. */
function planRemoval(context: BlueprintContext, seen: Seen): Plan<Do> {
  if (context.id === undefined) return { is: "settled" };
  const isUnshown = seen.siblings !== undefined && serviceOf(context, seen) === undefined && !isUnlisted(context);
  if (isUnshown) return planUnshownRemoval(seen.presence ?? "Gone", missed(context, context.id));
  const refused = outside(context, seen.projectId);
  if (refused !== undefined) return { is: "stalled", why: refused };
  return context.goal === "stopped"
    ? stalled("NotSupportedByApi", "The platform's surface has no stop of blueprints. Stop the service there.")
    : stalled("DeleteNotSupported", "The platform's surface has no deletion of blueprints. Delete the service there.");
}
