/** What a connection limits its objects to. Pure. */
import type { Uuid, Why } from "../../engine/contract/kind.ts";

export interface Limits {
  readonly allowedProjects: readonly Uuid[] | undefined;
  readonly allowUnverifiedIds: boolean;
}

/**
 * Why a connection that is limited to some projects does not reach what is in none of them.
 * @param because e.g. "a cluster belongs to none of them"
 */
export function beyondProjects({ allowedProjects, allowUnverifiedIds }: Limits, because: string): Why | undefined {
  if (allowedProjects === undefined || allowUnverifiedIds) return undefined;
  const message = `The connection is limited to some projects, and ${because}. Use another connection, or set allowUnverifiedIds on this one.`;
  return { reason: "NotObservable", message };
}

/**
 * Why an id that a user wrote is not acted on where the platform does not show that it belongs to the organization: the
 * connection does not let such ids stand. It is no permission to delete anything.
 * @param what e.g. `cluster 6f1f…`
 */
export function unprovenId(context: Pick<Limits, "allowUnverifiedIds">, what: string): Why | undefined {
  return context.allowUnverifiedIds ? undefined : unproven(what);
}

/** What a resource says of an id that its connection does not let stand. */
export function unproven(what: string): Why {
  const message = `The platform's surface does not show where the ${what} belongs, so it is not touched. A person who may edit the connection can let such ids stand with spec.allowUnverifiedIds.`;
  return { reason: "NotObservable", message };
}
