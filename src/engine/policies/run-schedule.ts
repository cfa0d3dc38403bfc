/** `spec.runSchedule`: recurring times, each in its time zone, in which an object is to be stopped. Pure. */
import { Cron } from "croner";

import type { Ms, RunSchedule, StatusReason } from "../contract/kind.ts";
import type { RecurringWindow } from "./policy.ts";

/** The years that are searched: leap days are eight years apart at most, and an open window may be from last year. */
const YEARS_BACK = 2;
const YEARS_AHEAD = 9;

interface ParsedWindow {
  readonly cron: Cron;
  readonly duration: Ms;
}

/**
 * Checks whether a schedule can be parsed: a wrong one must not count as "never" or "always".
 * @returns why it cannot be parsed; undefined when it can
 */
export function invalidSchedule(windows: readonly RecurringWindow[] | undefined, now: Date): StatusReason | undefined {
  for (const [index, window] of (windows ?? []).entries()) {
    const at = `spec.runSchedule[${index}]`;
    if (window.duration <= 0) return { reason: "InvalidSpec", message: `${at}.duration must be greater than zero.` };
    try {
      parsed(window, now).cron.nextRun(now);
    } catch {
      const message = `${at} is not understood: schedule must be a cron expression of five fields, e.g. "0 22 * * 1-5", and timeZone the name of an IANA time zone, e.g. Europe/Berlin.`;
      return { reason: "InvalidSpec", message };
    }
  }
  return undefined;
}

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
  const all = windows.map((window) => parsed(window, now));
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

/** Parses one window. The pattern names the years: croner searches a thousand years for a time that never comes. */
function parsed({ schedule, timeZone, duration }: RecurringWindow, now: Date): ParsedWindow {
  const year = now.getUTCFullYear();
  const years = `${year - YEARS_BACK}-${year + YEARS_AHEAD}`;
  return { cron: new Cron(`0 ${schedule} ${years}`, { timezone: timeZone, mode: "7-part" }), duration };
}

/** Returns the latest end of the windows that are open at `at`, as far as known; undefined when none is open. */
function endOf(windows: readonly ParsedWindow[], at: Date): Date | undefined {
  const ends = windows.flatMap((window) => endOfFirst(window, at) ?? []);
  return ends.length === 0 ? undefined : new Date(Math.max(...ends));
}

/** Returns when the next of the windows opens after `at`; undefined where none does. */
function nextStart(windows: readonly ParsedWindow[], at: Date): Date | undefined {
  const starts = windows.flatMap(({ cron }) => cron.nextRun(at)?.getTime() ?? []);
  return starts.length === 0 ? undefined : new Date(Math.min(...starts));
}

/** Returns the end of the first occurrence that is open at `at`, in milliseconds; undefined when none is open. */
function endOfFirst({ cron, duration }: ParsedWindow, at: Date): number | undefined {
  // Occurrences begin at whole seconds, and the search begins after its start.
  const start = cron.nextRun(new Date(at.getTime() - duration))?.getTime();
  return start === undefined || start > at.getTime() ? undefined : start + duration;
}
