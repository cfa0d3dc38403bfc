/**
 * The reconcile of a connection. A connection stands for no object of the platform: the operator probes the platform
 * through it, and the result decides whether its users can work. `reconcileConnection` is the whole reconcile; the
 * functions that it calls follow in the same order.
 */
import { isDeepStrictEqual } from "node:util";

import { RESOLVE } from "../../api/names.ts";
import { isPaused } from "../../api/paused.ts";
import type { Reason } from "../../api/reasons.ts";
import { answerCommand, answersIn, isAnswered } from "../../api/resolve.ts";
import { timeText } from "../../api/status.ts";
import { stringMember } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { type Connection, surfaceIn, type SurfaceStatus } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { ConnectionKind } from "../contract/connection.ts";
import { parseKey } from "../contract/keys.ts";
import type { Ms, Report, Surface, StatusReason } from "../contract/kind.ts";
import { pollInterval } from "../contract/requeue.ts";
import { parseSpec } from "../contract/spec.ts";
import { conditionOf, statusOf, memoryIn } from "../contract/status.ts";
import { finalizersWith, hasFinalizer, release } from "../ledger/record.ts";
import { invalidSpec, requestedToken } from "../policies/policy.ts";
import { buildStatus } from "../status/build.ts";
import { classifyError, foreignToken, type ReconcileResult, rejectedToken } from "../status/outcome.ts";
import { storeStatus } from "../status/write.ts";
import { guarded, type Reconcile, warnOfAnnotations } from "./guard.ts";

/**
 * How often the Secret of a connection is read again while the connection fails or an object was denied a request: with
 * a new token, objects recover within 10 s. Nothing else shows that a missing Secret exists.
 */
const SECRET_POLL_MS = 5_000;
/** At most one probe a minute with a token that was rejected. */
const AUTH_PROBE_MS = 60_000;
/** At most one probe in 15 s of a platform that does not answer. */
const PROBE_MAX_MS = 15_000;
const PROBE_MIN_MS = 1_000;
/** How often it is looked whether the release that writes the status of a connection still runs. */
const WRITER_POLL_MS = 60_000;
/** The random part by which probes are delayed, so that not all connections probe a platform at once. */
const PROBE_JITTER = 0.2;

/** One reconcile of a connection. */
interface ConnectionReconcile {
  readonly ports: Ports;
  readonly kind: ConnectionKind;
  readonly local: LocalState;
  /** The answers of the API server replace it. */
  object: KubeObject;
}

/** Returns the function that reconciles the connections of a kind. */
export function connectionReconciler(ports: Ports, kind: ConnectionKind): Reconcile {
  return guarded(ports, {
    reconcile: (object, local) => reconcileConnection({ ports, kind, local, object }),
    report: (object, local, failure) => writeStatus({ ports, kind, local, object }, failure),
  });
}

/** @returns when to requeue; undefined when only an event should bring the connection back @throws KubeError */
async function reconcileConnection(c: ConnectionReconcile): Promise<Ms | undefined> {
  const { ports, kind, local } = c;

  // The finalizer: a connection that is being deleted serves the resources that need it for their own deletion.
  if (!(await keepFinalizer(c))) return undefined;

  // Nothing is read while the platform limits the rate of requests, nor while a user pauses the connection.
  const limit = knownRateLimit(c);
  if (limit !== undefined) return await reportRateLimit(c, limit);
  warnOfAnnotations(ports, c.object, local);
  if (isPaused(c.object)) return await reportUnopened(c, { is: "paused" });

  // The spec, the Secrets and the certificates.
  const { data: spec, error: invalid } = parseSpec(kind.resource.spec, c.object);
  if (invalid !== undefined)
    return await reportUnopened(c, { is: "stalled", why: invalidSpec(invalid), exchange: "none" });
  const opened = await ports.connections.open(c.object, kind.settings(spec));
  if (opened.is === "closed") return await reportUnopened(c, { is: "stalled", why: opened.why, exchange: "failed" });

  // The probe, when it is due.
  const { connection } = opened;
  bringProbeForward(c, connection);
  if (isProbeDue(c, connection)) return await reconcileOpened(c, connection, spec);
  return untilNext(c, connection);
}

