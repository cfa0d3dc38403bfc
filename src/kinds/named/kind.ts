/**
 * Builds a kind of objects that have a name, unique in their parent, settings, and no state of their own. Such kinds
 * plan, act, trace and report alike, and their declarations say what differs (docs/project/architecture.md §3).
 */
import type { ConditionFact, Kind, ReconcileContext, Report, Uuid } from "../../engine/contract/kind.ts";
import { type OperationName, isDocumented, isSupported } from "../../platform/codec/operations.ts";
import type { Platform } from "../../platform/index.ts";
import { alterationOf, keptAlteration } from "../shared/altered.ts";
import { readAfterWrite, unlessMissing } from "../shared/answers.ts";
import { idsBefore, landed, notCreated, unlisted } from "../shared/create-trace.ts";
import type { ListedObject } from "../shared/names.ts";
import { isKnown, isRoutine, presenceIn } from "../shared/presence.ts";
import { hasUpdate, settingsCondition } from "../shared/settings-synced.ts";
import { listOnFull, readOnFull } from "../shared/surface.ts";
import { fitText } from "../shared/text.ts";
import {
  ownRecord,
  namedDifferences,
  namedDrift,
  shownIn,
  type NamedObserved,
  type NamedPlan,
  type NamedTypes,
} from "./model.ts";
import { planNamed } from "./plan.ts";

/** The declaration of such a kind. */
export interface NamedKind<K extends NamedTypes<Item>, Item extends ListedObject>
  extends NamedPlan<K, Item>, Required<Pick<Kind<K>, "resource" | "needs" | "observe" | "remote">> {
  /** The operation that lists the records, where the specification does not have it. */
  readonly list?: OperationName;
  /** Reads the parent afresh for a trace. `parentId` is that of the intent. @throws ApiError */
  observeParent(context: ReconcileContext<K>, api: Platform, parentId: Uuid | undefined): Promise<K["observed"]>;
  /** @throws ApiError */
  create(context: ReconcileContext<K>, api: Platform): Promise<Item>;
  /** Returns the record of the answer; undefined where it has none. @throws ApiError */
  update(context: ReconcileContext<K>, api: Platform, own: Item): Promise<Item | undefined>;
  /** Returns the members of a record that an update sends. */
  sent(spec: K["spec"]): Partial<Item>;
  /** @throws ApiError */
  delete(api: Platform, id: Uuid): Promise<unknown>;
  /** Returns the memory of a record. Where the platform shows none, the record has only id and name of the create. */
  memoryOf(context: ReconcileContext<K>, record: Item | ListedObject): K["memory"];
  /** Returns conditions and members of status of an object that exists and is this resource's. */
  report(context: ReconcileContext<K>, observed: K["observed"]): Pick<Report, "conditions" | "status">;
}

/** Returns how old lists may be: a reconcile that only checks a settled object shares the lists of its parent. */
export function listAge(context: Parameters<typeof isRoutine>[0]): { readonly maxAgeMs: number } {
  return { maxAgeMs: isRoutine(context) ? 5_000 : 0 };
}

/** The reads of a kind whose objects lie in the organization itself. */
interface Area<Item> {
  /** @throws ApiError */
  list(options?: { readonly maxAgeMs: number }): Promise<readonly Item[]>;
  /** @throws ApiError */
  get(id: Uuid): Promise<Item>;
}

/** Returns the reads of a kind whose objects lie in the organization itself, by the operations of its area. */
export function ofOrganization<Item extends ListedObject>(
  operations: Readonly<Record<keyof Area<Item>, OperationName>>,
  areaOf: (api: Platform) => Area<Item>,
) {
  return {
    remote: { operation: operations.get, read: (api: Platform, id: Uuid) => areaOf(api).get(id) },
    /** @throws ApiError */
    observe: async (context: ReconcileContext, api: Platform): Promise<NamedObserved<Item>> => {
      const area = areaOf(api);
      const read = () => area.list(listAge(context));
      const listed = await (isDocumented(operations.list) ? read() : listOnFull(context, api, read));
      const observed =
        listed === undefined
          ? { records: undefined, presence: "Unproven" as const }
          : await listWithOwn(context, listed, api, area);
      return { ...observed, serverNow: api.serverNow() };
    },
    /** @throws ApiError */
    observeParent: async (_context: ReconcileContext, api: Platform): Promise<NamedObserved<Item>> => ({
      records: await areaOf(api).list(),
      presence: "Present",
      serverNow: api.serverNow(),
    }),
  };
}

/**
 * Looks for a recorded object that a list lacks, as the list may lag: reads it by its id, or the list again where that
 * is not offered. @throws ApiError
 */
async function listWithOwn<Item extends ListedObject>(
  context: ReconcileContext,
  listed: readonly Item[],
  api: Platform,
  area: Area<Item>,
): Promise<Pick<NamedObserved<Item>, "records" | "presence">> {
  const { id } = context;
  const presenceAmong = (list: readonly Item[]) => presenceIn(context, list, ({ id: one }) => one === id);
  const presence = presenceAmong(listed);
  if (id === undefined || context.identitySource !== "recorded" || isKnown(presence, context.goal))
    return { records: listed, presence };
  const own = await unlessMissing(readOnFull(context, api, () => area.get(id), ["NotFound"]));
  if (own !== undefined) return { records: [...listed, own], presence: "Present" };
  const records = await area.list();
  return { records, presence: presenceAmong(records) };
}

