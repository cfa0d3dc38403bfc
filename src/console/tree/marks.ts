/** How each mark looks, and what it means. */
import type { Mark } from "./facts.ts";

/** The sign is for where there is room for one character. */
export const MARKS: Readonly<Record<Mark, Readonly<Record<"sign" | "word" | "meaning", string>>>> = {
  stalled: { sign: "✘", word: "Stalled", meaning: "A person is needed: the operator does not go on by itself" },
  warned: {
    sign: "!",
    word: "Attention",
    meaning: "Ready, but the last exchange with the platform failed or the platform differs",
  },
  working: { sign: "◌", word: "Working", meaning: "On its way" },
  new: { sign: "·", word: "New", meaning: "The operator has not said anything of this spec yet" },
  deleting: { sign: "−", word: "Deleting", meaning: "Being deleted" },
  ready: { sign: "✔", word: "Ready", meaning: "As it should be" },
};
