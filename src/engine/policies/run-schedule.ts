/** `spec.runSchedule`: recurring times, each in its time zone, in which an object is to be stopped. Pure. */
import type { RunSchedule } from "../contract/kind.ts";
import { endOf, nextStart, parsedWindows } from "./change-window.ts";
import type { RecurringWindow } from "./policy.ts";

/** The largest number of adjacent windows that count as one. */
const JOINED = 48;

/**
 * Returns what a schedule says now. Windows that overlap or are adjacent count as one.
 * @param runUntil the time until which a user wants the object to run, even inside of windows
 * @returns undefined without a schedule
 * @throws RangeError for windows that cannot be parsed
 */
export function runScheduleAt(
  windows: readonly RecurringWindow[] | undefined,
  runUntil: Date | undefined,
  now: Date,
): RunSchedule | undefined {
  if (windows === undefined) return undefined;
  const all = parsedWindows(windows, now);
  if (runUntil !== undefined && runUntil > now) {
    const isOpenThen = endOf(all, runUntil) !== undefined;
    return { stopUntil: undefined, nextStop: isOpenThen ? runUntil : nextStart(all, runUntil) };
  }
  let stopUntil = endOf(all, now);
  for (let times = 1; times < JOINED && stopUntil !== undefined; times += 1) {
    const further = endOf(all, stopUntil);
    if (further === undefined) break;
    stopUntil = further;
  }
  return { stopUntil, nextStop: nextStart(all, stopUntil ?? now) };
}
