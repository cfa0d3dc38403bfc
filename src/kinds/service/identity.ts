/** Decides whether a service may be worked on, what to do before it has an id, and how it is removed. Pure. */
import type { Plan, Uuid, Why } from "../../engine/contract/kind.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { once, stalled, safely } from "../shared/checks.ts";
import { nameMark } from "../shared/create-trace.ts";
import { unprovenId } from "../shared/limits.ts";
import {
  type ListedObject,
  adoptOrRefuse,
  alreadyManaged,
  checkLatecomers,
  gone,
  notThere,
  otherName,
  outside,
  projectNotAllowed,
  sameName,
  isMisnamed,
  unseen,
} from "../shared/names.ts";
import { isOpen, planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import { hasOperation } from "../shared/surface.ts";
import type { ServiceKind } from "./define.ts";
import { busy, unclearStop } from "./messages.ts";
import type { ServiceParents, ServiceAction, ServiceContext, ServiceObserved, Noun, ServiceNames } from "./model.ts";
import { stop } from "./steps.ts";

/** Refuses an environment of another organization, or in a project that the connection is not for. */
export function checkPlace(
  context: ServiceContext,
  { environmentIsOurs, projectId }: ServiceParents,
): Plan<never> | undefined {
  const why = environmentIsOurs
    ? projectNotAllowed(context, projectId)
    : notThere("environment", context.inputs.environmentId, "the organization");
  return why && { is: "stalled", why };
}

/** Returns the plan for a service without an id: to create it, or to adopt one of its name if that is allowed. */
export function planNew(kind: ServiceKind, context: ServiceContext, observed: ServiceObserved): Plan<ServiceAction> {
  const { name } = context.spec;
  const what = `${kind.noun} "${name}"`;
  const matches = (observed.siblings ?? []).filter((one) => sameName(one.name, name));
  const found = adoptOrRefuse(context, matches, what);
  if (found !== undefined) return found;
  const refused = kind.checkNew?.(context);
  if (refused !== undefined) return { is: "stalled", why: refused };
  const why: Why = { reason: "Creating", message: `Creating ${what}.` };
  const mark = { ...nameMark(observed.serverNow, observed.siblings), ...kind.createMark?.(context) };
  return once(kind.operations.create, { what: "create" }, why, { creates: true, name, mark });
}

const missed = ({ noun }: ServiceNames, { spec }: ServiceContext, id: Uuid) =>
  ({ noun, name: spec.name, id, where: "the environment" }) as const;

/**
 * Checks that the id leads to the right service, which may be worked on.
 * @returns undefined when it does
 */
export function checkIdentity(
  kind: ServiceKind,
  context: ServiceContext,
  observed: ServiceObserved,
  id: Uuid,
): Plan<never> | undefined {
  if (!isServiceShown(kind, context, observed)) {
    const found = kind.checkMissing?.(context, observed, id);
    if (found !== undefined) return found;
    if (isOpen(observed.presence)) return planUnshown(context, observed.presence, missed(kind, context, id));
    const why = unseen(context, missed(kind, context, id));
    return observed.isGone ? gone(context, why) : { is: "stalled", why };
  }
  if (isElsewhere(observed, id)) return { is: "stalled", why: elsewhere(kind.noun, id) };
  const { siblings = [] } = observed;
  const mine = siblings.find((one) => one.id === id);
  const what = `${kind.noun} "${context.spec.name}"`;
  return checkClaim(context, mine, id, kind.noun) ?? checkLatecomers(context, mine, siblings, what);
}

/** Refuses to adopt a service whose settings that cannot be changed differ from the spec. */
export function adoptable(
  { noun, settings }: ServiceKind,
  { spec }: ServiceContext,
  { siblings }: ServiceObserved,
  found: Extract<Plan<never>, { is: "adopt" }>,
): Plan<never> {
  const record = siblings?.find(({ id }) => id === found.id);
  for (const setting of settings) {
    if (record === undefined || !setting.isFixed || !("of" in setting)) continue;
    const { path } = setting;
    const there = setting.of(record);
    if (there === undefined || there === setting.of(spec)) continue;
    const message = `The ${noun} ${found.id} on the platform has another ${path.slice("spec.".length)} than ${path} says, and it cannot be changed. Fix ${path}, or choose another spec.name.`;
    return stalled("InvalidSpec", message);
  }
  return found;
}

/** Reports whether the platform shows the service. */
export function isServiceShown(kind: ServiceKind, context: ServiceContext, observed: ServiceObserved): boolean {
  return kind.isShown?.(context, observed) ?? observed.status !== undefined;
}

/**
 * Checks the claim to an existing object.
 * @param record as the platform shows it, if it does
 * @returns undefined when the claim is valid and recorded
 */
function checkClaim(
  context: ServiceContext,
  record: ListedObject | undefined,
  id: Uuid,
  noun: Noun,
): Plan<never> | undefined {
  const holder = context.records.holderOf(id);
  if (holder !== undefined) return { is: "stalled", why: alreadyManaged(id, holder) };
  if (context.identitySource === "recorded") return undefined;
  const isProven = record !== undefined || context.identitySource === "orphaned";
  const unproven = isProven ? undefined : unprovenId(context, `${noun} ${id}`);
  if (unproven !== undefined) return { is: "stalled", why: unproven };
  return isMisnamed(context, record) ? { is: "stalled", why: otherName(noun, id) } : { is: "adopt", id };
}

/** Reports whether the environment's list lacks the service: a record may have been forged. */
function isElsewhere({ siblings }: ServiceObserved, id: Uuid): boolean {
  return siblings !== undefined && !siblings.some((one) => one.id === id);
}

/** Returns the reason of a resource whose recorded id lies in another environment. */
function elsewhere(noun: Noun, id: Uuid): Why {
  const message = `The platform does not show that the ${noun} ${id} belongs to the environment of this resource, so it is not touched. Point the reference to its environment, or create a new resource.`;
  return { reason: "NotObservable", message };
}

/** Returns the plan for the goals "stopped" and "absent". */
export function planServiceRemoval(
  kind: ServiceKind,
  context: ServiceContext,
  observed: ServiceObserved,
): Plan<ServiceAction> {
  const { id } = context;
  if (id === undefined) return { is: "settled" };
  if (!isServiceShown(kind, context, observed))
    return planUnshownRemoval(observed.presence ?? "Gone", missed(kind, context, id));
  const refused = outside(context, observed.projectId);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (isElsewhere(observed, id)) return { is: "stalled", why: elsewhere(kind.noun, id) };
  return context.goal === "stopped" ? planStop(kind, context, observed) : planDelete(kind, context, observed);
}

function planStop(kind: ServiceKind, context: ServiceContext, observed: ServiceObserved): Plan<ServiceAction> {
  const { unseen, status } = observed;
  const state = status?.state ?? "";
  if (unseen !== undefined)
    return context.memory.runState === "Stopped" ? { is: "stalled", why: unseen } : stop(kind, context, observed);
  const phase = servicePhase(state);
  if (phase === "stopped" || phase === "idle" || phase === "gone") return { is: "settled" };
  if (phase === "unknown") return { is: "waiting", why: unclearStop(state, kind.noun) };
  return phase === "busy" ? { is: "waiting", why: busy(state) } : stop(kind, context, observed);
}

function planDelete(kind: ServiceKind, context: ServiceContext, observed: ServiceObserved): Plan<ServiceAction> {
  const { noun, plural, operations } = kind;
  const op = operations.delete;
  if (op === undefined || !isDeletable(kind, context, observed, op)) {
    return stalled("DeleteNotSupported", `The platform's surface has no deletion of ${plural}.`);
  }
  const record = observed.siblings?.find(({ id }) => id === context.id);
  const misnamed = record !== undefined && !sameName(record.name, context.spec.name);
  if (misnamed) return { is: "stalled", why: otherName(noun, record.id) };
  const state = observed.status?.state ?? "";
  if (servicePhase(state) === "busy") return { is: "waiting", why: busy(state) };
  if (!observed.deleting) return safely(op, { what: "delete" }, { message: `Delete the ${noun}.` });
  if (state === "DELETE_ERROR") {
    const message = "The platform reports DELETE_ERROR; the operator tries again.";
    return { is: "waiting", why: { reason: "DeleteFailed", message } };
  }
  return { is: "waiting", why: { reason: "Deleting", message: `The platform deletes the ${noun}.` } };
}

/**
 * Reports whether the platform can delete the service. Of a service that cannot be observed, a 404 would prove neither
 * that it is gone nor that it cannot be deleted.
 */
function isDeletable(
  { noun }: ServiceNames,
  context: ServiceContext,
  { siblings }: ServiceObserved,
  op: OperationName,
): boolean {
  return hasOperation(context, op) && (siblings !== undefined || noun === "application");
}
