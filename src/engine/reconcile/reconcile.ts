/** The one reconcile for every kind. It knows the kinds only through `Kind` (docs/architecture.md §2, §3). */
import { invalidAnnotations } from "../../api/annotations.ts";
import { isPaused } from "../../api/paused.ts";
import { isKube, KubeError } from "../../kube/api/errors.ts";
import type { ObjectKey } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import { isOvertaken, type LocalState } from "../context/local-state.ts";
import { keyText } from "../contract/keys.ts";
import type { Kind, Ms, Why } from "../contract/kind.ts";
import { backoff, pollInterval } from "../contract/requeue.ts";
import { resolveObject } from "../resolve/resolve.ts";
import type { ReconcileResult } from "../status/build.ts";
import { beginReconcile, type Reconciliation, type Resolved } from "../status/reconciliation.ts";
import { stallOnMissing } from "../status/stalls.ts";
import { isMoved } from "../steps/execute.ts";
import { runSteps } from "../steps/loop.ts";
import {
  keepWhileNeeded,
  type Limited,
  limitOf,
  probed,
  probeDue,
  rateLimited,
  releaseConnection,
  serves,
  servingResult,
  untilProbe,
} from "./connection.ts";
import { remove } from "./deletion.ts";
import { registerReceiver } from "./receiver-registration.ts";
import { writeStatus } from "./write-status.ts";

/** Reconciles one object by its key. @returns when to requeue; undefined when only an event should bring it back */
export type Reconcile = (key: ObjectKey) => Promise<Ms | undefined>;

/** How soon an object that changed during its reconcile is reconciled again. */
const MOVED_AGAIN_MS = 100;

/** A connection whose Secret is missing is requeued soon: nothing else would wake it. */
const UNRESOLVED_CONNECTION_MS = 5_000;

/**
 * Returns the function that reconciles the objects of a kind. It requeues an object after a Conflict or NotFound of the
 * API server, and reports a refusal (Invalid, Forbidden) or an error that is no KubeError in the status. It throws any
 * other KubeError, and in a dry run a refusal as well.
 */
export function reconciler(ports: Ports, kind: Kind): Reconcile {
  return async (key) => {
    const object = ports.cache.get(key);
    if (object === undefined) {
      ports.localStates.forget(keyText(key));
      ports.connections.forget(keyText(key), (other) => isNeeded(ports, other));
      ports.observer.removed(key);
      return undefined;
    }
    const local = ports.localStates.of(keyText(key), object.metadata.uid);
    try {
      return await reconcileObject(beginReconcile(ports, kind, object, local));
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

function isNeeded({ cache, dependencies }: Ports, connection: ObjectKey): boolean {
  return cache.get(connection) !== undefined || dependencies.dependents(connection).length > 0;
}

async function reconcileObject(r: Reconciliation): Promise<Ms | undefined> {
  const { ports, kind, object, local } = r;
  if (isOvertaken(kind, object, local)) local.unsaved = undefined;
  const isConnection = kind.connection !== undefined;
  if (object.metadata.deletionTimestamp !== undefined) {
    if (!isConnection) return await remove(r);
    if (!serves(r)) return await releaseConnection(r);
  }

  const limited = isConnection ? await reportLimit(r, rateLimited(ports, object)) : undefined;
  if (limited !== undefined) return limited.again;

  warnOfAnnotations(r);
  const resolved = isPaused(object) ? ({ is: "paused" } as const) : await resolveObject(r, "present");
  if ("is" in resolved) return await writeStatus(r, servingResult(r, unresolvedResult(r, resolved)));
  if (isConnection) return await reconcileConnection(resolved);

  const { id } = resolved.context;
  const result = stallOnMissing(resolved, await runSteps(resolved));
  if (result.is === "settled") probeSurface(resolved, resolved.context.id !== id);
  return await writeStatus(resolved, result);
}

/** Warns of each annotation with an invalid value, once in this process. */
function warnOfAnnotations({ ports, object, local }: Reconciliation): void {
  for (const note of invalidAnnotations(object)) {
    if (local.warned.has(note)) continue;
    local.warned.add(note);
    ports.events.record({ regarding: object, type: "Warning", reason: "InvalidSpec", action: "Reconcile", note });
  }
}

/** Requests a probe of a connection whose surface is undecided, once something new is known of the platform. */
function probeSurface({ ports, connection }: Resolved, isNew: boolean): void {
  const isNews = isNew || connection.api.capabilities.summary() !== undefined;
  if (connection.surface === undefined && isNews) ports.connections.suspect(connection);
}

/** Returns the result of an object that cannot be resolved. */
function unresolvedResult(r: Reconciliation, result: ReconcileResult): ReconcileResult {
  const again = r.kind.connection === undefined ? undefined : UNRESOLVED_CONNECTION_MS;
  return stallOnMissing(r, { ...result, again });
}

/** Writes the report of a rate limit, if there is one. @returns undefined where there is no limit */
async function reportLimit(
  r: Reconciliation,
  limited: Limited | undefined,
): Promise<{ readonly again: Ms } | undefined> {
  return limited !== undefined && "is" in limited ? { again: await writeStatus(r, limited) } : limited;
}

async function reconcileConnection(r: Resolved): Promise<Ms> {
  const { ports, kind, connection } = r;
  await keepWhileNeeded(r);
  if (!probeDue(ports, connection, r.object)) return untilProbe(ports, connection);
  const probe = await runSteps(r);
  // The rate limit left no room for the probe: nothing new is known.
  if (probe.is === "deferred") {
    const resting = await reportLimit(r, limitOf(ports, connection, r.object));
    return Math.max(resting?.again ?? probe.again ?? 0, ports.windows.followMinMs);
  }
  const result = probed(r, probe, probe.again ?? pollInterval(r.object, ports.windows).ms);
  try {
    if (result.is === "settled" && kind.receiverRegistration !== undefined)
      await registerReceiver(r, kind.receiverRegistration);
    const next = await writeStatus(r, servingResult(r, result));
    return Math.min(next, untilProbe(ports, connection));
  } catch (error) {
    // The result could not be stored, so the connection has to be probed again.
    connection.nextProbeAt = 0;
    throw error;
  }
}

/** The reason of an error that the engine does not classify. */
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

/** Reports on the object why the operator cannot reconcile it. Other objects are not affected. */
async function reportInternalError(
  ports: Ports,
  kind: Kind,
  key: ObjectKey,
  local: LocalState,
  why: Why,
): Promise<Ms | undefined> {
  const object = ports.cache.get(key);
  if (object === undefined || object.metadata.uid !== local.uid) return undefined;
  local.failures += 1;
  const again = backoff(local.failures, ports.windows, ports.random());
  const r = beginReconcile(ports, kind, object, local);
  return await writeStatus(r, { is: "stalled", why, exchange: "none", again });
}