/** Probes the platform, and reports the result to the users of the connection and in its status. */
async function reconcileOpened(c: ConnectionReconcile, connection: Connection, spec: unknown): Promise<Ms> {
  const { ports } = c;
  const isFirst = connection.probedAt === undefined;
  const probe = await probePlatform(c, connection, spec);
  if (probe.is === "limited") {
    const limit = rateLimitOf(c, connection) ?? { again: probe.again };
    return Math.max(await reportRateLimit(c, limit, requestedToken(c.object)), ports.windows.followMinMs);
  }
  connection.probedAt = ports.clock.monotonic();
  connection.answer = c.object.metadata.annotations?.[RESOLVE];

  // The surface, and the limit of mass changes: while it holds, the connection cannot be used although it works.
  if (probe.is === "works") noteSurface(c, connection, probe.surface);
  const held = heldChanges(c, connection, probe, isFirst);

  // The result, for the users of the connection and for the status.
  const result = probe.is === "works" ? works(c, connection, probe, held) : fails(c, connection, probe, isFirst);
  const report = withWrites(withHeldChanges(probe.report, held), connection);
  try {
    await writeStatus(c, serving(c, result), { report, handled: requestedToken(c.object), isOpened: true });
  } catch (error) {
    // The result is not stored, so the connection has to be probed again.
    connection.nextProbeAt = 0;
    throw error;
  }
  return untilNext(c, connection);
}

/**
 * Sets the finalizer while a resource needs the connection.
 * @returns false if the connection is being deleted and nothing needs it: it is released
 * @throws KubeError
 */
async function keepFinalizer(c: ConnectionReconcile): Promise<boolean> {
  const { ports, object } = c;
  const isNeeded = usersToDelete(c).length > 0;
  if (object.metadata.deletionTimestamp !== undefined) {
    if (isNeeded && hasFinalizer(object)) return true;
    await release(ports, object);
    return false;
  }
  if (isNeeded !== hasFinalizer(object))
    c.object = await ports.writer.patchChecked(object, { finalizers: finalizersWith(object, isNeeded) });
  return true;
}

/**
 * Returns the resources that need a PlatformConnection for their deletion: those with a finalizer that use it. A
 * ClusterPlatformConnection is needed by nobody: a cluster admin removes it on purpose.
 */
function usersToDelete({ ports, object }: ConnectionReconcile): readonly KubeObject[] {
  const key = keyOf(object);
  if (key.namespace === "") return [];
  const users = ports.dependencies.dependents(key).flatMap((user) => ports.cache.get(parseKey(user)) ?? []);
  return users.filter(hasFinalizer);
}

/** When to requeue while the platform limits the rate of requests; and the reason, once the status reports the limit. */
interface RateLimit {
  readonly again: Ms;
  readonly why?: StatusReason;
}

/**
 * Returns the rate limit that is known before anything is read for the connection.
 * @returns undefined where there is something to do: there is no limit or it is over, the connection changed, it has no
 * token, or a reconcile was requested
 */
function knownRateLimit(c: ConnectionReconcile): RateLimit | undefined {
  const { uid, generation = 0 } = c.object.metadata;
  const connection = c.ports.connections.last(keyOf(c.object));
  if (connection === undefined || connection.uid !== uid || connection.generation !== generation) return undefined;
  if (connection.notReadyReason?.reason === "CredentialsMissing" || requestedToken(c.object) !== undefined)
    return undefined;
  return rateLimitOf(c, connection);
}

/**
 * Returns the rate limit while the requests of a connection are paused. After two minutes, of one long pause or of
 * several short ones, the status reports it, with the time at which the current pause ends. A requested reconcile is
 * answered with that report at once.
 */
function rateLimitOf({ ports, object }: ConnectionReconcile, { api }: Connection): RateLimit | undefined {
  const limit = api.limited();
  if (limit === undefined || limit.leftMs === 0) return undefined;
  const untilReported = ports.windows.outageMs - limit.sinceMs;
  if (untilReported > 0 && requestedToken(object) === undefined)
    return { again: Math.min(untilReported, limit.leftMs) };
  const until = timeText(new Date(ports.clock.now().getTime() + limit.leftMs));
  const message = `The platform limits the rate of requests; the operator sends nothing before ${until}, and goes on by itself.`;
  return { again: limit.leftMs, why: { reason: "RateLimited", message } };
}

/** @param handled the reconcile request that the report answers @returns when to requeue @throws KubeError */
async function reportRateLimit(c: ConnectionReconcile, { again, why }: RateLimit, handled?: string): Promise<Ms> {
  if (why === undefined) return again;
  await writeStatus(c, { is: "retry", why }, { handled });
  return Math.max(again, c.ports.windows.backoffMinMs);
}

/** Reports why a connection is not opened. @returns when to requeue @throws KubeError */
async function reportUnopened(c: ConnectionReconcile, result: ReconcileResult): Promise<Ms> {
  await writeStatus(c, serving(c, result));
  return SECRET_POLL_MS;
}

