/** The scope of an id: two platforms, or two organizations, may use the same id for different objects. */
import { member } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { text } from "../contract/status.ts";
import type { Uuid } from "../contract/types.ts";

export interface Tenant {
  readonly host: string;
  readonly organizationId: Uuid;
}

/** Returns a unique name of the tenant. */
export function tenantOf({ host, organizationId }: Tenant): string {
  return `${host} ${organizationId}`;
}

/** Returns the tenant of an object's record, from its status. */
export function recordedTenant({ status }: KubeObject): Tenant {
  const pinned = member(status, "identity");
  return { host: text(member(pinned, "host")) ?? "", organizationId: text(member(pinned, "organizationId")) ?? "" };
}
