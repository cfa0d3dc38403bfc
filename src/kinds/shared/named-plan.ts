/** Plans an object that has a name, unique in its parent, and settings (docs/architecture.md §4). Pure. */
import type {
  DriftField,
  Json,
  KindTypes,
  Plan,
  Presence,
  ReconcileContext,
  Uuid,
  Why,
} from "../../engine/contract/kind.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import type { Platform } from "../../platform/index.ts";
import { firstOf, once, stalled, safely } from "./checks.ts";
import { nameMark } from "./create-trace.ts";
import {
  adoptOrRefuse,
  alreadyManaged,
  checkLatecomers,
  isMisnamed,
  otherName,
  outside,
  sameName,
  type ListedObject,
} from "./names.ts";
import { planUnshown, planUnshownRemoval } from "./presence.ts";
import { fitText } from "./text.ts";

export type NamedAction = "create" | "update" | "delete";

export interface NamedObserved<Item extends ListedObject = ListedObject> {
  /** The records of all objects of the parent, where the platform shows them. */
  readonly records: readonly Item[] | undefined;
  /** The ids of the same objects, where the platform shows them apart. */
  readonly counts?: readonly { readonly id: Uuid }[];
  /** Whether the context's id is among the objects of the parent. */
  readonly presence: Presence;
  readonly serverNow: Date | undefined;
  /** The settings were sent in this reconcile. */
  readonly updated?: boolean;
  /** A delete was sent in this reconcile. */
  readonly deleting?: boolean;
}

/** The types of a kind that `namedKind` builds. */
export interface NamedTypes<Item extends ListedObject = ListedObject> extends KindTypes {
  readonly spec: { readonly name: string; readonly externalId?: Uuid | undefined };
  readonly observed: NamedObserved<Item>;
  readonly action: NamedAction;
  readonly api: Platform;
}

type NamedContext = ReconcileContext<NamedTypes>;

/** What is known of a record. */
type Known<Item> = { readonly [Member in keyof Item]?: Item[Member] | undefined };

/** A setting, the name included. Nothing is compared while the spec or the platform shows none. */
export interface NamedSetting<Spec, Item> {
  /** E.g. "spec.description". */
  readonly path: string;
  desired(spec: Spec): string | undefined;
  observed(shown: Known<Item>): string | undefined;
}

/** The members of the declaration that the plan needs. */
export interface NamedPlan<K extends NamedTypes = NamedTypes, Item extends ListedObject = ListedObject> {
  /** E.g. "project". */
  readonly noun: string;
  /** What the names are unique in, e.g. "the organization". */
  readonly parent: string;
  readonly operations: Readonly<Record<NamedAction, OperationName>>;
  readonly settings: readonly NamedSetting<K["spec"], Item>[];
  /** What a user can do where the platform has no update. */
  readonly updateAdvice: string;
  /** Returns the record of the object, or what is remembered of it where the platform shows none. */
  recordOf(context: ReconcileContext<K>, observed: K["observed"]): Known<Item> | undefined;
  /** Returns the id of the project that `spec.allowedProjects` of the connection has to list. */
  projectOf(context: ReconcileContext<K>, id: Uuid): Uuid;
  /** Returns why nothing may be done in the parent. */
  checkParent?(context: ReconcileContext<K>, observed: K["observed"]): Why | undefined;
  /** Returns why an object must not be adopted or changed, or, without an id, why none may be created. */
  checkReach?(context: ReconcileContext<K>, id: Uuid | undefined): Why | undefined;
  /** Returns why a record does not suit the spec. */
  checkRecord?(context: ReconcileContext<K>, record: Known<Item> | undefined): Why | undefined;
}

/** Returns everything in the parent, by id. Every surface shows it, so it proves that an object exists. */
export function shownIn({ counts, records = [] }: NamedObserved): readonly { readonly id: Uuid }[] {
  return counts ?? records;
}

/** Returns the record of the context's object, if the platform shows it. */
export function mineOf<Item extends ListedObject>(
  { id }: { readonly id: Uuid | undefined },
  { records }: { readonly records: readonly Item[] | undefined },
): Item | undefined {
  return records?.find((one) => one.id === id);
}

