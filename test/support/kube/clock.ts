import { setImmediate } from "node:timers/promises";

import type { Clock } from "../../../src/kube/api/types.ts";

/** A clock that advances only when a test moves it. */
export interface ManualClock extends Clock {
  /** Advances both clocks by `ms`, running due timers in order; awaits pending promises between timers. */
  advance(ms: number): Promise<void>;
  /** Advances to the next timer and runs it. @returns false, without advancing, when none is due within `ms` */
  step(ms: number): boolean;
  /** Moves only the wall clock, as an administrator or NTP does. */
  shiftWall(ms: number): void;
  /** The number of pending timers. */
  pending(): number;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** @returns a manual clock whose wall time starts at `start`. */
export function manualClock(start = new Date("2026-11-21T10:00:00Z")): ManualClock {
  let elapsed = 0;
  let shift = 0;
  const timers = new Set<Timer>();

  const nextDue = (limit: number): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= limit && (first === undefined || timer.at < first.at)) first = timer;
    }
    return first;
  };

  const runNext = (limit: number): boolean => {
    const timer = nextDue(limit);
    if (timer === undefined) return false;
    timers.delete(timer);
    elapsed = Math.max(elapsed, timer.at);
    timer.run();
    return true;
  };

  return {
    now: () => new Date(start.getTime() + shift + elapsed),
    monotonic: () => elapsed,
    after: (ms, run) => {
      const timer = { at: elapsed + Math.max(0, Math.min(ms, 2 ** 31 - 1)), run };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    advance: async (ms) => {
      const target = elapsed + ms;
      await settle();
      while (runNext(target)) await settle();
      elapsed = target;
      await settle();
    },
    step: (ms) => runNext(elapsed + ms),
    shiftWall: (ms) => {
      shift += ms;
    },
    pending: () => timers.size,
  };
}

/** Runs all ready promises to their next await. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}