/** Brings the next probe forward where the poll interval has become shorter since the last one. */
function bringProbeForward({ ports, object }: ConnectionReconcile, connection: Connection): void {
  const { notReadyReason, probedAt } = connection;
  if (notReadyReason !== undefined || probedAt === undefined) return;
  connection.nextProbeAt = Math.min(connection.nextProbeAt, probedAt + pollInterval(object, ports.windows).ms);
}

/** Reports whether to probe now: the first time, after a change, on request, and when the next probe is due. */
function isProbeDue(c: ConnectionReconcile, { nextProbeAt, answer }: Connection): boolean {
  const { ports, object } = c;
  return (
    ports.clock.monotonic() >= nextProbeAt ||
    requestedToken(object) !== undefined ||
    conditionOf(object, "Synced")?.reason === "RateLimited" ||
    object.metadata.annotations?.[RESOLVE] !== answer ||
    conditionOf(object, "Ready") === undefined ||
    isLeft(c)
  );
}

/** How a probe ended. A report is absent where the platform showed nothing. */
type Probe =
  /** The platform answers and accepts the token. `again`: when to probe again, if not after the poll interval. */
  | {
      readonly is: "works";
      readonly report: Report;
      readonly surface: Surface | undefined;
      readonly again: Ms | undefined;
    }
  /** A person is needed. `exchange`: whether the platform answered the probe. */
  | { readonly is: "stalled"; readonly why: StatusReason; readonly exchange: "ok" | "failed"; readonly report?: Report }
  | { readonly is: "retry"; readonly why: StatusReason; readonly report?: undefined }
  /** The rate limit leaves no room for the probe: nothing new is known. */
  | { readonly is: "limited"; readonly again: Ms };

/** Returns the reason of a connection that works. @param undecided why a probe did not find the surface out */
function available(surface: Surface | undefined, undecided: string | undefined): StatusReason {
  const message = "The platform is reachable and accepts the token.";
  if (surface !== undefined || undecided === undefined) return { reason: "Available", message };
  const open = `Its surface is undecided and counts as Documented, as ${undecided}.`;
  return { reason: "Available", message: `${message} ${open}` };
}

/** Returns the surface for the status, with the time at which it was found. A probe that decides nothing changes nothing. */
function surfaceStatus(object: KubeObject, found: Surface | undefined, now: Date): SurfaceStatus | undefined {
  const known = surfaceIn(object);
  return found === undefined || found === known?.name ? known : { name: found, foundAt: timeText(now) };
}

/** Probes the platform. @throws what a kind throws that is no ApiError */
async function probePlatform(
  { ports, kind, object }: ConnectionReconcile,
  connection: Connection,
  spec: unknown,
): Promise<Probe> {
  try {
    const { refusal, surface, undecided, lacksProject, again } = await kind.probe(spec, connection.api);
    const status = { surface: surfaceStatus(object, surface, ports.clock.now()) };
    connection.lacksProject = lacksProject;
    const ready = available(status.surface?.name, undecided);
    const report: Report = { ready, conditions: [], status };
    if (refusal === undefined) return { is: "works", report, surface: status.surface?.name, again };
    return { is: "stalled", why: refusal, exchange: "ok", report };
  } catch (error) {
    if (error instanceof ApiError) return probeFailure(connection, error);
    throw error;
  }
}

/** A person is needed if the platform rejects the token or every request, or if the token lacks a scope. */
function probeFailure(connection: Connection, error: ApiError): Probe {
  const verdict = classifyError(error, "read", 0);
  if (verdict.is === "later") return { is: "limited", again: verdict.again };
  const { is } = error.failure;
  if (is === "Unauthorized") return { is: "stalled", why: rejectedToken(connection, error), exchange: "failed" };
  if (is === "Forbidden") return { is: "stalled", why: foreignToken(connection, error), exchange: "failed" };
  const isStalled = is === "Rejected" || verdict.is === "terminal";
  return isStalled ? { is: "stalled", why: verdict.why, exchange: "failed" } : { is: "retry", why: verdict.why };
}

/** Records the surface of a connection, and wakes the connection's users once the surface becomes Full. */
function noteSurface({ ports }: ConnectionReconcile, connection: Connection, surface: Surface | undefined): void {
  const isNews = surface === "Full" && connection.surface !== surface;
  connection.surface = surface;
  if (isNews) for (const user of connection.users) ports.wake(user);
}

/** The condition of a held mass change. It stays while probes fail, so that the next process also holds the change. */
const CHANGES_HELD = "ChangesHeld";

