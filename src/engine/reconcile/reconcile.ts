import { PAUSED } from "../../api/names.ts";
/** The one reconcile, for every kind. It knows the kinds only through the seam in kind.ts. */
import { isKube, KubeError } from "../../kube/api/errors.ts";
import type { KubeObject, ObjectKey } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Context } from "../context/context.ts";
import { isOvertaken, type Session } from "../context/local-state.ts";
import { keyText } from "../contract/keys.ts";
import type { Kind, Ms, Report, Why, KindTypes, RatedApi } from "../contract/kind.ts";
import { backoff, pollInterval } from "../contract/requeue.ts";
import { rest } from "../ledger/one-shot.ts";
import type { Frame } from "../resolve/frame.ts";
import { recordedId, scope, type Scoped, type Unscoped } from "../resolve/resolve.ts";
import type { Ending } from "../status/build.ts";
import { countDelay, deadlineOf } from "../status/deadline.ts";
import { unasked, type Done } from "../status/done.ts";
import { stallOnMissing } from "../status/missing.ts";
import { isMoved } from "../steps/execute.ts";
import { pass, type Passed } from "../steps/loop.ts";
import { openSlot } from "../steps/recover.ts";
import { probed, probeDue, rateLimited, untilProbe } from "./connection.ts";
import { remove } from "./deletion.ts";
import { runErrand } from "./receiver-registration.ts";
import { finish } from "./write-status.ts";

/** Reconciles one object by its key. @returns when to look again; undefined when only an event should bring it back */
export type Reconcile = (key: ObjectKey) => Promise<Ms | undefined>;

/** How soon an object that changed under our hands is looked at again. */
const MOVED_AGAIN_MS = 100;

/** Binds a kind to the engine; the result knows nothing of the kind's types. */
export function reconciler<K extends KindTypes>(context: Context<K["api"]>, kind: Kind<K>): Reconcile {
  return async (key) => {
    const object = context.cache.get(key);
    if (object === undefined) {
      context.sessions.forget(keyText(key));
      context.connections.forget(keyText(key));
      context.observer.removed(key);
      return undefined;
    }
    const session = context.sessions.of(keyText(key), object.metadata.uid);
    try {
      return await reconcileObject(context, kind, object, session);
    } catch (error) {
      // The object changed or went while we worked on it: what was decided is void, and the cache has the news.
      if (isMoved(error)) return MOVED_AGAIN_MS;
      // Whoever has asked for a dry run is told in words of their own.
      const refusal = context.dryRun ? undefined : refusalIn(error);
      if (error instanceof KubeError && refusal === undefined) throw error;
      if (refusal === undefined) context.observer.internal(key, error);
      return await confess(context, kind, key, session, refusal ?? FAILED);
    }
  };
}

async function reconcileObject<K extends KindTypes>(
  context: Context<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  session: Session,
): Promise<Ms | undefined> {
  if (isOvertaken(kind, object, session)) session.unsaved = undefined;
  if (object.metadata.deletionTimestamp !== undefined) {
    const removing = await remove(context, kind, object, session);
    return removing === undefined ? undefined : await finish(context, kind, removing);
  }
  const isConnection = kind.connection !== undefined;
  const resting = await (isConnection ? pause : restTask)(context, kind, object, session);
  if (resting !== undefined) return resting.again;
  const paused = object.metadata.annotations?.[PAUSED] === "true";
  const scoped: Scoped<K> = paused
    ? { is: "ended", ending: { is: "paused" } }
    : await scope(context, kind, object, session, "present");
  if (scoped.is === "ended") {
    return await finish(context, kind, unscoped(context, kind, object, { session, scoped }));
  }
  if (isConnection) return await reconcileConnection(context, kind, scoped.frame);
  const ran = await pass(context, kind, scoped.frame);
  const passed = { ...ran, ...stallOnMissing(context, ran.frame.object, session, ran) };
  if (passed.ending.is === "settled")
    tellSurface(context, passed.frame.connection, passed.frame.pass.id !== scoped.frame.pass.id);
  return await finish(context, kind, toFinish(passed, isAnswered(passed), kind.listable(passed.frame.pass.supports)));
}

/** What is known of the platform by now is told on its connection; a new object may be what it can be asked about. */
function tellSurface<Api extends RatedApi>(context: Context<Api>, connection: Connection<Api>, isNew: boolean): void {
  const isNews = isNew || connection.api.capabilities.summary() !== undefined;
  if (connection.surface === undefined && isNews) context.connections.suspect(connection);
}

/** What is written down of an object for which no pass can be made. */
function unscoped<K extends KindTypes>(
  context: Context<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  { session, scoped }: { readonly session: Session; readonly scoped: Unscoped },
): Done {
  const over = overdue(context, kind, object, { session, ending: scoped.ending });
  if (over !== undefined) return over;
  const { ending, again } = stallOnMissing(context, object, session, { ...scoped, again: connectionPoll(kind) });
  return unasked(object, session, ending, again);
}

/** The end of a task whose time is over while it waits for what it needs. */
function overdue<K extends KindTypes>(
  context: Context<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  { session, ending }: { readonly session: Session; readonly ending: Ending },
): Done | undefined {
  const { task, resource } = kind;
  const now = context.clock.now();
  const deadline = deadlineOf(kind, object, session, now);
  const { data: spec } = resource.spec.safeParse(object.spec ?? {});
  const isWaiting = ending.is === "waiting" || ending.is === "held";
  if (task === undefined || spec === undefined || !isWaiting || deadline === undefined || deadline > now)
    return undefined;
  const memory = session.unsaved?.memory ?? object.status ?? {};
  const isSent = openSlot(object, session).is !== "empty";
  const end = task.overdue(spec, resource.memory.parse(memory), { now, isSent });
  const done = unasked(object, session, { is: "stalled", why: end.report.ready, exchange: "none" });
  return { ...done, ...end };
}

