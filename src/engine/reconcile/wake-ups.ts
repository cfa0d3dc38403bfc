/** Queues the resources that a webhook delivery may concern, and no others. */
import { keyOf } from "../../kube/api/objects.ts";
import type { ObjectKey } from "../../kube/api/types.ts";
import type { Ports, Enqueue } from "../context/context.ts";
import { keyText, parseKey } from "../contract/keys.ts";
import type { Uuid, RatedApi } from "../contract/kind.ts";

/**
 * Queues the resources of a connection that represent these ids: at once, or once `hintMs` passed since the last
 * wake-up.
 * @returns how many resources the ids led to
 */
export function wakeUp<Api extends RatedApi>(
  ports: Ports<Api>,
  enqueue: Enqueue,
  connection: ObjectKey,
  ids: readonly Uuid[],
): number {
  const keys = new Set(ids.flatMap((id) => ports.idOwnership.recorders(id)));
  let found = 0;
  for (const key of keys) {
    const object = ports.cache.get(parseKey(key));
    if (object === undefined) continue;
    const route = ports.route(object);
    if (route.is !== "found" || keyText(route.key) !== keyText(connection)) continue;
    found += 1;
    const local = ports.localStates.of(keyText(keyOf(object)), object.metadata.uid);
    const now = ports.clock.monotonic();
    const last = local.hintedAt ?? Number.NEGATIVE_INFINITY;
    // A wake-up that is due already is repeated: a reconcile that started meanwhile took it off the queue.
    local.hintedAt = last > now ? last : Math.max(now, last + ports.windows.hintMs);
    enqueue(key, { afterMs: local.hintedAt - now, urgent: true });
  }
  // Shared reads may be older than the delivery.
  if (found > 0) ports.connections.last(connection)?.api.refresh();
  return found;
}