/**
 * Returns the reason of a connection whose limit of mass changes holds. An earlier process may have held them; a user
 * lets them proceed by the answer that the reason names, once the connection works.
 */
function heldChanges(
  c: ConnectionReconcile,
  { key, massChangeLimit }: Connection,
  probe: Probe,
  isFirst: boolean,
): StatusReason | undefined {
  const { object } = c;
  // What another release holds are changes of its own objects.
  const before = isFirst && otherWriter(c, true) === undefined ? heldSinceIn(object) : undefined;
  if (before !== undefined) massChangeLimit.hold(before);
  const since = massChangeLimit.heldSince();
  if (since === undefined) return undefined;
  const proceed = `proceed:${timeText(since)}` as const;
  if (probe.is === "works" && isAnswered(object, proceed)) {
    massChangeLimit.release();
    return undefined;
  }
  const message = `Too many objects of this connection would be changed although no user changed them. Nothing more is written through it. Find out why, then run: ${answerCommand(key, proceed)}`;
  return { reason: "MassChangeHeld", message };
}

/** Returns since when an earlier process held a mass change: the time in the command that the condition prints. */
function heldSinceIn(object: KubeObject): Date | undefined {
  const condition = conditionOf(object, CHANGES_HELD);
  if (condition?.status !== "True") return undefined;
  const [answer = ""] = answersIn(condition.message);
  const since = Date.parse(answer.replace(/^proceed:/, ""));
  return new Date(Number.isNaN(since) ? Date.parse(condition.lastTransitionTime) : since);
}

function withHeldChanges(report: Report | undefined, held: StatusReason | undefined): Report | undefined {
  if (report === undefined || held === undefined) return report;
  const condition = { type: CHANGES_HELD, status: "True", ...held } as const;
  return { ...report, conditions: [...report.conditions, condition] };
}

/** Adds the condition WritesPass while a firewall or proxy answers writes. Reads pass, so the connection stays Ready. */
function withWrites(report: Report | undefined, { interceptedWrite: why }: Connection): Report | undefined {
  if (report === undefined || why === undefined) return report;
  const condition = { type: "WritesPass", status: "False", ...why } as const;
  return { ...report, conditions: [...report.conditions, condition] };
}

/** Records that the connection works, and wakes the objects that wait for it, unless it holds a mass change. */
function works(
  { ports, object }: ConnectionReconcile,
  connection: Connection,
  { report, again = pollInterval(object, ports.windows).ms }: Extract<Probe, { is: "works" }>,
  held: StatusReason | undefined,
): ReconcileResult {
  connection.nextProbeAt = ports.clock.monotonic() + again;
  if (held !== undefined) {
    connection.notReadyReason = held;
    return { is: "stalled", why: held, exchange: "ok" };
  }
  ports.connections.recovered(connection);
  return { is: "settled", why: report.ready };
}

/** Records why the connection cannot be used. The result is marked once the probes have failed for too long. */
function fails(
  { ports, object }: ConnectionReconcile,
  connection: Connection,
  probe: Extract<Probe, { is: "stalled" | "retry" }>,
  isFirst: boolean,
): ReconcileResult {
  const now = ports.clock.monotonic();
  const { why } = probe;
  connection.failures += 1;
  connection.notReadyReason = why;
  connection.nextProbeAt = now + pauseAfterFailure(connection, ports.random());
  if (probe.is === "stalled") {
    connection.failingSince = undefined;
    return { is: "stalled", why, exchange: probe.exchange };
  }
  connection.failingSince ??= now - (isFirst ? failedBefore(object, ports.clock.now()) : 0);
  return { is: "retry", why, isOutage: now - connection.failingSince >= ports.windows.outageMs };
}

/** The reasons of a connection that a person has to put right. */
const REJECTIONS: ReadonlySet<Reason> = new Set(["CredentialsInvalid", "PermissionDenied", "Rejected"]);

/** Returns the time until the next probe of a failing connection. @param random in [0, 1) */
function pauseAfterFailure({ notReadyReason, failures }: Connection, random: number): Ms {
  const rejected = notReadyReason !== undefined && REJECTIONS.has(notReadyReason.reason);
  const doubled = Math.min(PROBE_MAX_MS, PROBE_MIN_MS * 2 ** Math.min(failures - 1, 10));
  return (rejected ? AUTH_PROBE_MS : doubled) * (1 + PROBE_JITTER * random);
}

