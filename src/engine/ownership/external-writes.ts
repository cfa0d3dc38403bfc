/**
 * When resources last wrote to objects of the platform that other resources represent: a variable set writes to
 * applications, which then have to be deployed.
 */
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { keyText, tenantOf, recordedTenant, type Tenant } from "../contract/keys.ts";
import type { FieldClaim, Uuid } from "../contract/kind.ts";
import { recordedIdIn } from "../contract/status.ts";

export type ExternalWrites = ReturnType<typeof createExternalWrites>;

/** The largest number of writes that are kept although no status reports them any more. */
const MOST_KEPT = 4096;

/** The times of writes, by the platform's clock (ISO 8601), by the object of the platform. */
type Times = ReadonlyMap<string, string>;

const NONE: Times = new Map();

/** @param isHeld reports whether a resource represents an id */
export function createExternalWrites(isHeld: (id: Uuid) => boolean) {
  /** By the object of the platform, then by the resource. */
  const byPlace = new Map<string, Map<string, string>>();
  const byWriter = new Map<string, Times>();
  /** What no status reports any more. A resource that represents the object may not have observed it yet. */
  const kept = new Map<string, string>();

  const put = (writer: string, writes: Times): Times => {
    const before = byWriter.get(writer) ?? NONE;
    for (const place of before.keys()) {
      const there = byPlace.get(place);
      there?.delete(writer);
      if (there?.size === 0) byPlace.delete(place);
    }
    for (const [place, at] of writes)
      byPlace.set(place, (byPlace.get(place) ?? new Map<string, string>()).set(writer, at));
    if (writes.size > 0) byWriter.set(writer, writes);
    else byWriter.delete(writer);
    return before;
  };

  /** Keeps the last one, while a resource represents the object. @returns whether it was not kept yet */
  const keep = (place: string, at: string): boolean => {
    if (!isHeld(idIn(place)) || !isNews(at, kept.get(place))) return false;
    kept.delete(place);
    kept.set(place, at);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return true;
  };

  /**
   * Replaces what an object's status reported, and keeps what it does not report any more.
   * @returns the ids with a write that no status reported before
   */
  const report = (object: KubeObject, writes: Times): readonly Uuid[] => {
    const before = put(keyText(keyOf(object)), writes);
    const keepMissing = (all: Times) => [...all].filter(([place, at]) => !writes.has(place) && keep(place, at));
    keepMissing(before);
    const unreported = keepMissing(byWriter.get(unrecorded(object)) ?? NONE);
    const own = recordedIdIn(object);
    return [...writes, ...unreported]
      .filter(([place, at]) => isNews(at, before.get(place)) && idIn(place) !== own)
      .map(([place]) => idIn(place));
  };

  return {
    /**
     * Records the writes that an object's status reports, in place of earlier ones.
     * @returns the ids with a new write, including one that was noted (`note`) and that the status does not report; not
     * the resource's own id
     */
    record: (object: KubeObject, claims: readonly FieldClaim[]): readonly Uuid[] =>
      report(object, timesOf(claims, recordedTenant(object))),
    /**
     * Records the writes that an object has just made, before its status reports them: a deployment from now on
     * includes them, and must not be repeated once the status is written.
     * @param tenant the tenant of the writes
     */
    note: (object: KubeObject, claims: readonly FieldClaim[], tenant: Tenant): void => {
      put(unrecorded(object), timesOf(claims, tenant));
    },
    /**
     * Forgets a deleted object, but not its writes to objects that other resources represent.
     * @returns the ids with a write that its status never reported
     */
    forget: (object: KubeObject): readonly Uuid[] => {
      const news = report(object, NONE);
      put(unrecorded(object), NONE);
      const id = recordedIdIn(object);
      if (id !== undefined && !isHeld(id)) kept.delete(placeOf(id, recordedTenant(object)));
      return news;
    },
    /**
     * Returns when a resource of that tenant last wrote to the object, by the platform's clock (ISO 8601); undefined
     * when none did.
     * @param reader a resource whose own writes do not count
     */
    latest: (id: Uuid, tenant: Tenant, reader?: KubeObject): string | undefined => {
      const place = placeOf(id, tenant);
      const own = reader === undefined ? [] : [keyText(keyOf(reader)), unrecorded(reader)];
      const times = [...(byPlace.get(place) ?? [])].flatMap(([writer, at]) => (own.includes(writer) ? [] : [at]));
      const last = kept.get(place);
      return [...times, ...(last === undefined ? [] : [last])].toSorted().at(-1);
    },
  };
}

/** Returns the times of the writes that the claims of a resource report. */
function timesOf(claims: readonly FieldClaim[], tenant: Tenant): Times {
  return new Map(
    claims.flatMap(({ id, writtenAt }) => (writtenAt === undefined ? [] : [[placeOf(id, tenant), writtenAt]])),
  );
}

/** Reports whether the write is later than the known one. */
function isNews(at: string, before: string | undefined): boolean {
  return before === undefined || at > before;
}

const unrecorded = (object: KubeObject): string => `${keyText(keyOf(object))} (unrecorded)`;

const placeOf = (id: Uuid, tenant: Tenant): string => `${tenantOf(tenant)} ${id}`;

const idIn = (place: string): Uuid => place.slice(place.lastIndexOf(" ") + 1);
