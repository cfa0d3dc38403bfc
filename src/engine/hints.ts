/** What a delivery of the platform leads to: the resources that it may be about are looked at, and no more. */
import { keyOf } from "../kube/objects.ts";
import type { ObjectKey } from "../kube/types.ts";
import type { RatedApi } from "./connections.ts";
import type { Context } from "./context.ts";
import type { Enqueue } from "./engine.ts";
import { keyText, parseKey } from "./keys.ts";
import type { Uuid } from "./kind.ts";

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
    if (last > now) continue;
    const afterMs = Math.max(0, last + context.windows.hintMs - now);
    session.hintedAt = now + afterMs;
    enqueue(key, { afterMs, urgent: true });
  }
  return found;
}
