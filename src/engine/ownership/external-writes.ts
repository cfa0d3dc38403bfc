/**
 * What resources last did to objects of the platform that other resources stand for: a set of variables writes into
 * applications, which have to bring that out; an operation deploys or stops what another resource describes.
 */
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { keyText, shortName } from "../contract/keys.ts";
import type { ExternalAction, ExternalWrite, Uuid } from "../contract/types.ts";
import { tenantOf, recordedTenant, type Tenant } from "./tenant.ts";

export interface ExternalWrites {
  /** Takes note of what an object's status records, in place of what it recorded before. @returns the ids of which it tells news */
  record(object: KubeObject, externalWrites: readonly ExternalWrite[]): readonly Uuid[];
  /**
   * Takes note of what an object has just done, before its status says so: what is brought out from now on has it in
   * it already, and must not be brought out once more when the status comes.
   * @param realm where it has done that
   */
  note(object: KubeObject, externalWrites: readonly ExternalWrite[], realm: Tenant): void;
  /** @param isHeld whether a resource stands for that id: the actions for it are remembered, as it may not have met them yet */
  forget(object: KubeObject, isHeld: (id: Uuid) => boolean): void;
  /** When anybody of that realm last wrote into it, by the platform's clock (ISO 8601); undefined when nobody did. */
  latest(id: Uuid, realm: Tenant): string | undefined;
  /** The last action that anybody of that realm requested for it. */
  action(id: Uuid, realm: Tenant): ExternalAction | undefined;
}

/** The most actions that are remembered of resources that are gone. */
const MOST_KEPT = 4096;

type Did = Pick<ExternalWrite, "at"> & { readonly action?: ExternalAction };

export function createExternalWrites(): ExternalWrites {
  /** By the object of the platform, then by who did it. */
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
    record: (object, externalWrites) => {
      const realm = recordedTenant(object);
      const before = put(keyText(keyOf(object)), done(object, externalWrites, realm));
      return externalWrites.flatMap((one) => (isNews(one, before.get(placeOf(one.id, realm))) ? [one.id] : []));
    },
    note: (object, externalWrites, realm) => {
      put(unrecorded(object), done(object, externalWrites, realm));
    },
    forget: (object, isHeld) => {
      for (const writer of [keyText(keyOf(object)), unrecorded(object)]) {
        for (const [place, { action }] of put(writer, new Map())) {
          if (action !== undefined && isHeld(idIn(place))) keep(place, action);
        }
      }
    },
    latest: (id, realm) => last([...there(byPlace, id, realm)].filter(({ action }) => action === undefined))?.at,
    action: (id, realm) => {
      const actions = [...there(byPlace, id, realm)].flatMap(({ action }) => action ?? []);
      const gone = kept.get(placeOf(id, realm));
      return last(gone === undefined ? actions : [...actions, gone]);
    },
  };
}

function there(byPlace: ReadonlyMap<string, ReadonlyMap<string, Did>>, id: Uuid, realm: Tenant): Iterable<Did> {
  return byPlace.get(placeOf(id, realm))?.values() ?? [];
}

/** Of two at the same time, the one that knows how it ended. */
function last<One extends { readonly at: string; readonly result?: unknown }>(all: readonly One[]): One | undefined {
  const order = ({ at, result }: One): string => `${at} ${result === undefined ? "" : "ended"}`;
  return all.toSorted((left, right) => (order(left) < order(right) ? 1 : -1))[0];
}

function done(object: KubeObject, externalWrites: readonly ExternalWrite[], realm: Tenant): ReadonlyMap<string, Did> {
  const by = shortName(keyOf(object));
  return new Map(
    externalWrites.map(({ id, at, action }) => [
      placeOf(id, realm),
      action === undefined ? { at } : { at, action: { ...action, by, at } },
    ]),
  );
}

/** Whether it is later than before, or more is known of it. */
function isNews({ at, action }: ExternalWrite, before: Did | undefined): boolean {
  if (before === undefined || at > before.at) return true;
  return action !== undefined && at === before.at && action.result !== before.action?.result;
}

const unrecorded = (object: KubeObject): string => `${keyText(keyOf(object))} (unrecorded)`;

const placeOf = (id: Uuid, realm: Tenant): string => `${tenantOf(realm)} ${id}`;

const idIn = (place: string): Uuid => place.slice(place.lastIndexOf(" ") + 1);
