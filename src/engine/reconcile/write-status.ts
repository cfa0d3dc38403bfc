/** Hop 8 of a reconcile: one status patch if something changed, events on transitions, and the next requeue. */
import { member } from "../../kube/api/json.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { Kind, ExternalLifecycle, Ms, KindTypes, RatedApi } from "../contract/kind.ts";
import { abreast, backoff, follow, jitter, pollInterval } from "../contract/requeue.ts";
import { isSettled, sameJson, statusOf } from "../contract/status.ts";
import { requestedToken } from "../policies/policy.ts";
import { buildStatus } from "../status/build.ts";
import { expectLook, timeLimit } from "../status/deadline.ts";
import { memoryOf, type Done } from "../status/done.ts";
import { writeOutputs } from "../status/outputs.ts";
import { announce } from "../status/transitions.ts";
import { throttle, signature } from "../status/write-throttle.ts";
import { openAction } from "../steps/recover.ts";

/**
 * Writes the outcome of a reconcile. @returns milliseconds until the object is to be reconciled again. @throws
 * KubeError
 */
export async function writeStatus<K extends KindTypes>(ports: Ports<K["api"]>, kind: Kind<K>, done: Done): Promise<Ms> {
  return await tell(ports, kind, await writeOutputs(ports, kind, done));
}

/** Reports whether the identity belongs into the status: something was recorded, written or found in order there. */
function isPinned(
  { externalLifecycle }: { readonly externalLifecycle: ExternalLifecycle },
  { id, local, object, report, result }: Done,
): boolean {
  if (typeof externalLifecycle === "boolean") return externalLifecycle && id !== undefined;
  const isOurs = result.is === "settled" || member(object.status, "identity") !== undefined;
  return local.unsaved !== undefined || (report !== undefined && isOurs);
}

/** Reports whether a reconcile request is held: its plan is not approved, or its window not open. */
function isHeld({ policyStatus }: Done): boolean {
  return policyStatus?.plan !== undefined && policyStatus.plan.approved !== true;
}

async function tell<K extends KindTypes>(ports: Ports<K["api"]>, kind: Kind<K>, done: Done): Promise<Ms> {
  const { object, local, result, report } = done;
  const status = buildStatus({
    object,
    result,
    report,
    memory: memoryOf(kind, done),
    id: kind.externalLifecycle ? done.id : undefined,
    recordedIdentity: isPinned(kind, done) ? done.recordedIdentity : undefined,
    intent: openAction(object, local),
    handled: done.asked && !isHeld(done) ? requestedToken(object) : undefined,
    policyStatus: "appliedGeneration" in kind.resource.status.shape ? done.policyStatus : undefined,
    timeLimit: timeLimit(kind, object, local, { result, now: ports.clock.now() }),
    now: ports.clock.now(),
  });
  const isDeferred = result.is === "deferred";
  const next = isDeferred ? Math.max(done.again ?? 0, ports.windows.followMinMs) : nextLook(ports, done);
  // A connection reports its own errors, at once.
  const isOwn = kind.connection !== undefined && !isDeferred;
  const patience = isOwn ? 0 : throttle(object, status, result, ports.windows);
  const held = await write(ports, done, status, patience);
  const look = held === undefined ? next : Math.min(next, held);
  if (kind.oneShot !== undefined) expectLook(local, ports.clock, look);
  return look;
}

/**
 * Writes the status, or holds it back until it has looked like this for `patience`.
 * @returns how long it is held back; undefined when nothing is due any more
 */
async function write<Api extends RatedApi>(
  ports: Ports<Api>,
  done: Done,
  status: JsonObject,
  patience: Ms,
): Promise<Ms | undefined> {
  const { object, local } = done;
  if (sameJson(status, statusOf(object))) {
    local.deferred = undefined;
    local.unsaved = undefined;
    ports.observer.status(object);
    return undefined;
  }
  const now = ports.clock.monotonic();
  const looks = signature(status);
  const since = local.deferred?.signature === looks ? local.deferred.since : now;
  local.deferred = { since, signature: looks, object, status };
  const left = since + patience - now;
  if (left > 0) return left;
  await store(ports, local, local.deferred);
  return undefined;
}

async function store<Api extends RatedApi>(
  ports: Ports<Api>,
  local: LocalState,
  { object, status }: NonNullable<LocalState["deferred"]>,
): Promise<void> {
  const stored = await ports.writer.patchStatus(object, status);
  local.deferred = undefined;
  local.unsaved = undefined;
  if (member(stored.status, "deadline") !== member(object.status, "deadline")) local.idleMs = 0;
  announce(ports.events, object, stored);
  ports.observer.status(stored);
}

/**
 * Writes, before the process ends, the statuses that are held back and contain what only this process knows, such as
 * the id of a request. The next process traces what cannot be written.
 */
export async function flush<Api extends RatedApi>(ports: Ports<Api>): Promise<void> {
  const held = [...ports.localStates.all()].flatMap((local) => {
    const { deferred, unsaved } = local;
    return deferred === undefined || unsaved === undefined ? [] : [store(ports, local, deferred)];
  });
  await Promise.allSettled(held);
}

function nextLook<Api extends RatedApi>(ports: Ports<Api>, done: Done): Ms {
  const { object, local, result } = done;
  const poll = pollInterval(object, ports.windows, done.defaults.pollInterval);
  if (poll.invalid !== undefined) warnOfInterval(ports, done, poll.invalid);
  if (result.is !== "retry" && result.is !== "held" && result.is !== "stalled") local.failures = 0;
  const reason = result.is === "waiting" || result.is === "unknown" ? result.why.reason : "";
  local.waits = { reason, times: reason === local.waits.reason ? local.waits.times + 1 : 0 };
  const again = Math.min(done.again ?? usualDelay(ports, done, poll.ms), done.report?.lookWithin ?? Infinity);
  // Only work under way is requeued at once.
  return result.is === "waiting" ? again : Math.max(again, ports.windows.backoffMinMs);
}

function usualDelay<Api extends RatedApi>({ windows, random, clock }: Ports<Api>, done: Done, pollMs: Ms): Ms {
  const { object, local, result, group } = done;
  switch (result.is) {
    case "settled":
      if (isSettled(object) && group !== undefined) return abreast(pollMs, group, clock.monotonic());
      // What has just settled often still changes: its children, its ingress.
      return jitter(isSettled(object) ? pollMs : Math.min(pollMs, windows.firstLookMs), random());
    case "waiting":
    case "unknown":
      return follow(local.waits.times, windows);
    case "stalled":
    case "paused":
    case "deferred":
      return jitter(pollMs, random());
    case "retry":
      return backoff(local.failures, windows, random());
    case "held":
      return isSettled(object) ? jitter(Math.min(pollMs, windows.staleMs), random()) : windows.followMaxMs * 2;
    default:
      return result satisfies never;
  }
}

function warnOfInterval<Api extends RatedApi>(ports: Ports<Api>, done: Done, invalid: string): void {
  if (done.local.warned.has(invalid)) return;
  done.local.warned.add(invalid);
  ports.events.record({
    regarding: done.object,
    type: "Warning",
    reason: "InvalidSpec",
    action: "Reconcile",
    note: `The annotation platform-operator.io/poll-interval is ${JSON.stringify(invalid.slice(0, 40))}, which is no duration such as "90s" or "1h30m"; the default is used.`,
  });
}
