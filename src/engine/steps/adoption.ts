/** Changes which object of the platform a resource represents without a create: adopts one, or forgets one. */
import { member } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { Uuid, Why, KindTypes, RatedApi } from "../contract/kind.ts";
import { noteStarted } from "../ledger/one-shot.ts";
import {
  finalizerDue,
  finalizersWith,
  forgetId,
  hasFinalizer,
  recordId,
  recordOf,
  type Place,
} from "../ledger/record.ts";
import { causeIn, policyStatusIn } from "../policies/policy-status.ts";
import type { Reconciliation } from "../resolve/frame.ts";
import { remember } from "./execute.ts";

/** Adopts an existing object: records it like the outcome of a create, with the finalizer if one is due. */
export async function adopt<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: { readonly notObservableAfterwards?: unknown },
  frame: Reconciliation<K>,
  id: Uuid,
): Promise<Reconciliation<K>> {
  const { orphan, context } = frame;
  const adopted = await adoptObject(ports, frame, id);
  if (orphan === undefined) return remember({ ...frame, object: adopted }, { memory: context.memory, id });
  const note = `Takes over ${id}, which an earlier resource of this name left on the platform. Nothing was created.`;
  ports.events.record({ regarding: adopted, type: "Normal", reason: "Adopted", action: "Adopt", note });
  // What is not remembered may have been done, as after the loss of a status.
  const isForgotten =
    kind.notObservableAfterwards !== undefined &&
    (context.identitySource !== "orphaned" || orphan.memory === undefined);
  const object = isForgotten ? await noteStarted(ports, adopted) : adopted;
  const begun = context.records.begun === true || isForgotten;
  return remember(
    { ...frame, object, orphan: undefined, context: { ...context, records: { ...context.records, begun } } },
    { memory: context.memory, id },
  );
}

async function adoptObject<Api extends RatedApi>(ports: Ports<Api>, place: Place<Api>, id: Uuid): Promise<KubeObject> {
  const { object } = place;
  if (!finalizerDue(place) || hasFinalizer(object)) return (await recordId(ports, place, id)) ?? object;
  const annotations = recordOf(ports, place, id);
  ports.idOwnership.take(object, id, place.recordedIdentity);
  try {
    return await ports.writer.patchChecked(object, { annotations, finalizers: finalizersWith(object, true) });
  } catch (error) {
    ports.idOwnership.release(object);
    throw error;
  }
}

/**
 * Drops the record of an object that is gone. The next reconcile creates it anew, with the ledger.
 * @param memory the kind's empty memory
 */
export async function forget<K extends KindTypes>(
  ports: Ports<K["api"]>,
  frame: Reconciliation<K>,
  memory: K["memory"],
  why: Why,
): Promise<Reconciliation<K>> {
  const object = await forgetId(ports, frame.object);
  const forgotten = await ports.writer.patchStatus(object, {
    // As if it was never reconciled: what was Ready is gone.
    observedGeneration: -1,
    lastHandledReconcileAt: member(object.status, "lastHandledReconcileAt"),
    // The approval of the first create does not count for the second.
    lastApprovedPlan: member(object.status, "lastApprovedPlan"),
  });
  const { reason, message: note } = why;
  ports.events.record({ regarding: forgotten, type: "Warning", reason, action: "Recreate", note });
  frame.local.unsaved = undefined;
  frame.local.recreates = true;
  const context = { ...frame.context, id: undefined, identitySource: undefined, memory };
  return { ...frame, object: forgotten, cause: causeIn(forgotten), context, policyStatus: policyStatusIn(forgotten) };
}
