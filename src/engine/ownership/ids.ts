/** Ownership of external ids: one object of the platform belongs to one custom resource (docs/project/architecture.md §7). */
import { EXTERNAL_ID } from "../../api/names.ts";
import { stringMember } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { keyText, parseKey, shortName, tenantOf, recordedTenant, type Tenant } from "../contract/keys.ts";
import type { Uuid } from "../contract/kind.ts";
import { recordedIdentityIn, recordedIdIn } from "../contract/status.ts";

export type IdOwnership = ReturnType<typeof createIdOwnership>;

type Claim = ReturnType<typeof claimOf>;

export function createIdOwnership() {
  const byId = new Map<string, Map<string, Claim>>();
  const byKey = new Map<string, readonly string[]>();
  /** The keys of the resources that recorded an id. */
  const byRecord = createMultiMap();
  /** The keys of the resources whose object the platform also has under another id: the service of a blueprint. */
  const byService = createMultiMap();
  /** The keys of the resources whose objects were recorded under a parent, by the parent's id. */
  const byParent = createMultiMap();
  /** The resources that were refused an id because another one holds it. */
  const refused = new Map<string, Set<string>>();
  const taken = new Map<string, { readonly uid: string; readonly id: Uuid; readonly tenant: string }>();

  const drop = (key: string): void => {
    for (const slot of byKey.get(key) ?? []) {
      byId.get(slot)?.delete(key);
      if (byId.get(slot)?.size === 0) byId.delete(slot);
    }
    byKey.delete(key);
    byRecord.drop(key);
    byService.drop(key);
    byParent.drop(key);
  };

  const put = (object: KubeObject, id: Uuid, recorded: string | undefined): void => {
    const key = keyText(keyOf(object));
    const slot = `${object.kind}:${id}`;
    byId.set(slot, (byId.get(slot) ?? new Map<string, Claim>()).set(key, claimOf(object, recorded)));
    byKey.set(key, [...(byKey.get(key) ?? []), slot]);
  };

  const putRecord = (object: KubeObject, recorded: Uuid): void => {
    const key = keyText(keyOf(object));
    byRecord.put(recorded, key);
    const serviceId = stringMember(object.status, "serviceId");
    if (serviceId !== undefined) byService.put(serviceId, key);
    const parentId = recordedIdentityIn(object, "parentId");
    if (parentId !== undefined) byParent.put(parentId, key);
  };

  return {
    /** Updates the ids that an object has recorded, reserved or claims. @param wanted the id that its spec claims */
    set: (object: KubeObject, wanted: Uuid | undefined): void => {
      const key = keyText(keyOf(object));
      drop(key);
      const recorded = recordedIdIn(object);
      if (recorded !== undefined) putRecord(object, recorded);
      const mark = taken.get(key);
      if (recorded !== undefined || mark?.uid !== object.metadata.uid) taken.delete(key);
      // The annotation is written shortly before the status. In between, another resource might adopt the same object.
      const noted = recorded === undefined ? object.metadata.annotations?.[EXTERNAL_ID] : undefined;
      for (const id of new Set([wanted, noted])) if (id !== undefined) put(object, id, undefined);
      const held = taken.get(key);
      if (held !== undefined) put(object, held.id, held.tenant);
      if (recorded !== undefined) put(object, recorded, tenantOf(recordedTenant(object)));
    },
    /** Reserves an id that is about to be recorded, until the status has it or `release` is called. */
    take: (object: KubeObject, id: Uuid, tenant: Tenant): void => {
      taken.set(keyText(keyOf(object)), { uid: object.metadata.uid, id, tenant: tenantOf(tenant) });
      put(object, id, tenantOf(tenant));
    },
    release: (object: KubeObject): void => {
      const key = keyText(keyOf(object));
      const mark = taken.get(key);
      taken.delete(key);
      // The id stays claimed: the spec or the annotations may claim it.
      if (mark !== undefined) byId.get(`${object.kind}:${mark.id}`)?.set(key, claimOf(object, undefined));
    },
    /** Forgets an object that is gone. @returns the keys of the resources that may have its ids now */
    forget: (object: KubeObject): readonly string[] => {
      const key = keyText(keyOf(object));
      const slots = byKey.get(key) ?? [];
      taken.delete(key);
      drop(key);
      const next = slots.flatMap((slot) => [...(refused.get(slot) ?? [])]);
      for (const slot of slots) refused.delete(slot);
      for (const [slot, keys] of refused) if (keys.delete(key) && keys.size === 0) refused.delete(slot);
      return next;
    },
    /**
     * Returns the resource that holds an id before `self`, as "namespace/name". The recorded holder wins; between two
     * recorded ones, or two that are not, the older one, and at the same age the one whose name sorts first. A claim
     * counts in its own namespace, and a record in the organization where it was made: nobody can reserve an id of
     * another tenant.
     * @param tenant where `self` works
     * @returns undefined when `self` may have it
     */
    holder: (id: Uuid, self: KubeObject, tenant: Tenant): string | undefined => {
      const slot = `${self.kind}:${id}`;
      const claims = byId.get(slot);
      if (claims === undefined) return undefined;
      const own = keyText(keyOf(self));
      const here = tenantOf(tenant);
      const ownClaim = claims.get(own) ?? claimOf(self, recordedIdIn(self) === id ? here : undefined);
      const counts = ({ key, namespace, recorded }: Claim): boolean =>
        key !== own && (namespace === ownClaim.namespace || recorded === here);
      const [first] = [...claims.values()]
        .filter((claim) => counts(claim) && compare(claim, ownClaim) < 0)
        .toSorted(compare);
      if (first !== undefined) refused.set(slot, (refused.get(slot) ?? new Set()).add(own));
      return first?.name;
    },
    /**
     * Returns the title of a resource of another namespace, of any kind, that recorded an id in the organization where
     * `self` works. A record under the id itself, as that of a binding under its cluster, is about the object and does
     * not hold it.
     */
    holderElsewhere: (id: Uuid, self: KubeObject, tenant: Tenant): string | undefined => {
      const about = byParent.get(id);
      for (const key of byRecord.get(id)) {
        const { kind, namespace, name } = parseKey(key);
        const slot = `${kind}:${id}`;
        if (namespace === (self.metadata.namespace ?? "") || about.includes(key)) continue;
        if (byId.get(slot)?.get(key)?.recorded !== tenantOf(tenant)) continue;
        refused.set(slot, (refused.get(slot) ?? new Set()).add(keyText(keyOf(self))));
        return `${kind} "${namespace}/${name}"`;
      }
      return undefined;
    },
    /** Returns the keys of the resources, of any kind, that recorded an id. */
    recorders: (id: Uuid): readonly string[] => byRecord.get(id),
    /** Returns the keys of the resources that a delivery with an id is about: it names services, and not blueprints. */
    deliveredTo: (id: Uuid): readonly string[] => [...byRecord.get(id), ...byService.get(id)],
    /** Returns the keys of the resources whose objects were recorded under a parent. */
    recordedUnder: (parentId: Uuid): readonly string[] => byParent.get(parentId),
  };
}

/** Keys by one value each. */
function createMultiMap() {
  const keysOf = new Map<string, Set<string>>();
  const valueOf = new Map<string, string>();
  return {
    put: (value: string, key: string): void => {
      valueOf.set(key, value);
      keysOf.set(value, (keysOf.get(value) ?? new Set()).add(key));
    },
    drop: (key: string): void => {
      const value = valueOf.get(key);
      if (value === undefined) return;
      valueOf.delete(key);
      keysOf.get(value)?.delete(key);
      if (keysOf.get(value)?.size === 0) keysOf.delete(value);
    },
    get: (value: string): readonly string[] => [...(keysOf.get(value) ?? [])],
  };
}

function claimOf(object: KubeObject, recorded: string | undefined) {
  const key = keyOf(object);
  const since = object.metadata.creationTimestamp ?? "";
  return { key: keyText(key), name: shortName(key), namespace: key.namespace, since, recorded };
}

function compare(left: Claim, right: Claim): number {
  const [isLeft, isRight] = [left.recorded !== undefined, right.recorded !== undefined];
  if (isLeft !== isRight) return isLeft ? -1 : 1;
  if (left.since !== right.since) return left.since < right.since ? -1 : 1;
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0;
}
