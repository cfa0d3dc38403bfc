import { UsageError } from "../exit.ts";

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** @param text as Go writes durations, in whole hours, minutes and seconds, e.g. "1h30m" or "90s". @returns milliseconds. @throws UsageError */
export function durationOf(flag: string, text: string): number {
  const parts = [...text.matchAll(/(\d{1,6})([hms])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) {
    throw new UsageError(`${flag} takes a duration, e.g. 90s, 5m or 1h30m, not ${JSON.stringify(text)}.`);
  }
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (isUnit(unit) ? UNITS[unit] : 0), 0);
}

function isUnit(text: string | undefined): text is keyof typeof UNITS {
  return text !== undefined && Object.hasOwn(UNITS, text);
}

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
