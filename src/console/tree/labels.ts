/** Short texts for people: of marks, ages and kinds. The page in the browser uses them too. */
import type { Mark } from "./summary.ts";

/** The text of each mark; `sign` is a single character. */
export const MARKS: Readonly<Record<Mark, Readonly<Record<"sign" | "word" | "meaning", string>>>> = {
  stalled: { sign: "✘", word: "Stalled", meaning: "A person is needed: the operator does not continue by itself" },
  warned: {
    sign: "!",
    word: "Attention",
    meaning: "Ready, but the last exchange with the platform failed, the platform differs, or does not show the state",
  },
  working: { sign: "◌", word: "Working", meaning: "In progress, or waiting for something" },
  new: { sign: "·", word: "New", meaning: "The operator has not reconciled this spec yet" },
  deleting: { sign: "−", word: "Deleting", meaning: "Being deleted" },
  ready: { sign: "✔", word: "Ready", meaning: "As it should be" },
};

const STEPS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** @returns the age as kubectl shows it, in its largest unit, e.g. "3d"; "" for a time that cannot be read. */
export function ageOf(since: string | undefined, now: Date): string {
  const ms = now.getTime() - Date.parse(since ?? "");
  if (Number.isNaN(ms)) return "";
  const [unit, size] = STEPS.find(([, each]) => ms >= 2 * each) ?? ["s", 1_000];
  return `${Math.max(0, Math.floor(ms / size))}${unit}`;
}

/** "PlatformApplication" → "application", "ClusterPlatformConnection" → "cluster connection". */
export function wordOf(kind: string): string {
  return kind
    .replace("Platform", " ")
    .trim()
    .replaceAll(/\s*([A-Z])/g, (_match, letter: string) => ` ${letter.toLowerCase()}`)
    .trim();
}
