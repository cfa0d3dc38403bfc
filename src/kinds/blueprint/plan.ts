/** What a blueprint needs next: after its creation, the platform lets nobody do anything about it. Pure. */
import type { Plan, Uuid, Why } from "../../engine/contract/kind.ts";
import { checkClaim, checkPlace } from "../service/identity.ts";
import type { Progress } from "../service/progress.ts";
import { checkBusy, checkUnclear, once, stalled } from "../service/steps.ts";
import { failureReason } from "../service/words.ts";
import { nameMark } from "../shared/create-trace.ts";
import { adoptOrRefuse, checkLatecomers, deletedThere, gone, outside, sameName } from "../shared/names.ts";
import { isOpen, planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import { unseen } from "../shared/unseen.ts";
import { overridesRefused } from "./engine.ts";
import { isRecent, isToRun, serviceOf, type BlueprintPass, type Do, type Seen } from "./model.ts";
import { progressIn } from "./progress.ts";
import { changedPaths, written } from "./settings.ts";

type Check = Plan<Do> | undefined;

/** What to do next. */
export function plan(pass: BlueprintPass, seen: Seen): Plan<Do> {
  if (pass.goal !== "present") return planRemoval(pass, seen);
  const place = checkPlace(pass, seen);
  if (place !== undefined) return place;
  if (pass.id === undefined) return planNew(pass, seen);
  return checkIdentity(pass, seen, pass.id) ?? planExisting(pass, seen);
}

function planNew(pass: BlueprintPass, seen: Seen): Plan<Do> {
  const { name, deployOnCreate = false } = pass.spec;
  const what = `service "${name}"`;
  const matches = (seen.siblings ?? []).filter((one) => sameName(one.name, name));
  const found = adoptOrRefuse(pass, matches, what);
  if (found !== undefined) return found;
  const refused = overridesRefused(pass.spec);
  if (refused !== undefined) return { is: "stalled", why: refused };
  const why: Why = { reason: "Creating", message: `Creating ${what}.` };
  // What was sent, as the spec may be another by the time that the create is traced.
  const mark = { ...nameMark(seen.serverNow, seen.siblings), written: written(pass), deploys: deployOnCreate };
  return once("createBlueprint", { what: "create" }, why, { creates: true, name, mark });
}

/** Whether the id leads to the blueprint that is meant. */
function checkIdentity(pass: BlueprintPass, seen: Seen, id: Uuid): Check {
  const service = serviceOf(pass, seen);
  if (seen.siblings === undefined || service !== undefined) {
    const what = `service "${pass.spec.name}"`;
    return checkClaim(pass, service, id, "service") ?? checkLatecomers(pass, service, seen.siblings ?? [], what);
  }
  if (pass.proof !== "recorded" && !isOpen(seen.presence)) return { is: "stalled", why: notListed(pass, seen, id) };
  if (pass.proof === "recorded" && isUnlisted(pass)) {
    return { is: "waiting", why: { reason: "Progressing", message: "The platform does not list the service yet." } };
  }
  if (isOpen(seen.presence)) return planUnshown(pass, seen.presence, missed(pass, id));
  const why = deletedThere(`service "${pass.spec.name}"`, id);
  return seen.isGone ? gone(pass, why) : { is: "stalled", why };
}

const missed = ({ spec }: BlueprintPass, id: Uuid) =>
  ({ noun: "service", name: spec.name, id, where: "the environment" }) as const;

/** Whether it was created so recently that the platform's list may not show it yet. */
function isUnlisted(pass: BlueprintPass): boolean {
  return pass.memory.serviceId === undefined && isRecent(pass, pass.memory.createdAt);
}

/** People see the id of the service more often than that of its blueprint. */
function notListed(pass: BlueprintPass, { siblings }: Seen, id: Uuid): Why {
  const meant = siblings?.find(({ serviceId }) => serviceId === id)?.id;
  if (meant === undefined) {
    return unseen(pass, { noun: "blueprint", name: pass.spec.name, id, where: "the environment" });
  }
  const message = `The id ${id} is that of a service. Set spec.externalId to the id of its blueprint, ${meant}.`;
  return { reason: "InvalidSpec", message };
}

function planExisting(pass: BlueprintPass, seen: Seen): Plan<Do> {
  const changed = changedPaths(pass);
  if (changed.length > 0) {
    return stalled(
      "UpdateNotSupported",
      `The platform's surface has no update of blueprints: ${changed.toSorted().join(", ")} cannot be changed. Change it back, or change it on the platform and adopt the service anew.`,
    );
  }
  const progress = progressIn(pass, seen);
  if (progress === undefined) return withoutState(pass);
  return (
    checkBegun(pass, seen) ??
    checkBusy(progress) ??
    checkEnd(pass, seen, progress) ??
    checkUnclear(progress, "service") ?? { is: "settled" }
  );
}

/** The documented surface shows no state. On the full one, every service that is listed has one. */
function withoutState({ supports }: BlueprintPass): Plan<Do> {
  if (supports("listServiceStatuses") !== "Supported") return { is: "settled" };
  return { is: "waiting", why: { reason: "Progressing", message: "The platform shows no state of the service yet." } };
}

/** A deployment that was asked for with the create and never shows: nobody would see it end. */
function checkBegun(pass: BlueprintPass, { status, request }: Seen): Check {
  const last = pass.memory.lastDeployment;
  if (last === undefined || last.finishedAt !== undefined || last.baseline === undefined) return undefined;
  if (request !== undefined || status?.state !== "READY" || isRecent(pass, last.startedAt)) return undefined;
  return stalled(
    "DeploymentFailed",
    "The service was to be deployed right after its creation, but the platform shows no such deployment. Deploy it on the platform.",
  );
}

/** What the platform alone can mend. */
function checkEnd(pass: BlueprintPass, seen: Seen, { phase, state }: Progress): Check {
  const { name } = pass.spec;
  if (phase === "failed") {
    const after = seen.siblings === undefined ? ", then set spec.deployOnCreate false: the service is not shown" : "";
    return stalled(
      failureReason(state),
      `The platform reports ${state} for service "${name}". Look at it on the platform and deploy it there: the platform's surface has no deployment of blueprints${after}.`,
    );
  }
  if (!isToRun(pass)) return undefined;
  const others = "Deploy it on the platform, or leave that to others with spec.deployOnCreate false.";
  if (phase === "idle" && pass.memory.lastDeployment !== undefined) {
    return stalled("Canceled", `The deployment that was to follow the creation was cancelled. ${others}`);
  }
  if (phase !== "stopped" && phase !== "gone") return undefined;
  const what = phase === "stopped" ? "stopped" : "uninstalled";
  return stalled("DriftDetected", `The service was ${what} on the platform. ${others}`);
}

/** No surface has a deletion or a stop of what came from a blueprint. */
function planRemoval(pass: BlueprintPass, seen: Seen): Plan<Do> {
  if (pass.id === undefined) return { is: "settled" };
  const isUnshown = seen.siblings !== undefined && serviceOf(pass, seen) === undefined && !isUnlisted(pass);
  if (isUnshown) return planUnshownRemoval(seen.presence ?? "Gone", missed(pass, pass.id));
  const refused = outside(pass, seen.projectId);
  if (refused !== undefined) return { is: "stalled", why: refused };
  return pass.goal === "stopped"
    ? stalled("NotSupportedByApi", "The platform's surface has no stop of blueprints. Stop the service there.")
    : stalled("DeleteNotSupported", "The platform's surface has no deletion of blueprints. Delete the service there.");
}