/** Returns the kind that a declaration describes. */
export function namedKind<K extends NamedTypes<Item>, Item extends ListedObject>(
  declared: NamedKind<K, Item>,
): Kind<K> {
  const { resource, noun, operations, list } = declared;
  return {
    resource,
    claim: (spec) => spec.externalId,
    operations: () => ({
      delete: [operations.delete],
    }),
    listable: (isFull) => list === undefined || isSupported(list, isFull),
    remote: declared.remote,
    needs: (spec) => declared.needs(spec),
    observe: (context, api) => declared.observe(context, api),
    // The parent of a new object was read, so a 404 means that the platform does not have the create.
    shows: (step, { id }, observed) =>
      step.action === "create" ? !isDocumented(step.op) : shownIn(observed).some((one) => one.id === id),
    plan: (context, observed) => planNamed(declared, context, observed),
    act: async ({ action: what }, context, observed, api) => {
      if (what === "create") {
        const made = await declared.create(context, api);
        const records = observed.records && [...observed.records, made];
        const counts = observed.counts && [...observed.counts, { id: made.id }];
        return { observed: { ...observed, records, counts }, memory: declared.memoryOf(context, made), id: made.id };
      }
      if (what === "delete") {
        if (context.id !== undefined) await declared.delete(api, context.id);
        return { observed: { ...observed, deleting: true }, memory: context.memory };
      }
      const own = ownRecord(context, observed);
      if (own === undefined) return { observed, memory: context.memory };
      const answer = await declared.update(context, api, own);
      const withRecord = (record: Item) => ({
        ...observed,
        records: observed.records?.map((one) => (one.id === own.id ? record : one)),
        updated: true,
      });
      const next = answer ?? { ...own, ...declared.sent(context.spec) };
      const shown = answer ? withRecord(answer) : await readAfterWrite(api, () => declared.observe(context, api));
      const left = shown && namedDifferences(declared, context, shown);
      const memory = { ...declared.memoryOf(context, next), altered: alterationOf(context, left ?? []) };
      return { observed: withRecord(next), memory };
    },
    // A create has landed if an object of its name, or any object where there are no names, is new and held by nobody.
    trace: async (intent, context, api) => {
      const observed = await declared.observeParent(context, api, intent.parentId);
      const list = observed.records ?? shownIn(observed);
      const before = idsBefore(intent);
      const fresh = <One extends { readonly id: Uuid }>(all: readonly One[]) => all.filter(({ id }) => !before.has(id));
      const found =
        observed.records === undefined
          ? fresh(list)
              .filter(({ id }) => context.records.holderOf(id) === undefined)
              .map(({ id }) => ({ id, name: intent.name ?? context.spec.name }))
          : landed(intent, fresh(observed.records), context.records.holderOf);
      // What shows objects without a list, as the statistics of a project, proves that one exists, and never that none does.
      const isListed = observed.records !== undefined || declared.list === undefined;
      if (found.length === 0)
        return isListed ? notCreated(intent, list, list) : unlisted(intent, declared.list, context);
      const known = found.map((one) => ({ observed, memory: declared.memoryOf(context, one), id: one.id }));
      return { is: "landed", known };
    },
    report: (context, observed) => {
      // An object that does not belong to this resource, or not yet, is not reported.
      const exists = context.identitySource === "recorded" && shownIn(observed).some(({ id }) => id === context.id);
      const drift = exists ? namedDrift(declared, context, observed) : [];
      const name = (exists ? declared.recordOf(context, observed)?.name : undefined) ?? context.spec.name;
      return {
        ready: { reason: "Available", message: `${capitalized(noun)} "${fitText(name)}" exists on the platform.` },
        ...(exists ? reported(declared, context, observed) : { conditions: [], status: {} }),
        drift,
      };
    },
  };
}

/** Returns the kind's report with SettingsSynced, and with the memory of what the last update left. Only a read after the update clears it. */
function reported<K extends NamedTypes<Item>, Item extends ListedObject>(
  declared: NamedKind<K, Item>,
  context: ReconcileContext<K>,
  observed: K["observed"],
): Pick<Report, "conditions" | "status"> {
  const { conditions, status } = declared.report(context, observed);
  const { altered } = context.memory;
  const kept =
    observed.updated === true ? altered : keptAlteration(context, namedDifferences(declared, context, observed));
  return {
    conditions: [...conditions, ...settingsSynced(declared, context, observed)],
    status: { ...status, altered: kept },
  };
}

/** Reports settings that differ from the platform's, and that cannot be sent. */
function settingsSynced<K extends NamedTypes<Item>, Item extends ListedObject>(
  declared: NamedKind<K, Item>,
  context: ReconcileContext<K>,
  observed: K["observed"],
): readonly ConditionFact[] {
  const { noun, operations } = declared;
  const { update } = operations;
  const isShown = ownRecord(context, observed) !== undefined;
  if (isShown && hasUpdate(context, update)) return [];
  const paths = namedDifferences(declared, context, observed).map(({ path }) => path);
  return settingsCondition(context, paths, { noun, plural: `${noun}s`, update, isShown });
}

const capitalized = (noun: string): string => `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}`;
