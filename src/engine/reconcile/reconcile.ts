/** The one reconcile for every kind. It knows the kinds only through `Kind` (docs/architecture.md §2, §3). */
import { isPaused } from "../../api/paused.ts";
import type { Ports } from "../context/context.ts";
import { isOvertaken } from "../context/local-state.ts";
import type { Kind, Ms } from "../contract/kind.ts";
import { pollInterval } from "../contract/requeue.ts";
import { resolveObject } from "../resolve/resolve.ts";
import type { ReconcileResult } from "../status/build.ts";
import { beginReconcile, type Reconciliation, type Resolved } from "../status/reconciliation.ts";
import { stallOnMissing } from "../status/stalls.ts";
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
import { guarded, type Reconcile, warnOfAnnotations } from "./guard.ts";
import { registerReceiver } from "./receiver-registration.ts";
import { writeStatus } from "./write-status.ts";

/** A connection whose Secret is missing is requeued soon: nothing else would wake it. */
const UNRESOLVED_CONNECTION_MS = 5_000;

/** Returns the function that reconciles the objects of a kind. */
export function reconciler(ports: Ports, kind: Kind): Reconcile {
  return guarded(ports, {
    reconcile: (object, local) => reconcileObject(beginReconcile(ports, kind, object, local)),
    report: (object, local, failed) => writeStatus(beginReconcile(ports, kind, object, local), failed),
  });
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

  warnOfAnnotations(ports, object, local);
  const resolved = isPaused(object) ? ({ is: "paused" } as const) : await resolveObject(r, "present");
  if ("is" in resolved) return await writeStatus(r, servingResult(r, unresolvedResult(r, resolved)));
  if (isConnection) return await reconcileConnection(resolved);

  const { id } = resolved.context;
  const result = stallOnMissing(resolved, await runSteps(resolved));
  if (result.is === "settled") probeSurface(resolved, resolved.context.id !== id);
  return await writeStatus(resolved, result);
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
