/** The text forms of object keys and tenants. */
import { member } from "../../kube/api/json.ts";
import type { KubeObject, ObjectKey } from "../../kube/api/types.ts";
import type { Uuid } from "./kind.ts";
import { nonEmptyText, recordedIn } from "./status.ts";

/** Returns "kind/namespace/name", the form in which keys are compared, stored in maps and queued. */
export function keyText(key: ObjectKey): string {
  return `${key.kind}/${key.namespace}/${key.name}`;
}

/** Returns the key of a text that `keyText` made. @throws RangeError for a text that has fewer than three parts */
export function parseKey(key: string): ObjectKey {
  const [kind, namespace, name] = key.split("/");
  if (kind === undefined || namespace === undefined || name === undefined) throw new RangeError(`not a key: ${key}`);
  return { kind, namespace, name };
}

/** Returns "namespace/name", or "name" for a cluster-scoped object: how messages name an object beside its kind. */
export function shortName(key: ObjectKey): string {
  return key.namespace === "" ? key.name : `${key.namespace}/${key.name}`;
}

/** The scope of an id: two platforms, or two organizations, may use the same id for different objects. */
export interface Tenant {
  readonly host: string;
  readonly organizationId: Uuid;
}

/** Returns a unique name of the tenant. */
export function tenantOf({ host, organizationId }: Tenant): string {
  return `${host} ${organizationId}`;
}

/** Returns the tenant of an object's record, from its status. Members that the status does not record are empty. */
export function recordedTenant(object: KubeObject): Tenant {
  const pinned = recordedIn(object, "identity");
  return {
    host: nonEmptyText(member(pinned, "host")) ?? "",
    organizationId: nonEmptyText(member(pinned, "organizationId")) ?? "",
  };
}
