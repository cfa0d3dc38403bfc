import { member } from "../kube/json.ts";
/** One object of the platform belongs to one custom resource (design §6, identity). */
import { keyOf } from "../kube/objects.ts";
import type { KubeObject } from "../kube/types.ts";
import { EXTERNAL_ID } from "../resources/base/names.ts";
import { keyText, shortName } from "./keys.ts";
import type { Uuid } from "./kind.ts";
import { text } from "./status.ts";

export interface Claims {
  /** Takes note of an object's state. @param wanted the id that its spec lays claim to, if any */
  set(object: KubeObject, wanted: Uuid | undefined): void;
  forget(object: KubeObject): void;
  /**
   * Who holds an id before `self`, as "namespace/name": the recorded holder wins; between two of the same standing
   * the older one does, and at the same age the one whose name sorts first.
   * @returns undefined when `self` may have it
   */
  holder(id: Uuid, self: KubeObject): string | undefined;
  /** Keys of those that recorded an id, of whatever kind. */
  recorders(id: Uuid): readonly string[];
}

interface Claim {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly recorded: boolean;
  readonly since: string;
}

export function createClaims(): Claims {
  const byId = new Map<string, Map<string, Claim>>();
  const byKey = new Map<string, readonly string[]>();
  const byRecord = new Map<Uuid, Set<string>>();
  const records = new Map<string, Uuid>();

  const unrecord = (key: string): void => {
    const id = records.get(key);
    if (id === undefined) return;
    records.delete(key);
    byRecord.get(id)?.delete(key);
    if (byRecord.get(id)?.size === 0) byRecord.delete(id);
  };

  const drop = (key: string): void => {
    for (const slot of byKey.get(key) ?? []) {
      byId.get(slot)?.delete(key);
      if (byId.get(slot)?.size === 0) byId.delete(slot);
    }
    byKey.delete(key);
    unrecord(key);
  };

  return {
    set: (object, wanted) => {
      const key = keyText(keyOf(object));
      drop(key);
      const recorded = text(member(object.status, "externalId"));
      if (recorded !== undefined) {
        records.set(key, recorded);
        byRecord.set(recorded, (byRecord.get(recorded) ?? new Set()).add(key));
      }
      const slots: string[] = [];
      // The annotation precedes the status by a moment, in which another resource might adopt the same object.
      const noted = recorded === undefined ? object.metadata.annotations?.[EXTERNAL_ID] : undefined;
      for (const id of new Set([recorded, wanted, noted])) {
        if (id === undefined) continue;
        const slot = `${object.kind}:${id}`;
        const claims = byId.get(slot) ?? new Map<string, Claim>();
        byId.set(slot, claims.set(key, claimOf(object, id === recorded)));
        slots.push(slot);
      }
      if (slots.length > 0) byKey.set(key, slots);
    },
    forget: (object) => drop(keyText(keyOf(object))),
    holder: (id, self) => {
      const claims = byId.get(`${self.kind}:${id}`);
      if (claims === undefined) return undefined;
      const own = keyText(keyOf(self));
      const mine = claims.get(own) ?? claimOf(self, text(member(self.status, "externalId")) === id);
      const first = [...claims.values()]
        .filter((claim) => claim.key !== own && compare(claim, mine) < 0)
        .toSorted(compare)[0];
      return first?.name;
    },
    recorders: (id) => [...(byRecord.get(id) ?? [])],
  };
}

function claimOf(object: KubeObject, recorded: boolean): Claim {
  const key = keyOf(object);
  return {
    key: keyText(key),
    name: shortName(key),
    kind: object.kind,
    recorded,
    since: object.metadata.creationTimestamp ?? "",
  };
}

function compare(left: Claim, right: Claim): number {
  if (left.recorded !== right.recorded) return left.recorded ? -1 : 1;
  if (left.since !== right.since) return left.since < right.since ? -1 : 1;
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0;
}