/** Returns the settings in which the platform differs from the spec, the name first. */
export function namedDrift(kind: NamedPlan, context: NamedContext, observed: NamedObserved): readonly DriftField[] {
  const shown = kind.recordOf(context, observed);
  if (shown === undefined) return [];
  return kind.settings.flatMap((setting) => {
    const [desired, actual] = [setting.desired(context.spec), setting.observed(shown)];
    if (desired === undefined || actual === undefined || desired === actual) return [];
    return [{ path: setting.path, desired, observed: fitText(actual) }];
  });
}

/** Returns the next step. */
export function planNamed(kind: NamedPlan, context: NamedContext, observed: NamedObserved): Plan<NamedAction> {
  const { id } = context;
  if (context.goal !== "present") return planAbsent(kind, context, observed);
  const unreachable = kind.checkParent?.(context, observed);
  if (unreachable !== undefined) return { is: "stalled", why: unreachable };
  if (id === undefined) return planNew(kind, context, observed);
  if (!shownIn(observed).some((one) => one.id === id))
    return planUnshown(context, observed.presence, missed(kind, context, id));
  const mine = mineOf(context, observed);
  const refused =
    kind.checkReach?.(context, id) ??
    checkHolder(kind, context, mine, id) ??
    // This is checked before the object is recorded, as the spec cannot be fixed afterwards.
    kind.checkRecord?.(context, kind.recordOf(context, observed));
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.identitySource !== "recorded") return { is: "adopt", id };
  return firstOf(context, [
    () => checkLatecomers(context, mine, observed.records ?? [], `${kind.noun} "${context.spec.name}"`),
    () => checkSettings(kind, context, observed),
  ]);
}

function checkHolder({ noun }: NamedPlan, context: NamedContext, mine: ListedObject | undefined, id: Uuid) {
  const holder = context.records.holderOf(id);
  if (holder !== undefined) return alreadyManaged(id, holder);
  return isMisnamed(context, mine) ? otherName(noun, id) : undefined;
}

function checkSettings(kind: NamedPlan, context: NamedContext, observed: NamedObserved): Plan<NamedAction> | undefined {
  const { noun, operations } = kind;
  // Settings are sent once in a reconcile: what the platform stores differently is reported as drift.
  const changes = observed.updated === true ? [] : namedDrift(kind, context, observed);
  if (changes.length === 0) return undefined;
  if (mineOf(context, observed) !== undefined && context.supports(operations.update) !== "Unsupported") {
    const message = `Update the ${noun}'s settings.`;
    return safely(operations.update, "update", { message, corrects: true, changes });
  }
  if (context.policies.corrects === "Nothing") return undefined;
  return stalled("UpdateNotSupported", `The platform's surface has no update of ${noun}s. ${kind.updateAdvice}`);
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
  if (context.supports(kind.operations.create) === "Unsupported")
    return stalled("NotSupportedByApi", `The platform's surface cannot create a ${kind.noun}.`);
  const why: Why = { reason: "Creating", message: `Creating ${what}.` };
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
    return planUnshownRemoval(observed.presence, missed(kind, context, id));
  if (observed.deleting === true)
    return { is: "waiting", why: { reason: "Deleting", message: `The platform deletes the ${noun}.` } };
  const mine = mineOf(context, observed);
  // Anyone who may edit the resource can write the id: an object of another name may be somebody else's.
  const isOther = mine !== undefined && !sameName(mine.name, context.spec.name);
  const refused = outside(context, kind.projectOf(context, id)) ?? (isOther ? otherName(noun, id) : undefined);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.supports(operations.delete) !== "Unsupported") return safely(operations.delete, "delete");
  return stalled("DeleteNotSupported", `The platform's surface has no deletion of ${noun}s.`);
}

const missed = ({ noun, parent }: NamedPlan, { spec }: NamedContext, id: Uuid) =>
  ({ noun, name: spec.name, id, where: parent }) as const;
