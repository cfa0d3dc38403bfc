/** Change windows: recurring times, each in its time zone, that allow or deny writes to the platform. Pure. */
import { Cron } from "croner";

import type { Ms, Why } from "../contract/kind.ts";
import type { RecurringWindow, SyncWindows } from "./policy.ts";

export type WindowState =
  | { readonly is: "open" }
  /** Closed until then at least; `until` is undefined where no end is found. */
  | { readonly is: "closed"; readonly until: Date | undefined };

/** The years that are searched: leap days are eight years apart at most, and an open window may be from last year. */
const YEARS_BACK = 2;
const YEARS_AHEAD = 9;

interface ParsedWindow {
  readonly cron: Cron;
  readonly duration: Ms;
}

/**
 * Checks whether windows can be parsed: a wrong schedule must not count as "never" or "always".
 * @param field the path of the windows, e.g. "spec.runSchedule"
 * @returns why the windows cannot be parsed; undefined when they can
 */
export function invalidWindows(
  field: string,
  windows: readonly RecurringWindow[] | undefined,
  now: Date,
): Why | undefined {
  for (const [index, window] of (windows ?? []).entries()) {
    const at = `${field}[${index}]`;
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

/**
 * Reports whether writes are allowed now, and if not, until when at least. Windows are evaluated at every step, so each
 * takes two searches at most. @throws RangeError for windows that cannot be parsed
 */
export function windowState(windows: SyncWindows | undefined, now: Date): WindowState {
  if (windows === undefined) return { is: "open" };
  const all = parsedWindows(windows.windows, now);
  const end = endOf(all, now);
  if ((end !== undefined) === (windows.kind === "Allow")) return { is: "open" };
  return { is: "closed", until: windows.kind === "Deny" ? end : nextStart(all, now) };
}

/** Parses windows for a search around `now`. @throws RangeError for windows that cannot be parsed */
export function parsedWindows(windows: readonly RecurringWindow[], now: Date): readonly ParsedWindow[] {
  return windows.map((window) => parsed(window, now));
}

/** Parses one window. The pattern names the years: croner searches a thousand years for a time that never comes. */
function parsed({ schedule, timeZone, duration }: RecurringWindow, now: Date): ParsedWindow {
  const year = now.getUTCFullYear();
  const years = `${year - YEARS_BACK}-${year + YEARS_AHEAD}`;
  return { cron: new Cron(`0 ${schedule} ${years}`, { timezone: timeZone, mode: "7-part" }), duration };
}

/** Returns the latest end of the windows that are open at `at`, as far as known; undefined when none is open. */
export function endOf(windows: readonly ParsedWindow[], at: Date): Date | undefined {
  const ends = windows.flatMap((window) => endOfFirst(window, at) ?? []);
  return ends.length === 0 ? undefined : new Date(Math.max(...ends));
}

/** Returns when the next of the windows opens after `at`; undefined where none does. */
export function nextStart(windows: readonly ParsedWindow[], at: Date): Date | undefined {
  const starts = windows.flatMap(({ cron }) => cron.nextRun(at)?.getTime() ?? []);
  return starts.length === 0 ? undefined : new Date(Math.min(...starts));
}

/** Returns the end of the first occurrence that is open at `at`, in milliseconds; undefined when none is open. */
function endOfFirst({ cron, duration }: ParsedWindow, at: Date): number | undefined {
  // Occurrences begin at whole seconds, and the search begins after its start.
  const start = cron.nextRun(new Date(at.getTime() - duration))?.getTime();
  return start === undefined || start > at.getTime() ? undefined : start + duration;
}
