/** Adopts an existing object of the platform for a resource, or forgets one that is gone. */
import { member } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Plan, Uuid, StatusReason } from "../contract/kind.ts";
import {
  finalizerDue,
  finalizersWith,
  forgetId,
  hasFinalizer,
  keepStarted,
  readRecord,
  recordAnnotations,
  recordId,
} from "../ledger/record.ts";
import { causeIn, policyStatusIn } from "../policies/policy-status.ts";
import type { Resolved } from "../status/reconciliation.ts";
import { remember } from "./execute.ts";

/**
 * Adopts an existing object as a plan says: records it like the result of a create, with the finalizer if due.
 * @throws KubeError
 */
export async function adopt(
  r: Resolved,
  { id, notObservableAfterwards }: Extract<Plan, { is: "adopt" }>,
): Promise<void> {
  const { ports, kind, orphan, context } = r;
  const adopted = readRecord(ports.key, r, id) === undefined ? kind.adopted?.("Found") : undefined;
  r.object = await adoptObject(r, id, adopted);
  if (orphan !== undefined) {
    const note = `Takes over ${id}, which an earlier resource of this name left on the platform. Nothing was created.`;
    ports.events.record({ regarding: r.object, type: "Normal", reason: "Adopted", action: "Adopt", note });
    r.orphan = undefined;
    // Without its memory, an action may have been executed already, as after the loss of a status.
    const isForgotten = context.identitySource !== "orphaned" || orphan.memory === undefined;
    if (isForgotten && notObservableAfterwards === true) {
      await keepStarted(r);
      r.context = { ...context, records: { ...context.records, started: true } };
    }
  }
  remember(r, { memory: { ...adopted, ...context.memory }, id });
}

async function adoptObject(r: Resolved, id: Uuid, kept: JsonObject | undefined): Promise<KubeObject> {
  const { ports, object, recordedIdentity } = r;
  if (!finalizerDue(r) || hasFinalizer(object)) return (await recordId(ports, r, id, kept)) ?? object;
  const annotations = recordAnnotations(ports, r, id, kept);
  ports.idOwnership.take(object, id, recordedIdentity);
  try {
    return await ports.writer.patchChecked(object, { annotations, finalizers: finalizersWith(object, true) });
  } catch (error) {
    ports.idOwnership.release(object);
    throw error;
  }
}

/** Removes the record of an object that is gone. The next reconcile creates it again. @throws KubeError */
export async function forgetRecord(r: Resolved, why: StatusReason): Promise<void> {
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
  local.persistence.noteOutcomeStored();
  local.recreates = true;
  const memory = kind.resource.memory.parse({});
  r.object = forgotten;
  r.cause = causeIn(forgotten);
  r.context = { ...r.context, id: undefined, identitySource: undefined, memory };
  r.policyStatus = policyStatusIn(forgotten);
}
