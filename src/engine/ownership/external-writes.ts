/**
 * What resources last did to objects of the platform that other resources represent: a variable set writes to
 * applications, which then have to be deployed; an operation deploys or stops what another resource describes.
 */
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { keyText, shortName, tenantOf, recordedTenant, type Tenant } from "../contract/keys.ts";
import type { ExternalAction, ExternalWrite, Uuid } from "../contract/types.ts";

export type ExternalWrites = ReturnType<typeof createExternalWrites>;

/** The largest number of actions of deleted resources that are kept. */
const MOST_KEPT = 4096;

type Did = Pick<ExternalWrite, "at"> & { readonly action?: ExternalAction };

export function createExternalWrites() {
  /** By the object of the platform, then by the resource. */
  const byPlace = new Map<string, Map<string, Did>>();
  const byWriter = new Map<string, ReadonlyMap<string, Did>>();
  const kept = new Map<string, ExternalAction>();

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

  const keep = (place: string, action: ExternalAction): void => {
    const known = kept.get(place);
    if (known !== undefined && known.at > action.at) return;
    kept.delete(place);
    kept.set(place, action);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  };

  return {
    /**
     * Records the writes that an object's status reports, in place of earlier ones.
     * @returns the ids with a new write
     */
    record: (object: KubeObject, externalWrites: readonly ExternalWrite[]): readonly Uuid[] => {
      const tenant = recordedTenant(object);
      const before = put(keyText(keyOf(object)), done(object, externalWrites, tenant));
      return externalWrites.flatMap((one) => (isNews(one, before.get(placeOf(one.id, tenant))) ? [one.id] : []));
    },
    /**
     * Records the writes that an object has just made, before its status reports them: a deployment from now on
     * includes them, and must not be repeated once the status is written.
     * @param tenant the tenant of the writes
     */
    note: (object: KubeObject, externalWrites: readonly ExternalWrite[], tenant: Tenant): void => {
      put(unrecorded(object), done(object, externalWrites, tenant));
    },
    /**
     * Forgets a deleted object.
     * @param isHeld reports whether a resource represents an id: the actions on it are kept, as that resource may not
     * have observed them yet
     */
    forget: (object: KubeObject, isHeld: (id: Uuid) => boolean): void => {
      for (const writer of [keyText(keyOf(object)), unrecorded(object)]) {
        for (const [place, { action }] of put(writer, new Map())) {
          if (action !== undefined && isHeld(idIn(place))) keep(place, action);
        }
      }
    },
    /**
     * Returns when a resource of that tenant last wrote to the object, by the platform's clock (ISO 8601); undefined
     * when none did.
     */
    latest: (id: Uuid, tenant: Tenant): string | undefined =>
      last([...there(byPlace, id, tenant)].filter(({ action }) => action === undefined))?.at,
    /** Returns the last action that a resource of that tenant requested for the object. */
    action: (id: Uuid, tenant: Tenant): ExternalAction | undefined => {
      const actions = [...there(byPlace, id, tenant)].flatMap(({ action }) => action ?? []);
      const gone = kept.get(placeOf(id, tenant));
      return last(gone === undefined ? actions : [...actions, gone]);
    },
  };
}

function there(byPlace: ReadonlyMap<string, ReadonlyMap<string, Did>>, id: Uuid, tenant: Tenant): Iterable<Did> {
  return byPlace.get(placeOf(id, tenant))?.values() ?? [];
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
function isNews({ at, action }: ExternalWrite, before: Did | undefined): boolean {
  if (before === undefined || at > before.at) return true;
  return action !== undefined && at === before.at && action.result !== before.action?.result;
}

const unrecorded = (object: KubeObject): string => `${keyText(keyOf(object))} (unrecorded)`;

const placeOf = (id: Uuid, tenant: Tenant): string => `${tenantOf(tenant)} ${id}`;

const idIn = (place: string): Uuid => place.slice(place.lastIndexOf(" ") + 1);
