/**
 * What resources last did to objects of the platform that other resources represent: a variable set writes to
 * applications, which then have to be deployed; an operation deploys or stops what another resource describes.
 */
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { keyText, shortName, tenantOf, recordedTenant, type Tenant } from "../contract/keys.ts";
import { recordedIdIn } from "../contract/status.ts";
import type { ExternalAction, ExternalWrite, Uuid } from "../contract/types.ts";

export type ExternalWrites = ReturnType<typeof createExternalWrites>;

/** The largest number of writes, and of actions, that are kept although no status reports them any more. */
const MOST_KEPT = 4096;

type Did = Pick<ExternalWrite, "at"> & { readonly action?: ExternalAction };

/** @param isHeld reports whether a resource represents an id */
export function createExternalWrites(isHeld: (id: Uuid) => boolean) {
  /** By the object of the platform, then by the resource. */
  const byPlace = new Map<string, Map<string, Did>>();
  const byWriter = new Map<string, ReadonlyMap<string, Did>>();
  /** What no status reports any more. A resource that represents the object may not have observed it yet. */
  const kept = { writes: new Map<string, Did>(), actions: new Map<string, Did>() };

  const put = (writer: string, did: ReadonlyMap<string, Did>): ReadonlyMap<string, Did> => {
    const before = byWriter.get(writer) ?? new Map<string, Did>();
    for (const place of before.keys()) {
      const there = byPlace.get(place);
      there?.delete(writer);
      if (there?.size === 0) byPlace.delete(place);
    }
    for (const [place, one] of did) byPlace.set(place, (byPlace.get(place) ?? new Map<string, Did>()).set(writer, one));
    if (did.size > 0) byWriter.set(writer, did);
    else byWriter.delete(writer);
    return before;
  };

  /** Keeps the last one, while a resource represents the object. @returns whether it was not kept yet */
  const keep = (place: string, one: Did): boolean => {
    const those = one.action === undefined ? kept.writes : kept.actions;
    if (!isHeld(idIn(place)) || !isNews(one, those.get(place))) return false;
    those.delete(place);
    those.set(place, one);
    const [oldest] = those.keys();
    if (those.size > MOST_KEPT && oldest !== undefined) those.delete(oldest);
    return true;
  };

  /**
   * Replaces what an object's status reported, and keeps what it does not report any more.
   * @returns the ids with a write that no status reported before
   */
  const report = (object: KubeObject, did: ReadonlyMap<string, Did>): readonly Uuid[] => {
    const before = put(keyText(keyOf(object)), did);
    const keepMissing = (all: ReadonlyMap<string, Did>) =>
      [...all].filter(([place, one]) => !did.has(place) && keep(place, one));
    keepMissing(before);
    const unreported = keepMissing(byWriter.get(unrecorded(object)) ?? new Map<string, Did>());
    return [...did, ...unreported].flatMap(([place, one]) => (isNews(one, before.get(place)) ? [idIn(place)] : []));
  };

  const there = (id: Uuid, tenant: Tenant): readonly Did[] => {
    const place = placeOf(id, tenant);
    const gone = [kept.writes.get(place), kept.actions.get(place)];
    return [...(byPlace.get(place)?.values() ?? []), ...gone.filter((one) => one !== undefined)];
  };

  return {
    /**
     * Records the writes that an object's status reports, in place of earlier ones.
     * @returns the ids with a new write, including one that was noted (`note`) and that the status does not report
     */
    record: (object: KubeObject, externalWrites: readonly ExternalWrite[]): readonly Uuid[] =>
      report(object, done(object, externalWrites, recordedTenant(object))),
    /**
     * Records the writes that an object has just made, before its status reports them: a deployment from now on
     * includes them, and must not be repeated once the status is written.
     * @param tenant the tenant of the writes
     */
    note: (object: KubeObject, externalWrites: readonly ExternalWrite[], tenant: Tenant): void => {
      put(unrecorded(object), done(object, externalWrites, tenant));
    },
    /**
     * Forgets a deleted object, but not its writes to objects that other resources represent.
     * @returns the ids with a write that its status never reported
     */
    forget: (object: KubeObject): readonly Uuid[] => {
      const news = report(object, new Map());
      put(unrecorded(object), new Map());
      const id = recordedIdIn(object);
      if (id !== undefined && !isHeld(id)) {
        const place = placeOf(id, recordedTenant(object));
        kept.writes.delete(place);
        kept.actions.delete(place);
      }
      return news;
    },
    /**
     * Returns when a resource of that tenant last wrote to the object, by the platform's clock (ISO 8601); undefined
     * when none did.
     */
    latest: (id: Uuid, tenant: Tenant): string | undefined =>
      last(there(id, tenant).filter(({ action }) => action === undefined))?.at,
    /** Returns the last action that a resource of that tenant requested for the object; undefined when none did. */
    action: (id: Uuid, tenant: Tenant): ExternalAction | undefined =>
      last(there(id, tenant).flatMap(({ action }) => action ?? [])),
  };
}

/** Returns the latest one; of two at the same time, the one with a result. */
function last<One extends { readonly at: string; readonly result?: unknown }>(all: readonly One[]): One | undefined {
  const order = ({ at, result }: One): string => `${at} ${result === undefined ? "" : "ended"}`;
  return all.toSorted((left, right) => (order(left) < order(right) ? 1 : -1))[0];
}

function done(object: KubeObject, externalWrites: readonly ExternalWrite[], tenant: Tenant): ReadonlyMap<string, Did> {
  const by = shortName(keyOf(object));
  return new Map(
    externalWrites.map(({ id, at, action }) => [
      placeOf(id, tenant),
      action === undefined ? { at } : { at, action: { ...action, by, at } },
    ]),
  );
}

/** Reports whether the write is later than the known one, or has a new result. */
function isNews({ at, action }: Omit<ExternalWrite, "id">, before: Did | undefined): boolean {
  if (before === undefined || at > before.at) return true;
  return action?.result !== undefined && at === before.at && action.result !== before.action?.result;
}

const unrecorded = (object: KubeObject): string => `${keyText(keyOf(object))} (unrecorded)`;

const placeOf = (id: Uuid, tenant: Tenant): string => `${tenantOf(tenant)} ${id}`;

const idIn = (place: string): Uuid => place.slice(place.lastIndexOf(" ") + 1);
