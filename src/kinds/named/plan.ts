/** Plans an object that has a name, unique in its parent, and settings (docs/project/architecture.md §4). Pure. */
import type { Json, Plan, Uuid, StatusReason } from "../../engine/contract/kind.ts";
import { isAltered } from "../shared/altered.ts";
import { firstOf, once, stalled, safely } from "../shared/checks.ts";
import { nameMark } from "../shared/create-trace.ts";
import {
  adoptOrRefuse,
  alreadyManaged,
  checkDuplicate,
  isMisnamed,
  reasonOtherName,
  reasonOutsideProjects,
  sameName,
  type ListedObject,
} from "../shared/names.ts";
import { deleting, planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import { hasOperation } from "../shared/surface.ts";
import {
  ownRecord,
  type NamedAction,
  type NamedContext,
  namedDifferences,
  namedDrift,
  type NamedObserved,
  type NamedPlan,
  shownIn,
} from "./model.ts";

/** Returns the next step. */
export function planNamed(kind: NamedPlan, context: NamedContext, observed: NamedObserved): Plan<NamedAction> {
  const { id } = context;
  if (context.goal !== "present") return planAbsent(kind, context, observed);
  const unreachable = kind.checkParent?.(context, observed);
  if (unreachable !== undefined) return { is: "stalled", why: unreachable };
  if (id === undefined) return planNew(kind, context, observed);
  if (!shownIn(observed).some((one) => one.id === id))
    return planUnshown(context, observed.presence, missingObject(kind, context, id));
  const own = ownRecord(context, observed);
  const refused =
    kind.checkReach?.(context, id) ??
    checkHolder(kind, context, own, id) ??
    // This is checked before the object is recorded, as the spec cannot be fixed afterwards.
    kind.checkRecord?.(context, kind.recordOf(context, observed));
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.identitySource !== "recorded") return { is: "adopt", id };
  return firstOf(context, [
    () => checkDuplicate(context, own, observed.records ?? [], `${kind.noun} "${context.spec.name}"`),
    () => checkSettings(kind, context, observed),
  ]);
}

function checkHolder({ noun }: NamedPlan, context: NamedContext, own: ListedObject | undefined, id: Uuid) {
  const holder = context.records.holderOf(id);
  if (holder !== undefined) return alreadyManaged(id, holder);
  return isMisnamed(context, own) ? reasonOtherName(noun, id) : undefined;
}

/**
 * Returns the update if the settings differ and the platform has one. Settings that cannot be sent hold nothing back:
 * the condition SettingsSynced reports them.
 */
function checkSettings(kind: NamedPlan, context: NamedContext, observed: NamedObserved): Plan<NamedAction> | undefined {
  const { noun, operations } = kind;
  // Settings are sent once in a reconcile: a value that the platform stores differently is reported as drift and does
  // not cause another update.
  const changes = observed.updated === true ? [] : namedDrift(kind, context, observed);
  const can = ownRecord(context, observed) !== undefined && hasOperation(context, operations.update);
  if (changes.length === 0 || !can || isAltered(context, namedDifferences(kind, context, observed))) return undefined;
  const message = `Update the ${noun}'s settings.`;
  return safely(operations.update, "update", { message, corrects: true, changes });
}

function planNew(kind: NamedPlan, context: NamedContext, observed: NamedObserved): Plan<NamedAction> {
  const { name } = context.spec;
  const what = `${kind.noun} "${name}"`;
  const matches = (observed.records ?? []).filter((one) => sameName(one.name, name));
  const found = adoptOrRefuse(context, matches, what);
  if (found !== undefined && found.is !== "adopt") return found;
  const refused = kind.checkReach?.(context, found?.id) ?? (found && kind.checkRecord?.(context, matches[0]));
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (found !== undefined) return found;
  const why: StatusReason = { reason: "Creating", message: `Creating ${what}.` };
  return once(kind.operations.create, "create", why, { creates: true, name, mark: markOf(observed) });
}

/** Returns the baseline of a create. Without names, a trace looks for new ids, so the baseline has all ids. */
function markOf(observed: NamedObserved): Json {
  const { records, serverNow } = observed;
  if (records !== undefined) return nameMark(serverNow, records);
  return { ...nameMark(serverNow), ids: shownIn(observed).map(({ id }) => id) };
}

function planAbsent(kind: NamedPlan, context: NamedContext, observed: NamedObserved): Plan<NamedAction> {
  const { noun, operations } = kind;
  const { id } = context;
  if (id === undefined || context.goal === "stopped") return { is: "settled" };
  if (!shownIn(observed).some((one) => one.id === id))
    return planUnshownRemoval(observed.presence, missingObject(kind, context, id));
  const why = deleting(noun);
  if (observed.deleting === true) return { is: "waiting", why };
  const own = ownRecord(context, observed);
  // Anyone who may edit the resource can write the id: an object of another name may be somebody else's.
  const isOther = own !== undefined && !sameName(own.name, context.spec.name);
  const refused =
    reasonOutsideProjects(context, kind.projectOf(context, id)) ?? (isOther ? reasonOtherName(noun, id) : undefined);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (hasOperation(context, operations.delete)) return safely(operations.delete, "delete", { message: why.message });
  return stalled("DeleteNotSupported", `The platform's surface has no deletion of ${noun}s.`);
}

const missingObject = ({ noun, parent }: NamedPlan, { spec }: NamedContext, id: Uuid) =>
  ({ noun, name: spec.name, id, where: parent }) as const;
