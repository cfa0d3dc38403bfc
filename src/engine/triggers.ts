/** Decides which changes of stored objects and which webhook deliveries queue which objects, and how urgently. */
import { isDeepStrictEqual } from "node:util";

import {
  APPROVED_PLAN,
  INTENT,
  PAUSED,
  POLL_INTERVAL,
  REDEPLOY_REQUESTED_AT,
  RESOLVE,
  RUN_UNTIL,
} from "../api/names.ts";
import { member } from "../kube/api/json.ts";
import { keyOf } from "../kube/api/objects.ts";
import type { KubeObject, ObjectKey } from "../kube/api/types.ts";
import type { StoreChange } from "../kube/watch/store.ts";
import type { Enqueue, Ports } from "./context/context.ts";
import { keyText, parseKey } from "./contract/keys.ts";
import type { Uuid } from "./contract/kind.ts";
import { conditionOf, isSettled, recordedIdIn, recordedIn } from "./contract/status.ts";
import { isRequested, REQUEST_ANNOTATIONS } from "./policies/policy.ts";

const USER_ANNOTATIONS = [...REQUEST_ANNOTATIONS, REDEPLOY_REQUESTED_AT, RESOLVE, APPROVED_PLAN];
/** Annotations whose removal matters as well. */
const STANDING_ANNOTATIONS = [PAUSED, POLL_INTERVAL, RUN_UNTIL];

/**
 * Reports whether the object itself has to be reconciled: it was created or deleted, its deletion began, its spec or a
 * user's annotation changed, or its status lost the id. Other changes of the status do not count.
 */
export function needsReconcile(change: StoreChange): boolean {
  if (change.type !== "updated") return true;
  const { object, old } = change;
  if (old.metadata.uid !== object.metadata.uid || old.metadata.generation !== object.metadata.generation) return true;
  if (old.metadata.deletionTimestamp !== object.metadata.deletionTimestamp) return true;
  const differs = (key: string): boolean => old.metadata.annotations?.[key] !== object.metadata.annotations?.[key];
  if (USER_ANNOTATIONS.some((key) => differs(key) && object.metadata.annotations?.[key] !== undefined)) return true;
  if (STANDING_ANNOTATIONS.some(differs)) return true;
  return recordedIdIn(old) !== undefined && recordedIdIn(object) === undefined;
}

/**
 * Reports whether dependents have to be reconciled: the object was created or deleted, its id changed, or it became
 * Ready or stopped being Ready.
 */
export function affectsDependents(change: StoreChange): boolean {
  if (change.type !== "updated") return true;
  const { object, old } = change;
  return (
    recordedIdIn(old) !== recordedIdIn(object) ||
    isSettled(old) !== isSettled(object) ||
    old.metadata.uid !== object.metadata.uid
  );
}

/** Reports whether an object is not Ready for another reason than before: those that wait for it report the reason. */
export function changesRefusal(change: StoreChange): boolean {
  if (change.type !== "updated") return false;
  const ready = conditionOf(change.object, "Ready");
  return ready !== undefined && ready.status !== "True" && ready.reason !== conditionOf(change.old, "Ready")?.reason;
}

/** Reports whether the defaults of a connection changed: finalizers and poll intervals follow them. */
export function changesDefaults(change: StoreChange): boolean {
  if (change.type !== "updated") return false;
  return !isDeepStrictEqual(member(change.object.spec, "defaults"), member(change.old.spec, "defaults"));
}

/**
 * Reports whether an object of the first list has nothing pending: then its verification is spread over the poll
 * interval.
 */
export function hasNothingPending(object: KubeObject): boolean {
  return (
    isSettled(object) &&
    object.metadata.deletionTimestamp === undefined &&
    !isRequested(object) &&
    object.metadata.annotations?.[INTENT] === undefined &&
    member(object.status, "plan") === undefined &&
    recordedIn(object, "intent") === undefined
  );
}

/**
 * Queues the resources of a connection that represent these ids: at once, or once `deliveryGapMs` passed since the last
 * wake-up.
 * @returns how many resources of the connection represent the ids
 */
export function enqueueDelivered(ports: Ports, enqueue: Enqueue, connection: ObjectKey, ids: readonly Uuid[]): number {
  const keys = new Set(ids.flatMap((id) => ports.idOwnership.deliveredTo(id)));
  let found = 0;
  for (const key of keys) {
    const object = ports.cache.get(parseKey(key));
    if (object === undefined) continue;
    const route = ports.route(object);
    if (route.is !== "found" || keyText(route.key) !== keyText(connection)) continue;
    found += 1;
    const local = ports.localStates.of(keyText(keyOf(object)), object.metadata.uid);
    const now = ports.clock.monotonic();
    const last = local.deliveredAt ?? Number.NEGATIVE_INFINITY;
    // A wake-up that is due already is repeated: a reconcile that has started since took it off the queue.
    local.deliveredAt = last > now ? last : Math.max(now, last + ports.windows.deliveryGapMs);
    enqueue(key, { afterMs: local.deliveredAt - now, urgent: true });
  }
  // Shared reads may be older than the delivery.
  if (found > 0) ports.connections.last(connection)?.api.refresh();
  return found;
}

/** The highest first: requests of a person for an existing object, new objects, work under way, routine checks. */
export type ReconcilePriority = "urgent" | "high" | "normal" | "low";

export function priorityOf(object: KubeObject): ReconcilePriority {
  const { deletionTimestamp, annotations, generation = 0 } = object.metadata;
  if (deletionTimestamp !== undefined || isRequested(object)) return "urgent";
  // An answer stays after it was used.
  if (annotations?.[RESOLVE] !== undefined && !isSettled(object)) return "urgent";
  if (conditionOf(object, "Ready") === undefined) return "high";
  if (member(object.status, "observedGeneration") !== generation || isEditUnanswered(object)) return "urgent";
  return isSettled(object) && recordedIn(object, "intent") === undefined ? "low" : "normal";
}

/**
 * Reports whether the status has the intent of a request that an edit caused, without a recorded answer, e.g. because
 * the platform limited the rate. Never for the first requests of a new object.
 */
function isEditUnanswered(object: KubeObject): boolean {
  const applied = member(object.status, "appliedGeneration");
  return recordedIn(object, "intent") !== undefined && applied !== undefined && applied !== object.metadata.generation;
}
