/** How each mark looks where there is room for one character. */
import type { Mark } from "./facts.ts";

export const SIGNS: Readonly<Record<Mark, string>> = {
  new: "·",
  working: "◌",
  ready: "✔",
  warned: "!",
  stalled: "✘",
  deleting: "−",
};
