/** Spans of time for people. */
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
