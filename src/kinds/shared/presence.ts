/** What follows when a list of the platform does not show an object. Pure, but for what the engine notes. */
import type { Goal, Plan, Presence, IdentitySource, Sight, Uuid } from "../../engine/contract/kind.ts";
import { isWhole } from "../../platform/codec/listing.ts";
import { gone } from "./names.ts";
import { unseen } from "./unseen.ts";

interface Judged {
  readonly proof: IdentitySource | undefined;
  readonly presence: (sight: Sight) => Presence;
}

/**
 * Whether the object with the pass's id is there. Of one that this resource has not recorded, a list that holds all there
 * is proves the absence at once.
 * @param list as a read of the platform returned it
 */
export function presenceIn<Item>(context: Judged, list: readonly Item[], isIt: (item: Item) => boolean): Presence {
  const isShown = list.some(isIt);
  const sight: Sight = isShown ? "Shown" : isWhole(list) ? "Missing" : "Unclear";
  if (context.proof === "recorded") return context.presence(sight);
  return isShown ? "Present" : sight === "Missing" ? "Gone" : "Unproven";
}

/** Whether it is not known yet whether the object is there. */
export function isOpen(presence: Presence | undefined): presence is "Unconfirmed" | "Unproven" {
  return presence === "Unconfirmed" || presence === "Unproven";
}

/** Whether nothing more has to be read to judge by; what should be there is looked for as long as it can be. */
export function isKnown(presence: Presence, goal: Goal): boolean {
  return presence === "Present" || (presence === "Gone" && goal !== "present");
}

interface Missed {
  /** E.g. "project". */
  readonly noun: string;
  readonly name: string;
  readonly id: Uuid;
  /** E.g. "the organization". */
  readonly where: string;
}

/** The plan for an object that should be there and is not shown. */
export function planUnshown(
  context: { readonly onMissing: "Fail" | "Recreate"; readonly proof: IdentitySource | undefined },
  presence: Presence,
  missed: Missed,
): Plan<never> {
  if (presence === "Gone") return gone(context, unseen(context, missed));
  const why = { reason: "NotObservable", message: messageOf(presence, missed) } as const;
  return context.proof === "recorded" ? { is: "unknown", why } : { is: "stalled", why };
}

/** The plan for an object that is to go and is not shown. */
export function planUnshownRemoval(presence: Presence, missed: Missed): Plan<never> {
  if (presence === "Gone") return { is: "settled" };
  const message = messageOf(presence, missed);
  if (presence === "Unconfirmed") return { is: "waiting", why: { reason: "Deleting", message } };
  return { is: "stalled", why: { reason: "NotObservable", message } };
}

function messageOf(presence: Presence, { noun, name, id, where }: Missed): string {
  const missed = `The platform's list does not show the ${noun} "${name}" (${id}) in ${where}`;
  return presence === "Unconfirmed"
    ? `${missed} any more. It counts as gone once two reads of the list that are a minute apart lack it.`
    : `${missed}. That proves nothing: the list may be one page of several, or it has not shown the ${noun} since the operator started.`;
}
