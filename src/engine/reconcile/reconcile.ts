/** The one reconcile for every kind. It knows the kinds only through `Kind` (docs/architecture.md §2, §3). */
import { PAUSED } from "../../api/names.ts";
import { isKube, KubeError } from "../../kube/api/errors.ts";
import type { KubeObject, ObjectKey } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import { isOvertaken, type LocalState } from "../context/local-state.ts";
import { keyText } from "../contract/keys.ts";
import type { Kind, Ms, Report, Why, KindTypes, RatedApi } from "../contract/kind.ts";
import { backoff, pollInterval } from "../contract/requeue.ts";
import { parseSpec } from "../contract/spec.ts";
import { rest } from "../ledger/one-shot.ts";
import type { Reconciliation } from "../resolve/frame.ts";
import { recordedId, resolveObject, type Resolution, type Unresolved } from "../resolve/resolve.ts";
import type { Result } from "../status/build.ts";
import { countDelay, deadlineOf } from "../status/deadline.ts";
import { unasked, type Done } from "../status/done.ts";
import { stallOnMissing } from "../status/missing.ts";
import { isMoved } from "../steps/execute.ts";
import { runSteps, type Reconciled } from "../steps/loop.ts";
import { openSlot } from "../steps/recover.ts";
import { probed, probeDue, rateLimited, untilProbe } from "./connection.ts";
import { remove } from "./deletion.ts";
import { registerReceiver } from "./receiver-registration.ts";
import { writeStatus } from "./write-status.ts";

/** Reconciles one object by its key. @returns when to look again; undefined when only an event should bring it back */
export type Reconcile = (key: ObjectKey) => Promise<Ms | undefined>;

/** How soon an object is reconciled again that changed during a reconcile. */
const MOVED_AGAIN_MS = 100;

/** Binds a kind to the engine. The result does not depend on the kind's types. */
export function reconciler<K extends KindTypes>(ports: Ports<K["api"]>, kind: Kind<K>): Reconcile {
  return async (key) => {
    const object = ports.cache.get(key);
    if (object === undefined) {
      ports.localStates.forget(keyText(key));
      ports.connections.forget(keyText(key));
      ports.observer.removed(key);
      return undefined;
    }
    const local = ports.localStates.of(keyText(key), object.metadata.uid);
    try {
      return await reconcileObject(ports, kind, object, local);
    } catch (error) {
      // The object changed or was deleted during the reconcile. The decision is void, and the cache has the new state.
      if (isMoved(error)) return MOVED_AGAIN_MS;
      // A dry run reports the error itself.
      const refusal = ports.dryRun ? undefined : refusalIn(error);
      if (error instanceof KubeError && refusal === undefined) throw error;
      if (refusal === undefined) ports.observer.internal(key, error);
      return await reportInternalError(ports, kind, key, local, refusal ?? FAILED);
    }
  };
}

async function reconcileObject<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  local: LocalState,
): Promise<Ms | undefined> {
  if (isOvertaken(kind, object, local)) local.unsaved = undefined;
  if (object.metadata.deletionTimestamp !== undefined) {
    const removing = await remove(ports, kind, object, local);
    return removing === undefined ? undefined : await writeStatus(ports, kind, removing);
  }
  const isConnection = kind.connection !== undefined;
  const resting = await (isConnection ? pause : restTask)(ports, kind, object, local);
  if (resting !== undefined) return resting.again;
  const paused = object.metadata.annotations?.[PAUSED] === "true";
  const scoped: Resolution<K> = paused
    ? { is: "ended", result: { is: "paused" } }
    : await resolveObject(ports, kind, object, local, "present");
  if (scoped.is === "ended") {
    return await writeStatus(ports, kind, unscoped(ports, kind, object, { local, scoped }));
  }
  if (isConnection) return await reconcileConnection(ports, kind, scoped.frame);
  const ran = await runSteps(ports, kind, scoped.frame);
  const passed = { ...ran, ...stallOnMissing(ports, ran.frame.object, local, ran) };
  if (passed.result.is === "settled")
    tellSurface(ports, passed.frame.connection, passed.frame.context.id !== scoped.frame.context.id);
  return await writeStatus(
    ports,
    kind,
    toFinish(passed, isAnswered(passed), kind.listable?.(passed.frame.context.supports) === true),
  );
}

/** Requests a probe of a connection whose surface is undecided, once something new is known of the platform. */
function tellSurface<Api extends RatedApi>(ports: Ports<Api>, connection: Connection<Api>, isNew: boolean): void {
  const isNews = isNew || connection.api.capabilities.summary() !== undefined;
  if (connection.surface === undefined && isNews) ports.connections.suspect(connection);
}

/** Returns what to write for an object that cannot be resolved. */
function unscoped<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  { local, scoped }: { readonly local: LocalState; readonly scoped: Unresolved },
): Done {
  const over = overdue(ports, kind, object, { local, result: scoped.result });
  if (over !== undefined) return over;
  const { result, again } = stallOnMissing(ports, object, local, { ...scoped, again: connectionPoll(kind) });
  return unasked(object, local, result, again);
}

/** Returns the end of a one-shot object whose deadline passed while it waited for its needs. */
function overdue<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  { local, result }: { readonly local: LocalState; readonly result: Result },
): Done | undefined {
  const { oneShot, resource } = kind;
  const now = ports.clock.now();
  const deadline = deadlineOf(kind, object, local, now);
  const { data: spec } = parseSpec(resource.spec, object);
  const isWaiting = result.is === "waiting" || result.is === "held";
  if (oneShot === undefined || spec === undefined || !isWaiting || deadline === undefined || deadline > now)
    return undefined;
  const memory = local.unsaved?.memory ?? object.status ?? {};
  const isSent = openSlot(object, local).is !== "empty";
  const end = oneShot.overdue(spec, resource.memory.parse(memory), { now, isSent });
  const done = unasked(object, local, { is: "stalled", why: end.report.ready, exchange: "none" });
  return { ...done, ...end };
}

