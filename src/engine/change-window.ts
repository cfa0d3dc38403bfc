/** When the platform may be written to: windows of time that come again, in their own time zones. Pure. */
import { Cron } from "croner";

import type { Ms, Why } from "./kind.ts";
import type { SyncWindows } from "./policy.ts";

export type WindowState =
  | { readonly is: "open" }
  /** `opensAt` is undefined when it never opens as far as can be seen. */
  | { readonly is: "closed"; readonly opensAt: Date | undefined };

/** Windows that follow each other without a gap are followed so many times. */
const CHAIN = 100;

interface Window {
  readonly cron: Cron;
  readonly duration: Ms;
}

/**
 * @returns why the windows cannot be understood, undefined when they can: a wrong schedule must not read as "never" or
 *   "always".
 */
export function invalidWindows(windows: SyncWindows | undefined): Why | undefined {
  for (const [index, { schedule, timeZone, duration }] of (windows?.windows ?? []).entries()) {
    const field = `spec.lifecycle.syncWindows.windows[${index}]`;
    if (duration <= 0) return { reason: "InvalidSpec", message: `${field}.duration must be longer than nothing.` };
    try {
      cronOf(schedule, timeZone).nextRun();
    } catch {
      const message = `${field} is not understood: schedule must be a cron expression of five fields, e.g. "0 22 * * 1-5", and timeZone the name of an IANA time zone, e.g. Europe/Berlin.`;
      return { reason: "InvalidSpec", message };
    }
  }
  return undefined;
}

/** Whether writes are allowed now, and if not, from when on. @throws RangeError for windows that are not understood */
export function windowState(windows: SyncWindows | undefined, now: Date): WindowState {
  if (windows === undefined) return { is: "open" };
  const all = windows.windows.map(({ schedule, timeZone, duration }) => ({
    cron: cronOf(schedule, timeZone),
    duration,
  }));
  const isInside = all.some((window) => endAt(window, now) !== undefined);
  if (isInside === (windows.kind === "Allow")) return { is: "open" };
  return { is: "closed", opensAt: windows.kind === "Allow" ? nextStart(all, now) : endOfAll(all, now) };
}

function cronOf(schedule: string, timeZone: string): Cron {
  return new Cron(schedule, { timezone: timeZone, mode: "5-part" });
}

/** When the window ends that is open at `at`; undefined when none of its occurrences is. */
function endAt({ cron, duration }: Window, at: Date): Date | undefined {
  // Occurrences begin at whole seconds, and the search begins after its start.
  let start = cron.nextRun(new Date(at.getTime() - duration));
  let end: Date | undefined;
  for (let times = 0; start !== null && start <= at && times < CHAIN; times += 1) {
    end = new Date(start.getTime() + duration);
    start = cron.nextRun(start);
  }
  return end !== undefined && end > at ? end : undefined;
}

function nextStart(all: readonly Window[], now: Date): Date | undefined {
  const starts = all.flatMap(({ cron }) => cron.nextRun(now) ?? []);
  return starts.toSorted((left, right) => left.getTime() - right.getTime())[0];
}

/** When no window is open any more: one may begin before another ends. */
function endOfAll(all: readonly Window[], now: Date): Date | undefined {
  let at = now;
  for (let times = 0; times < CHAIN; times += 1) {
    const ends = all.flatMap((window) => endAt(window, at) ?? []);
    if (ends.length === 0) return at;
    at = new Date(Math.max(...ends.map((end) => end.getTime())));
  }
  return undefined;
}
