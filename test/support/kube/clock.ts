import { setImmediate } from "node:timers/promises";

import type { Clock } from "../../../src/kube/api/types.ts";

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves both clocks on by `ms`, running what falls due in its order; awaits pending promises between timers. */
  advance(ms: number): Promise<void>;
  /** Moves on to the next timer and runs it. @returns false, and stands still, when none is due within `ms` */
  step(ms: number): boolean;
  /** Moves only the wall clock, as an administrator or NTP does. */
  shiftWall(ms: number): void;
  /** How many timers wait. */
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

/** Lets every promise that is ready to go on run to its next wait. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}
