/** Hop 8 of a reconcile: one status patch if something changed, events on transitions, and the next requeue. */
import { isDeepStrictEqual } from "node:util";

import { hasObject, writesFields } from "../../api/resource.ts";
import { member } from "../../kube/api/json.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { DelayedStatus } from "../context/persistence.ts";
import type { Ms } from "../contract/kind.ts";
import { alignToGroup, backoff, followInterval, jitter, pollInterval } from "../contract/requeue.ts";
import { isSettled, statusOf } from "../contract/status.ts";
import { openAction } from "../ledger/ledger.ts";
import { requestedToken } from "../policies/policy.ts";
import { buildStatus } from "../status/build.ts";
import type { ReconcileResult } from "../status/outcome.ts";
import { writeOutputs } from "../status/outputs.ts";
import {
  idToStore,
  isListed,
  memoryToStore,
  type Reconciliation,
  type Resolved,
  type Unresolved,
} from "../status/reconciliation.ts";
import { redeployAnswer } from "../status/redeploy.ts";
import { recordRefusal, significantPart, storeStatus, throttle } from "../status/writes.ts";

/**
 * Writes how a reconcile ended.
 * @returns milliseconds until the object is to be reconciled again
 * @throws KubeError
 */
export async function writeStatus(r: Unresolved | Resolved, ended: ReconcileResult): Promise<Ms> {
  const { ports, kind, object, local } = r;
  const isHandled = r.isResolved && isAnswered(r, ended) && !isHeld(r);
  const result = await writeOutputs(r, ended);
  const { handledRedeploy, refusal } = redeployAnswer(r);
  const status = buildStatus({
    object,
    result,
    report: r.report,
    memory: memoryToStore(r),
    id: kind.resource.lifecycle === "None" ? undefined : idToStore(r),
    recordedIdentity: r.isResolved && isPinned(r, result) ? r.recordedIdentity : undefined,
    isListed: isListed(r),
    intent: openAction(object, local.persistence),
    handled: isHandled ? requestedToken(object) : undefined,
    handledRedeploy,
    policyStatus: r.isResolved && "appliedGeneration" in kind.resource.status.shape ? r.policyStatus : undefined,
    now: ports.clock.now(),
  });
  const isDeferred = result.is === "deferred";
  const next = isDeferred ? Math.max(result.again ?? 0, ports.windows.followMinMs) : nextReconcile(r, result);
  const patience = throttle(object, status, result, ports.windows);
  const held = await write(r, status, { patience, refusal });
  return held === undefined ? next : Math.min(next, held);
}

/**
 * Reports whether the reconcile handled a reconcile request. A failed or delayed reconcile does not handle one. Any
 * reconcile of a deletion does.
 */
function isAnswered({ context, report }: Resolved, result: ReconcileResult): boolean {
  if (context.goal !== "present") return true;
  if (report === undefined) return false;
  if (result.is === "settled" || result.is === "stalled" || result.is === "unknown") return true;
  return result.is === "waiting" && result.exchange === "ok";
}

/** Reports whether a reconcile request is held: its plan is not approved, or its window not open. */
function isHeld({ policyStatus }: Resolved): boolean {
  return policyStatus.plan !== undefined && policyStatus.plan.approved !== true;
}

/**
 * Reports whether the status gets the identity: an object is recorded, or the resource wrote into other objects or
 * found them as wanted.
 */
function isPinned(r: Resolved, result: ReconcileResult): boolean {
  const { resource } = r.kind;
  if (!writesFields(resource)) return hasObject(resource) && idToStore(r) !== undefined;
  const isOurs = result.is === "settled" || member(r.object.status, "identity") !== undefined;
  return r.local.persistence.state.outcome !== undefined || (r.report !== undefined && isOurs);
}

/**
 * Writes the status, or delays the write until the status has looked like this for `patience`.
 * @returns the delay that is left; undefined when nothing is left to write
 */
async function write(
  { ports, object, local, report }: Reconciliation,
  status: JsonObject,
  { patience, refusal }: { readonly patience: Ms; readonly refusal?: string | undefined },
): Promise<Ms | undefined> {
  if (isDeepStrictEqual(status, statusOf(object))) {
    local.persistence.noteStatusStored();
    ports.observer.status(object, object);
    return undefined;
  }
  const now = ports.clock.monotonic();
  const built = { signature: significantPart(status), object, status, note: report?.note, refusal };
  const delayed = local.persistence.delayStatus(built, now);
  const left = delayed.since + patience - now;
  if (left > 0) return left;
  await store(ports, local, delayed);
  return undefined;
}

async function store(ports: Ports, local: LocalState, { object, status, note, refusal }: DelayedStatus): Promise<void> {
  const stored = await storeStatus(ports, object, status, note);
  local.persistence.noteStatusStored();
  if (refusal !== undefined) recordRefusal(ports.events, stored, refusal);
}

/**
 * Writes, before the process ends, the delayed statuses that contain what only this process knows, such as the id of a
 * request. The next process traces what cannot be written.
 */
export async function flush(ports: Ports): Promise<void> {
  const held = [...ports.localStates.all()].flatMap((local) => {
    const { delayed, outcome } = local.persistence.state;
    return delayed === undefined || outcome === undefined ? [] : [store(ports, local, delayed)];
  });
  await Promise.allSettled(held);
}

/** Returns the time until the next reconcile, and counts how often in a row the object waits for the same reason. */
function nextReconcile(r: Unresolved | Resolved, result: ReconcileResult): Ms {
  const { ports, local } = r;
  if (result.is !== "retry" && result.is !== "held" && result.is !== "stalled") local.failures.count = 0;
  const reason = result.is === "waiting" || result.is === "unknown" ? result.why.reason : "";
  const { streak } = local.waiting;
  local.waiting.streak = { reason, times: reason === streak.reason ? streak.times + 1 : 0 };
  const again = Math.min(result.again ?? usualDelay(r, result), r.report?.lookWithin ?? Infinity);
  // Only work under way is requeued at once.
  return result.is === "waiting" ? again : Math.max(again, ports.windows.backoffMinMs);
}

function usualDelay(r: Unresolved | Resolved, result: ReconcileResult): Ms {
  const { object, local, ports } = r;
  const defaults = r.isResolved ? r.connection.settings.defaults : undefined;
  const { ms: pollMs } = pollInterval(object, ports.windows, defaults?.pollInterval);
  const { windows, random, clock } = ports;
  switch (result.is) {
    case "settled": {
      // An object that has just settled often still changes: its children, its ingress.
      if (!isSettled(object)) return jitter(Math.min(pollMs, windows.firstLookMs), random());
      const group = r.isResolved ? groupOf(r) : undefined;
      return group === undefined ? jitter(pollMs, random()) : alignToGroup(pollMs, group, clock.monotonic());
    }
    case "waiting":
    case "unknown":
      return followInterval(local.waiting.streak.times, windows);
    case "stalled":
    case "paused":
    case "deferred":
      return jitter(pollMs, random());
    case "retry":
      return backoff(local.failures.count, windows, random());
    case "held":
      return isSettled(object) ? jitter(Math.min(pollMs, windows.staleMs), random()) : windows.followMaxMs * 2;
    default:
      return result satisfies never;
  }
}

/** Returns the name of the group of objects that share reads of the platform: they are reconciled together. */
function groupOf({ kind, context, connection, recordedIdentity }: Resolved): string | undefined {
  const isShared = kind.listable?.(context.isFull) === true;
  return isShared ? (recordedIdentity.parentId ?? connection.uid) : undefined;
}
