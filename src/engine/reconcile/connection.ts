/** Reconciles a connection: probes it when a probe is due, and reports the result to its users. */
import { RESOLVE } from "../../api/names.ts";
import { answerCommand, answersIn, isAnswered } from "../../api/resolve.ts";
import { timeText } from "../../api/status.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import { parseKey } from "../contract/keys.ts";
import type { Ms, Why } from "../contract/kind.ts";
import { conditionOf } from "../contract/status.ts";
import { finalizersWith, hasFinalizer, release } from "../ledger/record.ts";
import { requestedToken } from "../policies/policy.ts";
import type { ReconcileResult } from "../status/build.ts";
import type { Reconciliation, Resolved } from "../status/reconciliation.ts";

/**
 * How often the Secret of a connection is read again while the connection fails or an object was denied a request:
 * recovery takes at most 10 s (docs/reliability.md C6).
 */
const SECRET_POLL_MS = 5_000;
/** At most one probe a minute with a token that was rejected (docs/reliability.md C6). */
const AUTH_PROBE_MS = 60_000;
/** At most one probe in 15 s of a platform that does not answer (docs/reliability.md C2). */
const PROBE_MAX_MS = 15_000;
const PROBE_MIN_MS = 1_000;
/** The random part by which probes are delayed, so that not all connections probe a platform at once. */
const PROBE_JITTER = 0.2;

/** The reason of a connection whose limit of mass changes holds. */
function heldBy({ key, brake }: Connection): Why | undefined {
  const since = brake.heldSince();
  if (since === undefined) return undefined;
  const command = answerCommand(key, proceed(since));
  const message = `Too many objects of this connection would be changed although no user changed them. Nothing more is written through it. Find out why, then run: ${command}`;
  return { reason: "MassChangeHeld", message };
}

/** The answer that ends a hold. */
function proceed(since: Date): `proceed:${string}` {
  return `proceed:${timeText(since)}`;
}

/** The condition of a held mass change. It stays while probes fail, so that the next process also holds the change. */
const CHANGES_HELD = "ChangesHeld";

/**
 * Reports whether the platform has to be probed now: the first time, after a change, on request, and when it is due.
 */
export function probeDue({ clock }: Ports, connection: Connection, object: KubeObject): boolean {
  return (
    clock.monotonic() >= connection.nextProbeAt ||
    requestedToken(object) !== undefined ||
    conditionOf(object, "Synced")?.reason === "RateLimited" ||
    object.metadata.annotations?.[RESOLVE] !== connection.answer ||
    conditionOf(object, "Ready") === undefined
  );
}

/**
 * Returns the resources that need a PlatformConnection for their deletion: those with a finalizer that use it. A
 * ClusterPlatformConnection is needed by nobody: a cluster admin removes it on purpose.
 */
function usersToDelete({ cache, dependencies }: Ports, connection: KubeObject): readonly KubeObject[] {
  const key = keyOf(connection);
  if (key.namespace === "") return [];
  const users = dependencies.dependents(key).flatMap((user) => cache.get(parseKey(user)) ?? []);
  return users.filter(hasFinalizer);
}

/** Reports whether a connection that is being deleted is still needed: it then serves its users until they are gone. */
export function serves({ ports, object }: Reconciliation): boolean {
  return hasFinalizer(object) && usersToDelete(ports, object).length > 0;
}

/** Releases a connection that no resource needs any more. @throws KubeError */
export async function releaseConnection({ ports, object }: Reconciliation): Promise<undefined> {
  await release(ports, object);
}

/** Sets the finalizer of a connection while a resource needs it for its deletion. @throws KubeError */
export async function keepWhileNeeded(r: Reconciliation): Promise<void> {
  const { ports, object } = r;
  if (object.metadata.deletionTimestamp !== undefined) return;
  const isNeeded = usersToDelete(ports, object).length > 0;
  if (isNeeded === hasFinalizer(object)) return;
  r.object = await ports.writer.patchChecked(object, { finalizers: finalizersWith(object, isNeeded) });
}

/** Returns the result for the status of a connection. While it is being deleted, it tells which resources need it. */
export function servingResult(r: Reconciliation, result: ReconcileResult): ReconcileResult {
  const { ports, kind, object } = r;
  if (kind.connection === undefined || object.metadata.deletionTimestamp === undefined) return result;
  const users = usersToDelete(ports, object);
  const names = users.slice(0, 5).map(({ kind: of, metadata }) => `${of} "${metadata.name}"`);
  const more = users.length > 5 ? ` and ${String(users.length - 5)} more` : "";
  const trouble = "why" in result ? ` ${result.why.message}` : "";
  const message = `Waiting for the deletion of resources that need this connection: ${names.join(", ")}${more}.${trouble}`;
  return { is: "waiting", why: { reason: "WaitingForChildren", message }, exchange: "none" };
}

/** What to do while nothing is sent: a result for the status, or only the time to requeue while nothing is reported. */
export type Limited = ReconcileResult | { readonly again: Ms };

/**
 * Returns what to do about a connection whose platform limits the rate of requests, before anything is read for it.
 * @returns undefined where there is something to do: the pause is over, the connection changed, it has no token, or a
 * reconcile was requested
 */
export function rateLimited(ports: Ports, object: KubeObject): Limited | undefined {
  const connection = ports.connections.last(keyOf(object));
  const isSame = connection?.uid === object.metadata.uid && connection.generation === (object.metadata.generation ?? 0);
  if (!isSame || connection.trouble?.reason === "CredentialsMissing" || requestedToken(object) !== undefined)
    return undefined;
  return limitOf(ports, connection, object);
}

