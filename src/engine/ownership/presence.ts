/**
 * Decides when an object of the platform that a list does not show is gone (docs/project/architecture.md §9). A new process
 * knows from the status whether a list has shown the object.
 */
import type { Goal, ListEvidence, Ms, Presence, Uuid } from "../contract/kind.ts";

/** What is known of an object from the lists that were read. */
export interface ListHistory {
  readonly id: Uuid;
  /** A list has shown the object, perhaps to an earlier process. */
  shown: boolean;
  /** The platform has accepted its deletion. */
  deleted: boolean;
  /** Since when no list shows it, and since when a complete list lacks it, on the monotonic clock. */
  hiddenSince: Ms | undefined;
  missingSince: Ms | undefined;
}

/**
 * Returns the history of an object; a new one when the id differs from before.
 * @param shown whether the status says that a list has shown the object
 */
export function listHistoryOf(reads: { listHistory: ListHistory | undefined }, id: Uuid, shown = false): ListHistory {
  if (reads.listHistory?.id !== id)
    reads.listHistory = { id, shown, deleted: false, hiddenSince: undefined, missingSince: undefined };
  return reads.listHistory;
}

/** Records that the platform accepted the deletion of an object. */
export function noteDeleted(reads: { listHistory: ListHistory | undefined }, id: Uuid | undefined): void {
  if (id !== undefined) listHistoryOf(reads, id).deleted = true;
}

/**
 * Returns for how long no list has shown the object, in milliseconds; 0 while one does. @param now on the monotonic
 * clock
 */
export function hiddenFor({ listHistory }: { readonly listHistory: ListHistory | undefined }, now: Ms): Ms {
  return now - (listHistory?.hiddenSince ?? now);
}

/**
 * Records what a list shows of an object, and returns whether the object exists. An object is gone once a list that
 * showed it before lacks it in two reads that are `absenceMs` apart. While its resource is being deleted, no list needs
 * to have shown it before, because otherwise the deletion could not end after the loss of the status; and one read is
 * enough once the platform has accepted the deletion.
 */
export function presenceOf(
  listHistory: ListHistory,
  evidence: ListEvidence,
  { goal, now, absenceMs }: { readonly goal: Goal; readonly now: Ms; readonly absenceMs: Ms },
): Presence {
  if (evidence === "Shown") {
    Object.assign(listHistory, { shown: true, hiddenSince: undefined, missingSince: undefined });
    return "Present";
  }
  if (listHistory.deleted && goal !== "present") return "Gone";
  listHistory.hiddenSince ??= now;
  if (evidence === "Unclear" || !(listHistory.shown || goal !== "present")) return "Unproven";
  listHistory.missingSince ??= now;
  return now - listHistory.missingSince >= absenceMs ? "Gone" : "Unconfirmed";
}
