/** Hop 8 of a reconcile: one status patch if something changed, events on transitions, and when to look again. */
import { member } from "../../kube/api/json.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import type { Context } from "../context/context.ts";
import type { Session } from "../context/local-state.ts";
import type { Kind, Lives, Ms, KindTypes, RatedApi } from "../contract/kind.ts";
import { abreast, backoff, follow, jitter, pollInterval } from "../contract/requeue.ts";
import { isSettled, sameJson, statusOf } from "../contract/status.ts";
import { requestedToken } from "../policies/policy.ts";
import { compose } from "../status/build.ts";
import { expectLook, timeLimit } from "../status/deadline.ts";
import { memoryOf, type Done } from "../status/done.ts";
import { publish } from "../status/outputs.ts";
import { announce } from "../status/transitions.ts";
import { holdBack, signature } from "../status/write-throttle.ts";
import { openAction } from "../steps/recover.ts";

/** @returns milliseconds until the object should be looked at again. @throws KubeError */
export async function finish<K extends KindTypes>(context: Context<K["api"]>, kind: Kind<K>, done: Done): Promise<Ms> {
  return await tell(context, kind, await publish(context, kind, done));
}

/** What was recorded, written or found in order belongs to the place where it was, and to who looks after it. */
function isPinned({ lives }: { readonly lives: Lives }, { id, session, object, report, ending }: Done): boolean {
  if (typeof lives === "boolean") return lives && id !== undefined;
  const isOurs = ending.is === "settled" || member(object.status, "identity") !== undefined;
  return session.unsaved !== undefined || (report !== undefined && isOurs);
}

/** What the user requested is not handled before its plan is approved, or its window open. */
function isHeld({ governed }: Done): boolean {
  return governed?.plan !== undefined && governed.plan.approved !== true;
}

async function tell<K extends KindTypes>(context: Context<K["api"]>, kind: Kind<K>, done: Done): Promise<Ms> {
  const { object, session, ending, report } = done;
  const status = compose({
    object,
    ending,
    report,
    memory: memoryOf(kind, done),
    id: kind.lives ? done.id : undefined,
    pins: isPinned(kind, done) ? done.pins : undefined,
    intent: openAction(object, session),
    handled: done.asked && !isHeld(done) ? requestedToken(object) : undefined,
    governed: "appliedGeneration" in kind.resource.status.shape ? done.governed : undefined,
    timeLimit: timeLimit(kind, object, session, { ending, now: context.clock.now() }),
    now: context.clock.now(),
  });
  const isDeferred = ending.is === "deferred";
  const next = isDeferred ? Math.max(done.again ?? 0, context.windows.followMinMs) : nextLook(context, done);
  // A connection tells its own trouble, at once.
  const isOwn = kind.connection !== undefined && !isDeferred;
  const patience = isOwn ? 0 : holdBack(object, status, ending, context.windows);
  const held = await write(context, done, status, patience);
  const look = held === undefined ? next : Math.min(next, held);
  if (kind.task !== undefined) expectLook(session, context.clock, look);
  return look;
}

/**
 * Writes the status, or holds it back until it has looked like this for `patience`.
 * @returns how long it is held back, undefined when nothing is due any more
 */
async function write<Api extends RatedApi>(
  context: Context<Api>,
  done: Done,
  status: JsonObject,
  patience: Ms,
): Promise<Ms | undefined> {
  const { object, session } = done;
  if (sameJson(status, statusOf(object))) {
    session.deferred = undefined;
    session.unsaved = undefined;
    context.observer.status(object);
    return undefined;
  }
  const now = context.clock.monotonic();
  const looks = signature(status);
  const since = session.deferred?.signature === looks ? session.deferred.since : now;
  session.deferred = { since, signature: looks, object, status };
  const left = since + patience - now;
  if (left > 0) return left;
  await store(context, session, session.deferred);
  return undefined;
}

async function store<Api extends RatedApi>(
  context: Context<Api>,
  session: Session,
  { object, status }: NonNullable<Session["deferred"]>,
): Promise<void> {
  const stored = await context.writer.patchStatus(object, status);
  session.deferred = undefined;
  session.unsaved = undefined;
  if (member(stored.status, "deadline") !== member(object.status, "deadline")) session.idleMs = 0;
  announce(context.events, object, stored);
  context.observer.status(stored);
}

/**
 * Writes the statuses that are held back and hold what only this process knows, such as the id of a request, before it
 * ends. What cannot be written is traced by the next process.
 */
export async function flush<Api extends RatedApi>(context: Context<Api>): Promise<void> {
  const held = [...context.sessions.all()].flatMap((session) => {
    const { deferred, unsaved } = session;
    return deferred === undefined || unsaved === undefined ? [] : [store(context, session, deferred)];
  });
  await Promise.allSettled(held);
}

function nextLook<Api extends RatedApi>(context: Context<Api>, done: Done): Ms {
  const { object, session, ending } = done;
  const poll = pollInterval(object, context.windows, done.defaults.pollInterval);
  if (poll.invalid !== undefined) warnOfInterval(context, done, poll.invalid);
  if (ending.is !== "retry" && ending.is !== "held" && ending.is !== "stalled") session.failures = 0;
  const reason = ending.is === "waiting" || ending.is === "unknown" ? ending.why.reason : "";
  session.waits = { reason, times: reason === session.waits.reason ? session.waits.times + 1 : 0 };
  const again = Math.min(done.again ?? usualDelay(context, done, poll.ms), done.report?.lookWithin ?? Infinity);
  // Only work under way goes on at once.
  return ending.is === "waiting" ? again : Math.max(again, context.windows.backoffMinMs);
}

function usualDelay<Api extends RatedApi>({ windows, random, clock }: Context<Api>, done: Done, pollMs: Ms): Ms {
  const { object, session, ending, group } = done;
  switch (ending.is) {
    case "settled":
      if (isSettled(object) && group !== undefined) return abreast(pollMs, group, clock.monotonic());
      // What has just become settled is often still being filled: its children, its ingress.
      return jitter(isSettled(object) ? pollMs : Math.min(pollMs, windows.firstLookMs), random());
    case "waiting":
    case "unknown":
      return follow(session.waits.times, windows);
    case "stalled":
    case "paused":
    case "deferred":
      return jitter(pollMs, random());
    case "retry":
      return backoff(session.failures, windows, random());
    case "held":
      return isSettled(object) ? jitter(Math.min(pollMs, windows.staleMs), random()) : windows.followMaxMs * 2;
    default:
      return ending satisfies never;
  }
}

function warnOfInterval<Api extends RatedApi>(context: Context<Api>, done: Done, invalid: string): void {
  if (done.session.warned.has(invalid)) return;
  done.session.warned.add(invalid);
  context.events.record({
    regarding: done.object,
    type: "Warning",
    reason: "InvalidSpec",
    action: "Reconcile",
    note: `The annotation platform-operator.io/poll-interval is ${JSON.stringify(invalid.slice(0, 40))}, which is no duration such as "90s" or "1h30m"; the default is used.`,
  });
}