/** Returns for how long probes had failed before this process started, from the stored status. */
function failedBefore(object: KubeObject, now: Date): Ms {
  const synced = conditionOf(object, "Synced");
  if (synced?.status !== "False" || synced.reason === "RateLimited") return 0;
  const ms = now.getTime() - Date.parse(synced.lastTransitionTime);
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Returns the result for the status. While a connection is being deleted, it tells which resources need it. */
function serving(c: ConnectionReconcile, result: ReconcileResult): ReconcileResult {
  const users = c.object.metadata.deletionTimestamp === undefined ? [] : usersToDelete(c);
  // Those that there were when the reconcile began may be gone: then the next one releases the connection.
  if (users.length === 0) return result;
  const names = users.slice(0, 5).map(({ kind, metadata }) => `${kind} "${metadata.name}"`);
  const more = users.length > 5 ? ` and ${String(users.length - 5)} more` : "";
  const reason = "why" in result ? ` ${result.why.message}` : "";
  const message = `Waiting for the deletion of resources that need this connection: ${names.join(", ")}${more}.${reason}`;
  return { is: "waiting", why: { reason: "WaitingForChildren", message }, exchange: "none" };
}

/**
 * Returns the release of the operator that writes the status of the connection in place of this one; undefined if this
 * one writes it. All releases see a cluster-scoped connection, each with the Secrets of its own namespace. The first
 * one writes its status for as long as it runs, unless it lacks the Secret.
 * @param isOpened whether this release has what the connection needs
 */
function otherWriter({ ports, object }: ConnectionReconcile, isOpened: boolean): string | undefined {
  if (keyOf(object).namespace !== "") return undefined;
  const writer = stringMember(object.status, "release");
  if (writer === undefined || writer === ports.operatorNamespace || !ports.releases.isRunning(writer)) return undefined;
  return isOpened && conditionOf(object, "Ready")?.reason === "CredentialsMissing" ? undefined : writer;
}

/** Reports whether a release that does not run any more wrote the status. */
function isLeft(c: ConnectionReconcile): boolean {
  const writer = stringMember(c.object.status, "release");
  return writer !== undefined && writer !== c.ports.operatorNamespace && otherWriter(c, false) === undefined;
}

interface Told {
  /** Absent where nothing was found out: then the stored facts stay. */
  readonly report?: Report | undefined;
  /** The reconcile request that the status answers. */
  readonly handled?: string | undefined;
  /** Whether the connection has what it needs. */
  readonly isOpened?: boolean;
}

/**
 * Writes the status if it changed, at once: a connection reports its failures for all of its users.
 * @throws KubeError
 */
async function writeStatus(
  c: ConnectionReconcile,
  result: ReconcileResult,
  { report, handled, isOpened = false }: Told = {},
): Promise<void> {
  const { ports, kind, local, object } = c;
  const other = otherWriter(c, isOpened);
  if (other !== undefined) {
    tellOnce(c, other, "why" in result ? result.why : undefined);
    return;
  }
  const release = keyOf(object).namespace === "" ? { release: ports.operatorNamespace } : {};
  const status = buildStatus({
    object,
    result,
    resource: kind.resource,
    report,
    memory: { ...memoryIn(kind.resource, object), ...release },
    id: undefined,
    recordedIdentity: undefined,
    isListed: false,
    intent: undefined,
    handled,
    policyStatus: undefined,
    now: ports.clock.now(),
  });
  if (isDeepStrictEqual(status, statusOf(object))) ports.observer.status(object, object);
  else await storeStatus(ports, object, status);
  if (result.is === "settled") local.failures.count = 0;
}

/** Tells how a connection is for this release, which does not write its status. */
function tellOnce({ ports, local, object }: ConnectionReconcile, release: string, why: StatusReason | undefined): void {
  const told = `${release} ${why?.reason ?? ""}`;
  if (local.warned.has(told)) return;
  local.warned.add(told);
  ports.observer.writtenElsewhere(keyOf(object), release, why);
}

/**
 * Returns the longest time until a connection is reconciled again. After a pause, the first request of any object shows
 * whether the platform still limits requests. The connection is therefore reconciled soon.
 */
function untilNext(c: ConnectionReconcile, connection: Connection): Ms {
  const { ports } = c;
  const untilProbe = Math.max(0, connection.nextProbeAt - ports.clock.monotonic());
  const left = otherWriter(c, true) === undefined ? untilProbe : Math.min(untilProbe, WRITER_POLL_MS);
  if (connection.api.limited() !== undefined) return Math.min(left, ports.windows.followMinMs);
  const isSecretWatched = connection.notReadyReason !== undefined || connection.denied.size > 0;
  return isSecretWatched ? Math.min(left, SECRET_POLL_MS) : left;
}