/** As `rest`; of a task that is not over it is counted how long it is held up. */
async function restTask<K extends KindTypes>(
  context: Context<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  session: Session,
): Promise<{ readonly again: Ms | undefined } | undefined> {
  const resting = await rest(context, kind, object);
  if (resting === undefined && kind.task !== undefined) countDelay(session, context.clock);
  return resting;
}

/** Leaves a connection alone whose platform refuses requests. @returns undefined where there is something to do */
async function pause<K extends KindTypes>(
  context: Context<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  session: Session,
): Promise<{ readonly again: Ms } | undefined> {
  const limited = rateLimited(context, object);
  if (limited?.is !== "told") return limited;
  return { again: await finish(context, kind, unasked(object, session, limited.ending, limited.again)) };
}

async function reconcileConnection<K extends KindTypes>(
  context: Context<K["api"]>,
  kind: Kind<K>,
  frame: Frame<K>,
): Promise<Ms> {
  const { connection, object } = frame;
  if (!probeDue(context, connection, object)) return untilProbe(context, connection);
  const passed = await pass(context, kind, frame);
  const done = toFinish(passed, true, false);
  // Not probed, as the rate limit leaves no room: nothing is known that was not known before.
  if (done.ending.is === "deferred") return Math.max(done.again ?? 0, context.windows.followMinMs);
  const shown = await probed(context, connection, done, done.again ?? pollInterval(object, context.windows).ms);
  try {
    const works = shown.ending.is === "settled";
    const told = works ? await withErrand(context, kind, passed.frame, { ...done, ...shown }) : { ...done, ...shown };
    const next = await finish(context, kind, told);
    return Math.min(next, untilProbe(context, connection));
  } catch (error) {
    // What could not be written down is found out again.
    connection.nextProbeAt = 0;
    throw error;
  }
}

/** What a connection that works does for itself, told beside what was found out about it. */
async function withErrand<K extends KindTypes>(
  context: Context<K["api"]>,
  kind: Kind<K>,
  frame: Frame<K>,
  done: Done,
): Promise<Done> {
  const { report } = done;
  if (kind.errand === undefined || report === undefined) return done;
  const { connection } = frame;
  const due = connection.nextProbeAt;
  const ran = await runErrand(context, kind.errand, { ...frame, object: done.object });
  // Trouble of the errand is no reason to probe the connection any sooner than the errand itself asks for.
  connection.nextProbeAt = Math.min(due, context.clock.monotonic() + (ran.again ?? Number.POSITIVE_INFINITY));
  const conditions = [...report.conditions, ...ran.conditions];
  return {
    ...done,
    object: ran.object,
    report: { ...report, conditions, status: { ...report.status, ...ran.status } },
  };
}

/** Whether the pass came to its end. What failed or was held up on the way handles no reconcile request. */
function isAnswered({ ending, report }: { readonly ending: Ending; readonly report: Report | undefined }): boolean {
  if (report === undefined) return false;
  if (ending.is === "settled" || ending.is === "stalled" || ending.is === "unknown") return true;
  return ending.is === "waiting" && ending.exchange === "ok";
}

function toFinish<K extends KindTypes>(
  { frame, ending, report, again }: Passed<K>,
  asked: boolean,
  isShared: boolean,
): Done {
  const { object, session, pins } = frame;
  const { governed, connection } = frame;
  const { defaults } = connection.settings;
  const group = isShared ? (pins.parentId ?? connection.uid) : undefined;
  const id = recordedId(frame.pass);
  const memory = id === undefined ? undefined : frame.pass.memory;
  return { object, session, ending, report, id, memory, pins, asked, again, governed, defaults, group };
}

/** A connection whose Secret is missing looks for it again soon; nothing else would bring it back. */
function connectionPoll(kind: { readonly connection?: unknown }): Ms | undefined {
  return kind.connection === undefined ? undefined : 5_000;
}

/** An error that no table knows. */
const FAILED: Why = {
  reason: "InternalError",
  message: "The operator failed on this object; others are not affected. Its log has the details. It tries again.",
};

/** Why the API server does not take what the operator has to write about an object, where that is what went wrong. */
function refusalIn(error: unknown): Why | undefined {
  const isInvalid = isKube(error, "Invalid");
  if (!(error instanceof KubeError) || (!isInvalid && !isKube(error, "Forbidden"))) return undefined;
  const cause = isInvalid
    ? "Annotations may leave no room for the operator's own (256 KiB at most on one object), or a policy forbids it"
    : "A policy forbids it, or the operator lacks a right in the cluster";
  const message = `The API server refuses what the operator needs for this object (${error.message}). ${cause}. It tries again.`;
  return { reason: isInvalid ? "InvalidSpec" : "PermissionDenied", message };
}

/** What keeps the operator from this object: the object says so, its neighbours are not touched. */
async function confess<K extends KindTypes>(
  context: Context<K["api"]>,
  kind: Kind<K>,
  key: ObjectKey,
  session: Session,
  why: Why,
): Promise<Ms | undefined> {
  const object = context.cache.get(key);
  if (object === undefined || object.metadata.uid !== session.uid) return undefined;
  session.failures += 1;
  const ending: Ending = { is: "stalled", why, exchange: "none" };
  const again = backoff(session.failures, context.windows, context.random());
  return await finish(context, kind, unasked(object, session, ending, again));
}
