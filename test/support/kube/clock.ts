import { setImmediate } from "node:timers/promises";

import type { Clock } from "../../../src/kube/api/types.ts";

export type ManualClock = ReturnType<typeof manualClock>;

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Returns a clock that advances only when a test moves it; its wall time starts at `start`. */
export function manualClock(start = new Date("2026-11-21T10:00:00Z")) {
  let elapsed = 0;
  let shift = 0;
  const timers = new Set<Timer>();

  const runNext = (limit: number): boolean => {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= limit && (first === undefined || timer.at < first.at)) first = timer;
    }
    if (first === undefined) return false;
    timers.delete(first);
    elapsed = Math.max(elapsed, first.at);
    first.run();
    return true;
  };

  const clock: Clock = {
    now: () => new Date(start.getTime() + shift + elapsed),
    monotonic: () => elapsed,
    after: (ms, run) => {
      const timer = { at: elapsed + Math.max(0, Math.min(ms, 2 ** 31 - 1)), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  return {
    ...clock,
    /** Advances both clocks by `ms`, running due timers in order; awaits pending promises between timers. */
    advance: async (ms: number): Promise<void> => {
      const target = elapsed + ms;
      await settle();
      while (runNext(target)) await settle();
      elapsed = target;
      await settle();
    },
    /** Advances to the next timer and runs it. @returns false, without advancing, when none is due within `ms` */
    step: (ms: number): boolean => runNext(elapsed + ms),
    /** Moves only the wall clock, as an administrator or NTP does. */
    shiftWall: (ms: number): void => {
      shift += ms;
    },
    pending: (): number => timers.size,
  };
}

export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}
