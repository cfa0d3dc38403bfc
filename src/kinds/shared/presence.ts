/** Decides what follows when a list of the platform does not show an object. Pure, except for the engine's records. */
import type { Goal, ListEvidence, Plan, Presence, ReconcileContext, StatusReason } from "../../engine/contract/kind.ts";
import { isWhole } from "../../platform/codec/listing.ts";
import { stalled } from "./checks.ts";
import { planGone, reasonNotShown, type UnshownObject } from "./names.ts";
import type { Identified, WithPolicies, WithRecords } from "./types.ts";

/**
 * Returns whether the object with the context's id exists. For an object that this resource has not recorded, a
 * complete list proves the absence at once.
 * @param list as a read of the platform returned it
 */
export function presenceIn<Item>(
  context: Identified & WithRecords<"presence">,
  list: readonly Item[],
  isIt: (item: Item) => boolean,
): Presence {
  const isShown = list.some(isIt);
  const evidence: ListEvidence = isShown ? "Shown" : isWhole(list) ? "Missing" : "Unclear";
  if (context.identitySource === "recorded") return context.records.presence(evidence);
  return isShown ? "Present" : evidence === "Missing" ? "Gone" : "Unproven";
}

/** Reports whether a reconcile only checks a settled object, so that it may share lists that others have read. */
export function isRoutine(context: Pick<ReconcileContext, "identitySource" | "goal" | "requested">): boolean {
  return context.identitySource === "recorded" && context.goal === "present" && context.requested === undefined;
}

/** Reports whether it is not known yet whether the object exists. */
export function isOpen(presence: Presence | undefined): presence is "Unconfirmed" | "Unproven" {
  return presence === "Unconfirmed" || presence === "Unproven";
}

/** Reports whether no further read is needed: an object that should exist is read again before it counts as gone. */
export function isKnown(presence: Presence, goal: Goal): boolean {
  return presence === "Present" || (presence === "Gone" && goal !== "present");
}

/** Returns the plan for an object that should exist and is not shown. */
export function planUnshown(
  context: Identified & WithPolicies<"onMissing">,
  presence: Presence,
  unshown: UnshownObject,
): Plan<never> {
  if (presence === "Gone") return planGone(context, reasonNotShown(context, unshown));
  const message = messageOf(presence, unshown);
  if (context.identitySource !== "recorded") return stalled("NotObservable", message);
  return { is: "unknown", why: { reason: "NotListed", message } };
}

/** Returns why an object waits that is being deleted: from before the request until the platform does not show it. */
export function deleting(noun: string): StatusReason {
  return { reason: "Deleting", message: `Deleting the ${noun} on the platform.` };
}

/** Returns the plan for an object that is to be deleted and is not shown. */
export function planUnshownRemoval(presence: Presence, unshown: UnshownObject): Plan<never> {
  if (presence === "Gone") return { is: "settled" };
  const message = messageOf(presence, unshown);
  if (presence === "Unconfirmed") return { is: "waiting", why: { reason: "Deleting", message } };
  return stalled("NotObservable", message);
}

function messageOf(presence: Presence, { noun, name, id, where }: UnshownObject): string {
  const unlisted = `The platform's list does not show the ${noun} "${name}" (${id}) in ${where}`;
  return presence === "Unconfirmed"
    ? `${unlisted} any more. It counts as gone once two reads of the list that are a minute apart lack it.`
    : `${unlisted}. That proves nothing: the list may be one page of several, or it has not shown the ${noun} since the operator started.`;
}