/**
 * Returns what to do while the requests of a connection are paused. After two minutes, of one long pause or of several
 * short ones, the status reports it, with the time at which the current pause ends. A requested reconcile is answered
 * with that report at once.
 * @returns undefined while requests are not paused
 */
export function limitOf({ clock, windows }: Ports, { api }: Connection, object: KubeObject): Limited | undefined {
  const limit = api.limited();
  if (limit === undefined || limit.leftMs === 0) return undefined;
  const untilReported = windows.outageMs - limit.sinceMs;
  if (untilReported > 0 && requestedToken(object) === undefined)
    return { again: Math.min(untilReported, limit.leftMs) };
  const until = timeText(new Date(clock.now().getTime() + limit.leftMs));
  const message = `The platform limits the rate of requests; the operator sends nothing before ${until}, and goes on by itself.`;
  return { is: "retry", why: { reason: "RateLimited", message }, again: limit.leftMs };
}

/**
 * Returns the longest time until a connection is reconciled again. After a pause, the first request of any object shows
 * whether the platform still limits requests. The connection is therefore reconciled soon.
 */
export function untilProbe({ clock, windows }: Ports, connection: Connection): Ms {
  const left = Math.max(0, connection.nextProbeAt - clock.monotonic());
  if (connection.api.limited() !== undefined) return Math.min(left, windows.followMinMs);
  const watchful = connection.trouble !== undefined || connection.denied.size > 0;
  return watchful ? Math.min(left, SECRET_POLL_MS) : left;
}

/**
 * Records how a probe ended.
 * @param again when a connection that works is probed again
 * @returns the result for the status; while a mass change is held, a stalled one in place of a settled one
 */
export function probed(r: Resolved, result: ReconcileResult, again: Ms): ReconcileResult {
  const { ports, connection } = r;
  const now = ports.clock.monotonic();
  // A held mass change stays held after a restart or a change of the leader.
  const isFirst = connection.probedAt === undefined;
  const before = isFirst ? heldSinceIn(r.object) : undefined;
  if (before !== undefined) connection.brake.hold(before);
  connection.probedAt = now;
  connection.answer = r.object.metadata.annotations?.[RESOLVE];
  const since = connection.brake.heldSince();
  if (result.is === "settled" && since !== undefined && isAnswered(r.object, proceed(since)))
    connection.brake.release();
  const held = heldBy(connection);
  if (held !== undefined && r.report !== undefined) {
    const condition = { type: CHANGES_HELD, status: "True", ...held } as const;
    r.report = { ...r.report, conditions: [...r.report.conditions, condition] };
  }
  if (result.is !== "settled") {
    connection.failures += 1;
    connection.trouble = "why" in result ? result.why : undefined;
    connection.nextProbeAt = now + pause(connection, ports.random());
    return withOutage(r, result, isFirst);
  }
  recordSurface(ports, connection);
  connection.nextProbeAt = now + again;
  if (held !== undefined) {
    connection.trouble = held;
    return { is: "stalled", why: held, exchange: "ok", again: result.again };
  }
  ports.connections.recovered(connection);
  return result;
}

/** Returns since when an earlier process held a mass change: the time in the command that the condition prints. */
function heldSinceIn(object: KubeObject): Date | undefined {
  const condition = conditionOf(object, CHANGES_HELD);
  if (condition?.status !== "True") return undefined;
  const [answer = ""] = answersIn(condition.message);
  const since = Date.parse(answer.replace(/^proceed:/, ""));
  return new Date(Number.isNaN(since) ? Date.parse(condition.lastTransitionTime) : since);
}

/** Marks the result once the probes have failed for too long. */
function withOutage(
  { ports, connection, object }: Resolved,
  result: ReconcileResult,
  isFirst: boolean,
): ReconcileResult {
  if (result.is !== "retry") {
    connection.failingSince = undefined;
    return result;
  }
  const now = ports.clock.monotonic();
  connection.failingSince ??= now - (isFirst ? failedBefore(object, ports.clock.now()) : 0);
  return { ...result, isOutage: now - connection.failingSince >= ports.windows.outageMs };
}

/** Returns for how long probes had failed before this process started, from the stored status. */
function failedBefore(object: KubeObject, now: Date): Ms {
  const synced = conditionOf(object, "Synced");
  if (synced?.status !== "False" || synced.reason === "RateLimited") return 0;
  const ms = now.getTime() - Date.parse(synced.lastTransitionTime);
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Records the surface of a connection, and wakes the connection's users once the surface becomes Full. */
function recordSurface({ wake }: Ports, connection: Connection): void {
  const surface = connection.api.capabilities.summary();
  const isNews = surface === "Full" && connection.surface !== surface;
  connection.surface = surface;
  if (isNews) for (const user of connection.users) wake(user);
}

/** Returns the time until the next probe of a failing connection. @param random in [0, 1) */
function pause({ trouble, failures }: Connection, random: number): Ms {
  const rejected = trouble?.reason === "CredentialsInvalid" || trouble?.reason === "PermissionDenied";
  const doubled = Math.min(PROBE_MAX_MS, PROBE_MIN_MS * 2 ** Math.min(failures - 1, 10));
  return (rejected ? AUTH_PROBE_MS : doubled) * (1 + PROBE_JITTER * random);
}
