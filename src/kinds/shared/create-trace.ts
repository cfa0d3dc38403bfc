/** Traces unconfirmed creates by the lists of the platform before and after them (docs/project/architecture.md §6). */
import type {
  ActionResult,
  Json,
  JsonObject,
  OpenIntent,
  Trace,
  Uuid,
  StatusReason,
} from "../../engine/contract/kind.ts";
import { isWhole } from "../../platform/codec/listing.ts";
import { sameName, type ListedObject } from "./names.ts";
import type { WithSurface } from "./surface.ts";
import type { WithRecords } from "./types.ts";

/** The largest time by which `created_at` may precede the intent. */
const SKEW_MS = 60_000;

/** The largest number of ids in a baseline: it is stored in an annotation. */
const BASELINE_IDS = 100;

/**
 * Returns the baseline of a create by name: the platform's time at which the name was absent, and ids that existed
 * then.
 * @param list the objects that existed then. The baseline has the ids of at most 100, spread evenly over the list, so
 * that an incomplete later list lacks some of them
 */
export function nameMark(
  serverNow: Date | undefined,
  list: readonly { readonly id: Uuid }[] = [],
): { readonly absentAt: string | null; readonly ids?: readonly Uuid[] } {
  const step = Math.ceil(list.length / BASELINE_IDS);
  const ids = list.filter((_item, index) => index % step === 0).map(({ id }) => id);
  return { absentAt: serverNow?.toISOString() ?? null, ...(ids.length > 0 && { ids }) };
}

/** Returns the ids in the baseline of an intent: objects that existed before it. */
export function idsBefore({ mark }: OpenIntent): ReadonlySet<unknown> {
  const listed = baseline(mark, "ids");
  return new Set<unknown>(Array.isArray(listed) ? listed : []);
}

/**
 * Returns the result of a trace whose list does not show the object of an intent. The list proves absence only if it is
 * complete and contains all ids of the intent's baseline.
 * @param list as a read of the platform returned it
 * @param items those of its items that could be the object
 */
export function notCreated(
  intent: OpenIntent,
  list: readonly unknown[],
  items: readonly { readonly id: Uuid }[],
): { readonly is: "absent" } | { readonly is: "unknowable"; readonly why: StatusReason } {
  const shown = new Set<unknown>(items.map(({ id }) => id));
  if (isWhole(list) && [...idsBefore(intent)].every((id) => shown.has(id))) return { is: "absent" };
  const because = "the list that does not show it may not hold all there is";
  return { is: "unknowable", why: createUnknown(intent.name, because) };
}

/**
 * Returns the reason of a create whose outcome is unknown.
 * @param because why it cannot be looked up
 */
export function createUnknown(name: string | undefined, because: string): StatusReason {
  const message = `The platform did not confirm the creation of "${name ?? ""}", and ${because}. Look on the platform: if it exists, set spec.externalId (if the connection allows unverified ids: its spec.allowUnverifiedIds).`;
  return { reason: "CreateResultUnknown", message };
}

/**
 * Returns the result of the trace of a create for which `readOnFull` returned no list.
 * @param operation that lists what was to be created
 */
export function unlisted({ name }: OpenIntent, operation: string, { isFull }: WithSurface) {
  if (!isFull)
    return { is: "unknowable", why: createUnknown(name, "its surface has no list to look it up in") } as const;
  const because = `it does not answer ${operation}, the list to look it up in`;
  return { is: "unread", why: createUnknown(name, because) } as const;
}

/**
 * Returns the listed objects that an intent may have created: those of its name that nobody holds and that are no older
 * than the intent (docs/project/architecture.md §6).
 */
export function landed<Item extends ListedObject>(
  intent: OpenIntent,
  list: readonly Item[],
  holderOf: (id: Uuid) => string | undefined,
): readonly Item[] {
  const absentAt = baseline(intent.mark, "absentAt");
  const since = typeof absentAt === "string" ? Date.parse(absentAt) - SKEW_MS : Number.NEGATIVE_INFINITY;
  return list.filter(
    ({ id, name, createdAt }) =>
      sameName(name, intent.name ?? "") && holderOf(id) === undefined && !(Date.parse(createdAt ?? "") < since),
  );
}

/**
 * Traces a create by the list of its parent.
 * @param list as a read of the platform returned it
 * @param known returns what is known of an item that the intent may have created
 * @param items those of the list that could be the object
 */
export function traceIn<Item extends ListedObject, Observed, Mem extends JsonObject>(
  intent: OpenIntent,
  { records }: WithRecords<"holderOf">,
  list: readonly unknown[],
  items: readonly Item[],
  known: (item: Item) => ActionResult<Observed, Mem>,
): Trace<Observed, Mem> {
  const found = landed(intent, items, records.holderOf);
  return found.length === 0 ? notCreated(intent, list, items) : { is: "landed", known: found.map(known) };
}

/** Returns a member of a baseline. */
export function baseline(mark: Json, name: string): Json | undefined {
  const isObject = typeof mark === "object" && mark !== null && Object.hasOwn(mark, name);
  return isObject ? new Map(Object.entries(mark)).get(name) : undefined;
}
