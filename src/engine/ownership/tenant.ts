/** Where an id means something: two platforms, or two organizations, may use the same one for different things. */
import { member } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { text } from "../contract/status.ts";
import type { Uuid } from "../contract/types.ts";

export interface Tenant {
  readonly host: string;
  readonly organizationId: Uuid;
}

/** A name for it that differs from that of any other. */
export function tenantOf({ host, organizationId }: Tenant): string {
  return `${host} ${organizationId}`;
}

/** Where an object's record was made, as its status has it. */
export function recordedTenant({ status }: KubeObject): Tenant {
  const pinned = member(status, "identity");
  return { host: text(member(pinned, "host")) ?? "", organizationId: text(member(pinned, "organizationId")) ?? "" };
}
