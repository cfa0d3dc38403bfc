/** `spec.runSchedule`: recurring times, each in its time zone, in which an object is to be stopped. Pure. */
import type { RunSchedule } from "../contract/kind.ts";
import { endOf, nextStart, parsedWindows } from "./change-window.ts";
import type { RecurringWindow } from "./policy.ts";

/** How many windows without a gap between them count as one, at most. */
const JOINED = 48;

/**
 * Returns what a schedule says now. Windows that overlap or have no gap between them are one.
 * @param runUntil until when a user has the object run, whatever the windows say
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
