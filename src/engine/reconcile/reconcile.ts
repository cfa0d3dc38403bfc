/**
 * The one reconcile for every kind but the connections. It knows the kinds only through `Kind` (docs/project/architecture.md §2,
 * §3).
 */
import { isPaused } from "../../api/paused.ts";
import type { Ports } from "../context/context.ts";
import type { Kind, Ms } from "../contract/kind.ts";
import { resolveObject } from "../resolve/resolve.ts";
import { stallOnMissing } from "../status/outcome.ts";
import { beginReconcile, type Resolved, type Unresolved } from "../status/reconciliation.ts";
import { writeStatus } from "../status/write.ts";
import { runSteps } from "../steps/loop.ts";
import { remove } from "./delete.ts";
import { guarded, type Reconcile, warnOfAnnotations } from "./guard.ts";

/** Returns the function that reconciles the objects of a kind. */
export function reconciler(ports: Ports, kind: Kind): Reconcile {
  return guarded(ports, {
    reconcile: (object, local) => reconcileObject(beginReconcile(ports, kind, object, local)),
    report: (object, local, failure) => writeStatus(beginReconcile(ports, kind, object, local), failure),
  });
}

async function reconcileObject(r: Unresolved): Promise<Ms | undefined> {
  const { ports, kind, object, local } = r;
  local.persistence.dropOvertaken(kind, object);
  if (object.metadata.deletionTimestamp !== undefined) return await remove(r);

  warnOfAnnotations(ports, object, local);
  const resolved = isPaused(object) ? ({ is: "paused" } as const) : await resolveObject(r, "present");
  if ("is" in resolved) return await writeStatus(r, stallOnMissing(r, resolved));

  const { id } = resolved.context;
  const result = stallOnMissing(resolved, await runSteps(resolved));
  if (result.is === "settled") probeSurface(resolved, resolved.context.id !== id);
  return await writeStatus(resolved, result);
}

/**
 * Requests a probe of a connection whose surface is undecided, once something new is known of the platform. The first
 * project of an organization decides it, so nothing is created in that project before the probe.
 */
function probeSurface({ ports, connection }: Resolved, isNew: boolean): void {
  if (connection.surface !== undefined || !isNew) return;
  ports.connections.requestProbe(connection);
  if (connection.lacksProject !== true) return;
  connection.notReadyReason = { reason: "Progressing", message: "The connection finds out what the platform offers." };
  connection.nextProbeAt = 0;
}
