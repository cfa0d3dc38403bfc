/** Reconciles a connection: probes it when a probe is due, and reports the result to its users. */
import { RESOLVE } from "../../api/names.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import type { Ms, Surface, Why, RatedApi } from "../contract/kind.ts";
import { conditionOf } from "../contract/status.ts";
import { requestedToken } from "../policies/policy.ts";
import type { Result } from "../status/build.ts";

/**
 * How often the Secret is read again of a connection that fails, or whose token was denied something: recovery takes at
 * most 10 s (docs/reliability.md C6).
 */
const SECRET_POLL_MS = 5_000;
/** At most one probe a minute with a token that was rejected (docs/reliability.md C6). */
const AUTH_PROBE_MS = 60_000;
/** At most one probe in 15 s of a platform that does not answer (docs/reliability.md C2). */
const PROBE_MAX_MS = 15_000;
const PROBE_MIN_MS = 1_000;
/** The random part by which probes are delayed, so that not all connections probe a platform at once. */
const PROBE_JITTER = 0.2;

const HELD: Why = {
  reason: "MassChangeHeld",
  message: `Too many objects of this connection would be changed without a new generation of theirs. Nothing more is written through it. Find out why, then annotate it with ${RESOLVE}=proceed.`,
};

/**
 * Reports whether the platform has to be probed now: the first time, after a change, on request, and when it is due.
 */
export function probeDue<Api extends RatedApi>(
  ports: Ports<Api>,
  connection: Connection<Api>,
  object: KubeObject,
): boolean {
  return (
    ports.clock.monotonic() >= connection.nextProbeAt ||
    (connection.trouble === HELD && mayProceed(object)) ||
    requestedToken(object) !== undefined ||
    conditionOf(object, "Synced")?.reason === "RateLimited" ||
    object.metadata.annotations?.[RESOLVE] === "recreate" ||
    conditionOf(object, "Ready") === undefined
  );
}

/**
 * Handles a connection whose platform limits requests (429): nothing is sent, and after two minutes the status says so,
 * with the time until which nothing is sent.
 * @returns undefined where there is something to do: the connection is used, changed, without a token, or a reconcile
 * was requested
 */
export function rateLimited<Api extends RatedApi>(
  ports: Ports<Api>,
  object: KubeObject,
):
  | { readonly is: "silent"; readonly again: Ms }
  | { readonly is: "told"; readonly result: Result; readonly again: Ms }
  | undefined {
  const connection = ports.connections.last(keyOf(object));
  const isSame = connection?.uid === object.metadata.uid && connection.generation === (object.metadata.generation ?? 0);
  if (!isSame || connection.trouble?.reason === "CredentialsMissing" || requestedToken(object) !== undefined)
    return undefined;
  const limit = connection.api.limited();
  if (limit === undefined) return undefined;
  const untilTold = ports.windows.outageMs - limit.sinceMs;
  if (untilTold > 0) return { is: "silent", again: Math.min(untilTold, limit.leftMs) };
  const until = `${new Date(ports.clock.now().getTime() + limit.leftMs).toISOString().slice(0, 19)}Z`;
  const message = `The platform limits the rate of requests (429); the operator sends nothing before ${until}, and goes on by itself.`;
  return { is: "told", result: { is: "retry", why: { reason: "RateLimited", message } }, again: limit.leftMs };
}

/** Returns how long until a connection that was not probed now is reconciled again. */
export function untilProbe<Api extends RatedApi>(ports: Ports<Api>, connection: Connection<Api>): Ms {
  const left = Math.max(0, connection.nextProbeAt - ports.clock.monotonic());
  const watchful = connection.trouble !== undefined || connection.denied.size > 0;
  return watchful ? Math.min(left, SECRET_POLL_MS) : left;
}

/**
 * Records how a probe ended.
 * @returns the result for the status, where a held mass change comes first, and the object as it is now
 */
export async function probed<Api extends RatedApi>(
  ports: Ports<Api>,
  connection: Connection<Api>,
  passed: { readonly object: KubeObject; readonly result: Result },
  again: Ms,
): Promise<{ readonly object: KubeObject; readonly result: Result }> {
  const { object, result } = passed;
  const now = ports.clock.monotonic();
  // A restart, or another leader, is no permission to proceed.
  const isFirst = connection.probedAt === undefined;
  if (isFirst && conditionOf(object, "Ready")?.reason === HELD.reason) connection.brake.hold();
  connection.probedAt = now;
  if (result.is !== "settled") {
    connection.failures += 1;
    connection.trouble = "why" in result ? result.why : undefined;
    connection.nextProbeAt = now + pause(connection, ports.random());
    return { object, result: outage(ports, connection, object, { result, isFirst }) };
  }
  recordSurface(ports, connection, connection.api.capabilities.summary());
  connection.nextProbeAt = now + again;
  const brake = await braked(ports, connection, object);
  if (!brake.held) {
    ports.connections.recovered(connection);
    return { object: brake.object, result };
  }
  connection.trouble = HELD;
  return { object, result: { is: "stalled", why: HELD, exchange: "ok" } };
}

/** Marks the result once the probes have failed for too long. */
function outage<Api extends RatedApi>(
  { clock, windows }: Ports<Api>,
  connection: Connection<Api>,
  object: KubeObject,
  { result, isFirst }: { readonly result: Result; readonly isFirst: boolean },
): Result {
  if (result.is !== "retry") {
    connection.failingSince = undefined;
    return result;
  }
  const now = clock.monotonic();
  connection.failingSince ??= now - (isFirst ? failedBefore(object, clock.now()) : 0);
  return { ...result, isOutage: now - connection.failingSince >= windows.outageMs };
}

/** Returns for how long probes had failed before this process started, from the stored status. */
function failedBefore(object: KubeObject, now: Date): Ms {
  const synced = conditionOf(object, "Synced");
  if (synced?.status !== "False" || synced.reason === "RateLimited") return 0;
  const ms = now.getTime() - Date.parse(synced.lastTransitionTime);
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/**
 * Wakes the users of a connection once the platform offers more than was known. Each finds out by itself what it lacks.
 */
function recordSurface<Api extends RatedApi>(
  ports: Ports<Api>,
  connection: Connection<Api>,
  surface: Surface | undefined,
): void {
  const isNews = surface === "Full" && connection.surface !== surface;
  connection.surface = surface;
  if (isNews) for (const user of connection.users) ports.wake(user);
}

/** Returns the time until the next probe of a failing connection. @param random in [0, 1) */
function pause<Api>(connection: Connection<Api>, random: number): Ms {
  const reason = connection.trouble?.reason;
  const rejected = reason === "CredentialsInvalid" || reason === "PermissionDenied";
  const doubled = Math.min(PROBE_MAX_MS, PROBE_MIN_MS * 2 ** Math.min(connection.failures - 1, 10));
  return (rejected ? AUTH_PROBE_MS : doubled) * (1 + PROBE_JITTER * random);
}

/** Reports whether a mass change is still held. The user's `resolve: proceed` releases it. */
async function braked<Api extends RatedApi>(
  ports: Ports<Api>,
  connection: Connection<Api>,
  object: KubeObject,
): Promise<{ readonly held: boolean; readonly object: KubeObject }> {
  if (!mayProceed(object)) return { held: connection.brake.held(), object };
  const used = await ports.writer.patchChecked(object, { annotations: { [RESOLVE]: null } });
  connection.brake.release();
  return { held: false, object: used };
}

function mayProceed(object: KubeObject): boolean {
  return object.metadata.annotations?.[RESOLVE] === "proceed";
}
