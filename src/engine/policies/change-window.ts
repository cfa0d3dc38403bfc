/** Change windows: recurring times, each in its time zone, in which the platform may be written to. Pure. */
import { Cron } from "croner";

import type { Ms, Why } from "../contract/kind.ts";
import type { SyncWindows } from "./policy.ts";

export type WindowState =
  | { readonly is: "open" }
  /** Closed until then at least; `until` is undefined where no end is found. */
  | { readonly is: "closed"; readonly until: Date | undefined };

/**
 * How far a schedule is searched: leap days are eight years apart at most, and an open window may be from last year.
 */
const YEARS_BACK = 2;
const YEARS_AHEAD = 9;

interface Window {
  readonly cron: Cron;
  readonly duration: Ms;
}

/**
 * @returns why the windows cannot be parsed; undefined when they can: a wrong schedule must not read as "never" or
 * "always"
 */
export function invalidWindows(windows: SyncWindows | undefined, now: Date): Why | undefined {
  for (const [index, { schedule, timeZone, duration }] of (windows?.windows ?? []).entries()) {
    const field = `spec.lifecycle.syncWindows.windows[${index}]`;
    if (duration <= 0) return { reason: "InvalidSpec", message: `${field}.duration must be longer than nothing.` };
    try {
      cronOf(schedule, timeZone, now).nextRun(now);
    } catch {
      const message = `${field} is not understood: schedule must be a cron expression of five fields, e.g. "0 22 * * 1-5", and timeZone the name of an IANA time zone, e.g. Europe/Berlin.`;
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
  const all = windows.windows.map(({ schedule, timeZone, duration }) => ({
    cron: cronOf(schedule, timeZone, now),
    duration,
  }));
  const ends = all.flatMap((window) => endOf(window, now) ?? []);
  if (ends.length > 0 === (windows.kind === "Allow")) return { is: "open" };
  if (windows.kind === "Deny") return { is: "closed", until: new Date(Math.max(...ends)) };
  const starts = all.flatMap(({ cron }) => cron.nextRun(now)?.getTime() ?? []);
  return { is: "closed", until: starts.length === 0 ? undefined : new Date(Math.min(...starts)) };
}

/** The years are named, as croner would search a thousand years for a schedule that never comes. */
function cronOf(schedule: string, timeZone: string, now: Date): Cron {
  const year = now.getUTCFullYear();
  const years = `${year - YEARS_BACK}-${year + YEARS_AHEAD}`;
  return new Cron(`0 ${schedule} ${years}`, { timezone: timeZone, mode: "7-part" });
}

/** Returns when the first occurrence ends that is open at `at`, in milliseconds; undefined when none is. */
function endOf({ cron, duration }: Window, at: Date): number | undefined {
  // Occurrences begin at whole seconds, and the search begins after its start.
  const start = cron.nextRun(new Date(at.getTime() - duration))?.getTime();
  return start === undefined || start > at.getTime() ? undefined : start + duration;
}
