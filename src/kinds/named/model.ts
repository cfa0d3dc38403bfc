/** The types that the parts of `namedKind` exchange, and the comparison of an object with its spec. Pure. */
import type {
  DriftField,
  JsonObject,
  KindTypes,
  Presence,
  ReconcileContext,
  Uuid,
  StatusReason,
} from "../../engine/contract/kind.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import type { Platform } from "../../platform/index.ts";
import type { AlteredMemory } from "../shared/altered.ts";
import type { ListedObject } from "../shared/names.ts";
import { fitText } from "../shared/text.ts";

export type NamedAction = "create" | "update" | "delete";

export interface NamedObserved<Item extends ListedObject = ListedObject> {
  /** The records of all objects of the parent, where the platform shows them. */
  readonly records: readonly Item[] | undefined;
  /** The ids of the same objects, where the platform shows them separately. */
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
  readonly memory: JsonObject & AlteredMemory;
  readonly action: NamedAction;
  readonly api: Platform;
}

export type NamedContext = ReconcileContext<NamedTypes>;

/** A record of which some members may be unknown. */
type PartialRecord<Item> = { readonly [Member in keyof Item]?: Item[Member] | undefined };

/** A setting, the name included. It is not compared where the spec or the platform has no value. */
export interface NamedSetting<Spec, Item> {
  /** E.g. "spec.description". */
  readonly path: string;
  desired(spec: Spec): string | undefined;
  observed(shown: PartialRecord<Item>): string | undefined;
}

/** The members of the declaration that the plan needs. */
export interface NamedPlan<K extends NamedTypes = NamedTypes, Item extends ListedObject = ListedObject> {
  /** E.g. "project". */
  readonly noun: string;
  /** What the names are unique in, e.g. "the organization". */
  readonly parent: string;
  readonly operations: Readonly<Record<NamedAction, OperationName>>;
  readonly settings: readonly NamedSetting<K["spec"], Item>[];
  /** Returns the record of the object, or what is remembered of it where the platform shows none. */
  recordOf(context: ReconcileContext<K>, observed: K["observed"]): PartialRecord<Item> | undefined;
  /** Returns the id of the project that `spec.allowedProjects` of the connection has to list. */
  projectOf(context: ReconcileContext<K>, id: Uuid): Uuid;
  /** Returns why nothing may be done in the parent. */
  checkParent?(context: ReconcileContext<K>, observed: K["observed"]): StatusReason | undefined;
  /** Returns why an object must not be adopted or changed, or, without an id, why none may be created. */
  checkReach?(context: ReconcileContext<K>, id: Uuid | undefined): StatusReason | undefined;
  /** Returns why a record does not suit the spec. */
  checkRecord?(context: ReconcileContext<K>, record: PartialRecord<Item> | undefined): StatusReason | undefined;
}

/** Returns everything in the parent, by id. Every surface shows it, so it proves that an object exists. */
export function shownIn({ counts, records = [] }: NamedObserved): readonly { readonly id: Uuid }[] {
  return counts ?? records;
}

/** Returns the record of the context's object, if the platform shows it. */
export function ownRecord<Item extends ListedObject>(
  { id }: { readonly id: Uuid | undefined },
  { records }: { readonly records: readonly Item[] | undefined },
): Item | undefined {
  return records?.find((one) => one.id === id);
}

/** Returns the settings in which the platform differs from the spec, the name first, with their whole values. */
export function namedDifferences(
  kind: NamedPlan,
  context: NamedContext,
  observed: NamedObserved,
): readonly DriftField[] {
  const shown = kind.recordOf(context, observed);
  if (shown === undefined) return [];
  return kind.settings.flatMap((setting) => {
    const [desired, actual] = [setting.desired(context.spec), setting.observed(shown)];
    if (desired === undefined || actual === undefined || desired === actual) return [];
    return [{ path: setting.path, desired, observed: actual }];
  });
}

/** Returns the same differences as the status shows them: the platform's values are cut. */
export function namedDrift(kind: NamedPlan, context: NamedContext, observed: NamedObserved): readonly DriftField[] {
  return namedDifferences(kind, context, observed).map((field) => ({ ...field, observed: fitText(field.observed) }));
}
