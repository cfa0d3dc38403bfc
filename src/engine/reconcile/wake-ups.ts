/** What a delivery of the platform leads to: the resources that it may be about are looked at, and no more. */
import { keyOf } from "../../kube/api/objects.ts";
import type { ObjectKey } from "../../kube/api/types.ts";
import type { Context, Enqueue } from "../context/context.ts";
import { keyText, parseKey } from "../contract/keys.ts";
import type { Uuid, RatedApi } from "../contract/kind.ts";

/**
 * Queues the resources of a connection that stand for these ids: at once, and one that was queued like this a moment
 * ago once that moment is over.
 * @returns how many resources the ids led to
 */
export function hint<Api extends RatedApi>(
  context: Context<Api>,
  enqueue: Enqueue,
  connection: ObjectKey,
  ids: readonly Uuid[],
): number {
  const keys = new Set(ids.flatMap((id) => context.claims.recorders(id)));
  let found = 0;
  for (const key of keys) {
    const object = context.cache.get(parseKey(key));
    if (object === undefined) continue;
    const route = context.route(object);
    if (route.is !== "found" || keyText(route.key) !== keyText(connection)) continue;
    found += 1;
    const session = context.sessions.of(keyText(keyOf(object)), object.metadata.uid);
    const now = context.clock.monotonic();
    const last = session.hintedAt ?? Number.NEGATIVE_INFINITY;
    // One that is due already is asked for again: a pass that began meanwhile took it off the queue.
    session.hintedAt = last > now ? last : Math.max(now, last + context.windows.hintMs);
    enqueue(key, { afterMs: session.hintedAt - now, urgent: true });
  }
  // What was read before may be what it was before.
  if (found > 0) context.connections.last(connection)?.api.refresh();
  return found;
}
