/** How it goes, in words for people. */
import type { Mark } from "../../tree/facts.ts";
import type { Show } from "../shape.ts";

export const MARK_WORDS: Readonly<Record<Mark, string>> = {
  stalled: "Stalled",
  warned: "Attention",
  working: "Working",
  new: "New",
  deleting: "Deleting",
  ready: "Ready",
};

/** What each choice of the filter shows. */
export const SHOW_WORDS: Readonly<Record<Show, string>> = { all: "All", "not-ready": "Not ready", ...MARK_WORDS };

/** What each mark means. */
export const MARK_MEANINGS: Readonly<Record<Mark, string>> = {
  stalled: "A person is needed: the operator does not go on by itself",
  warned: "Ready, but the last exchange with the platform failed or the platform differs",
  working: "On its way",
  new: "The operator has not said anything of this spec yet",
  deleting: "Being deleted",
  ready: "As it should be",
};
