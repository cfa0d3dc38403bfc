/** Decides whether a write has to wait for the limit of mass changes of its connection (docs/project/architecture.md §7). */
import { keyOf } from "../../kube/api/objects.ts";
import { keyText } from "../contract/keys.ts";
import type { Step, StatusReason } from "../contract/kind.ts";
import { isSpecApplied } from "../policies/policy-status.ts";
import type { Resolved } from "../status/reconciliation.ts";

/**
 * Applies the limit of mass changes to a write that no user caused: by a new generation, a deletion, a request, a
 * schedule, or a change of what the spec refers to, all of which may be meant to change many objects at once.
 * @returns the reason to wait; undefined where the write may be sent
 */
export function massChangeHeld(
  { ports, object, connection, context }: Resolved,
  { scheduled = false, follows = false }: Pick<Step, "scheduled" | "follows"> = {},
): StatusReason | undefined {
  if (context.goal !== "present") return undefined;
  if (context.requested !== undefined || context.policies.redeploy !== undefined) return undefined;
  if (scheduled || !isSpecApplied(object)) return undefined;
  const users = ports.dependencies.dependents(connection.key).length;
  if (connection.massChangeLimit.take(keyText(keyOf(object)), users, follows)) return undefined;
  ports.connections.requestProbe(connection);
  const message = `Waiting for ${connection.key.kind} "${connection.key.name}" (reason MassChangeHeld).`;
  return { reason: "ConnectionNotReady", message };
}