/** Ends the reconcile of a one-shot object that has ended. Otherwise counts how long the object was held up. */
async function restTask<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  local: LocalState,
): Promise<{ readonly again: Ms | undefined } | undefined> {
  const resting = await rest(ports, kind, object);
  if (resting === undefined && kind.oneShot !== undefined) countDelay(local, ports.clock);
  return resting;
}

/** Skips a connection whose platform limits requests. @returns undefined where there is something to do */
async function pause<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  local: LocalState,
): Promise<{ readonly again: Ms } | undefined> {
  const limited = rateLimited(ports, object);
  if (limited?.is !== "told") return limited;
  return { again: await writeStatus(ports, kind, unasked(object, local, limited.result, limited.again)) };
}

async function reconcileConnection<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  frame: Reconciliation<K>,
): Promise<Ms> {
  const { connection, object } = frame;
  if (!probeDue(ports, connection, object)) return untilProbe(ports, connection);
  const passed = await runSteps(ports, kind, frame);
  const done = toFinish(passed, true, false);
  // The rate limit left no room for the probe: nothing new is known.
  if (done.result.is === "deferred") return Math.max(done.again ?? 0, ports.windows.followMinMs);
  const shown = await probed(ports, connection, done, done.again ?? pollInterval(object, ports.windows).ms);
  try {
    const works = shown.result.is === "settled";
    const told = works ? await withErrand(ports, kind, passed.frame, { ...done, ...shown }) : { ...done, ...shown };
    const next = await writeStatus(ports, kind, told);
    return Math.min(next, untilProbe(ports, connection));
  } catch (error) {
    // What could not be stored has to be found out again.
    connection.nextProbeAt = 0;
    throw error;
  }
}

/** Registers the receiver of a working connection, and adds the result to its status. */
async function withErrand<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  frame: Reconciliation<K>,
  done: Done,
): Promise<Done> {
  const { report } = done;
  if (kind.receiverRegistration === undefined || report === undefined) return done;
  const { connection } = frame;
  const due = connection.nextProbeAt;
  const ran = await registerReceiver(ports, kind.receiverRegistration, { ...frame, object: done.object });
  // A failed registration does not bring the probe forward beyond what the registration asks for.
  connection.nextProbeAt = Math.min(due, ports.clock.monotonic() + (ran.again ?? Number.POSITIVE_INFINITY));
  const conditions = [...report.conditions, ...ran.conditions];
  return {
    ...done,
    object: ran.object,
    report: { ...report, conditions, status: { ...report.status, ...ran.status } },
  };
}

/** Reports whether the reconcile came to its end. A failed or delayed one does not handle a reconcile request. */
function isAnswered({ result, report }: { readonly result: Result; readonly report: Report | undefined }): boolean {
  if (report === undefined) return false;
  if (result.is === "settled" || result.is === "stalled" || result.is === "unknown") return true;
  return result.is === "waiting" && result.exchange === "ok";
}

function toFinish<K extends KindTypes>(
  { frame, result, report, again }: Reconciled<K>,
  asked: boolean,
  isShared: boolean,
): Done {
  const { object, local, recordedIdentity } = frame;
  const { policyStatus, connection } = frame;
  const { defaults } = connection.settings;
  const group = isShared ? (recordedIdentity.parentId ?? connection.uid) : undefined;
  const id = recordedId(frame.context);
  const memory = id === undefined ? undefined : frame.context.memory;
  return { object, local, result, report, id, memory, recordedIdentity, asked, again, policyStatus, defaults, group };
}

/** A connection whose Secret is missing is requeued soon: nothing else would wake it. */
function connectionPoll(kind: { readonly connection?: unknown }): Ms | undefined {
  return kind.connection === undefined ? undefined : 5_000;
}

/** An error that no table classifies. */
const FAILED: Why = {
  reason: "InternalError",
  message: "The operator failed on this object; others are not affected. Its log has the details. It tries again.",
};

/** Returns why the API server rejects what the operator writes about an object; undefined for other errors. */
function refusalIn(error: unknown): Why | undefined {
  const isInvalid = isKube(error, "Invalid");
  if (!(error instanceof KubeError) || (!isInvalid && !isKube(error, "Forbidden"))) return undefined;
  const cause = isInvalid
    ? "Annotations may leave no room for the operator's own (256 KiB at most on one object), or a policy forbids it"
    : "A policy forbids it, or the operator lacks a right in the cluster";
  const message = `The API server refuses what the operator needs for this object (${error.message}). ${cause}. It tries again.`;
  return { reason: isInvalid ? "InvalidSpec" : "PermissionDenied", message };
}

/** Writes to the object what keeps the operator from reconciling it. Other objects are not affected. */
async function reportInternalError<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  key: ObjectKey,
  local: LocalState,
  why: Why,
): Promise<Ms | undefined> {
  const object = ports.cache.get(key);
  if (object === undefined || object.metadata.uid !== local.uid) return undefined;
  local.failures += 1;
  const result: Result = { is: "stalled", why, exchange: "none" };
  const again = backoff(local.failures, ports.windows, ports.random());
  return await writeStatus(ports, kind, unasked(object, local, result, again));
}
