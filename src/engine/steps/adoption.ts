/** Adopts an existing object of the platform for a resource, or forgets one that is gone. */
import { member } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { LocalState } from "../context/local-state.ts";
import type { Uuid, Why } from "../contract/kind.ts";
import { conditionOf } from "../contract/status.ts";
import {
  finalizerDue,
  finalizersWith,
  forgetId,
  hasFinalizer,
  noteStarted,
  recordAnnotations,
  recordId,
} from "../ledger/record.ts";
import { causeIn, policyStatusIn } from "../policies/policy-status.ts";
import type { ReconcileResult } from "../status/build.ts";
import type { Resolved } from "../status/reconciliation.ts";
import { remember } from "./execute.ts";

/** Adopts an existing object: records it like the result of a create, with the finalizer if due. @throws KubeError */
export async function adopt(r: Resolved, id: Uuid): Promise<void> {
  const { ports, kind, orphan, context } = r;
  r.object = await adoptObject(r, id);
  if (orphan !== undefined) {
    const note = `Takes over ${id}, which an earlier resource of this name left on the platform. Nothing was created.`;
    ports.events.record({ regarding: r.object, type: "Normal", reason: "Adopted", action: "Adopt", note });
    r.orphan = undefined;
    // Without its memory, an action may have been executed already, as after the loss of a status.
    const isForgotten = context.identitySource !== "orphaned" || orphan.memory === undefined;
    if (isForgotten && kind.notObservableAfterwards !== undefined) {
      r.object = await noteStarted(ports, r.object);
      r.context = { ...context, records: { ...context.records, started: true } };
    }
  }
  remember(r, { memory: context.memory, id });
  if (ports.assignment.shards > 1) r.local.adoptedAt = ports.clock.monotonic();
}

/**
 * Decides whether an adopted object may be written to. Where shards divide the objects, two of them may adopt the same
 * object before they see each other's record; neither writes until both have seen both records, of which the same one
 * counts in every shard (docs/architecture.md §10).
 * @returns the result of a reconcile that has to wait; undefined where it may go on
 */
export function adoptionPending({ ports, object, local, context }: Resolved): ReconcileResult | undefined {
  const { assignment, clock, windows } = ports;
  if (assignment.shards === 1 || context.identitySource !== "recorded") return undefined;
  if (local.adoptedAt === undefined && isJustAdopted(object, local)) local.adoptedAt = clock.monotonic();
  if (local.adoptedAt === undefined) return undefined;
  const left = local.adoptedAt + windows.adoptMs - clock.monotonic();
  const why = {
    reason: "AdoptionPending" as const,
    message: "Adopted. The operator waits until each shard has seen it.",
  };
  return left > 0 ? { is: "waiting", why, exchange: "ok", again: left } : undefined;
}

/** Reports whether another process may have adopted the object shortly before it ended. */
function isJustAdopted(object: KubeObject, local: LocalState): boolean {
  const ready = conditionOf(object, "Ready");
  return local.unsaved === undefined && (ready === undefined || ready.reason === "AdoptionPending");
}

async function adoptObject(r: Resolved, id: Uuid): Promise<KubeObject> {
  const { ports, object, recordedIdentity } = r;
  if (!finalizerDue(r) || hasFinalizer(object)) return (await recordId(ports, r, id)) ?? object;
  const annotations = recordAnnotations(ports, r, id);
  ports.idOwnership.take(object, id, recordedIdentity);
  try {
    return await ports.writer.patchChecked(object, { annotations, finalizers: finalizersWith(object, true) });
  } catch (error) {
    ports.idOwnership.release(object);
    throw error;
  }
}

/** Removes the record of an object that is gone. The next reconcile creates it again. @throws KubeError */
export async function forgetRecord(r: Resolved, why: Why): Promise<void> {
  const { ports, kind, local } = r;
  const object = await forgetId(ports, r.object);
  const forgotten = await ports.writer.patchStatus(object, {
    // As if the resource had never been reconciled: the object that was Ready is gone.
    observedGeneration: -1,
    lastHandledReconcileAt: member(object.status, "lastHandledReconcileAt"),
    // The approval of the first create does not count for the second.
    lastApprovedPlan: member(object.status, "lastApprovedPlan"),
  });
  const { reason, message: note } = why;
  ports.events.record({ regarding: forgotten, type: "Warning", reason, action: "Recreate", note });
  local.unsaved = undefined;
  local.recreates = true;
  const memory = kind.resource.memory.parse({});
  r.object = forgotten;
  r.cause = causeIn(forgotten);
  r.context = { ...r.context, id: undefined, identitySource: undefined, memory };
  r.policyStatus = policyStatusIn(forgotten);
}
