/** Which object of the platform a resource stands for can change without a create: one is taken over, or forgotten. */
import { member } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Context } from "../context/context.ts";
import type { Uuid, Why, KindTypes, RatedApi } from "../contract/kind.ts";
import { noteBegun } from "../ledger/one-shot.ts";
import {
  finalizerDue,
  finalizersWith,
  forgetId,
  hasFinalizer,
  recordId,
  recordOf,
  type Place,
} from "../ledger/record.ts";
import { causeIn, governedIn } from "../policies/policy-status.ts";
import type { Frame } from "../resolve/frame.ts";
import { remember } from "./execute.ts";

/** Takes over an existing object: recorded like the outcome of a create, with the finalizer if one is due. */
export async function adopt<K extends KindTypes>(
  context: Context<K["api"]>,
  kind: { readonly untold?: unknown },
  frame: Frame<K>,
  id: Uuid,
): Promise<Frame<K>> {
  const { orphan, pass } = frame;
  const adopted = await adoptObject(context, frame, id);
  if (orphan === undefined) return remember({ ...frame, object: adopted }, { memory: pass.memory, id });
  const note = `Takes over ${id}, which an earlier resource of this name left on the platform. Nothing was created.`;
  context.events.record({ regarding: adopted, type: "Normal", reason: "Adopted", action: "Adopt", note });
  // What nobody remembers may have been done, as after the loss of a status.
  const isForgotten = kind.untold !== undefined && (pass.proof !== "orphaned" || orphan.memory === undefined);
  const object = isForgotten ? await noteBegun(context, adopted) : adopted;
  const begun = pass.begun === true || isForgotten;
  return remember({ ...frame, object, orphan: undefined, pass: { ...pass, begun } }, { memory: pass.memory, id });
}

async function adoptObject<Api extends RatedApi>(
  context: Context<Api>,
  place: Place<Api>,
  id: Uuid,
): Promise<KubeObject> {
  const { object } = place;
  if (!finalizerDue(place) || hasFinalizer(object)) return (await recordId(context, place, id)) ?? object;
  const annotations = recordOf(context, place, id);
  context.claims.take(object, id, place.pins);
  try {
    return await context.writer.patchChecked(object, { annotations, finalizers: finalizersWith(object, true) });
  } catch (error) {
    context.claims.release(object);
    throw error;
  }
}

/**
 * Drops the record of an object that is gone; the next pass creates anew, through the ledger.
 * @param memory the kind's memory of nothing.
 */
export async function forget<K extends KindTypes>(
  context: Context<K["api"]>,
  frame: Frame<K>,
  memory: K["memory"],
  why: Why,
): Promise<Frame<K>> {
  const object = await forgetId(context, frame.object);
  const forgotten = await context.writer.patchStatus(object, {
    // As if it was never looked at: what was Ready is gone.
    observedGeneration: -1,
    lastHandledReconcileAt: member(object.status, "lastHandledReconcileAt"),
    // The approval of the first create is none of the second.
    lastApprovedPlan: member(object.status, "lastApprovedPlan"),
  });
  const { reason, message: note } = why;
  context.events.record({ regarding: forgotten, type: "Warning", reason, action: "Recreate", note });
  frame.session.unsaved = undefined;
  frame.session.recreates = true;
  const pass = { ...frame.pass, id: undefined, proof: undefined, memory };
  return { ...frame, object: forgotten, cause: causeIn(forgotten), pass, governed: governedIn(forgotten) };
}
