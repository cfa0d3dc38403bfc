import { setImmediate } from "node:timers/promises";

import type { Clock } from "../../../src/kube/api/types.ts";

export type ManualClock = ReturnType<typeof manualClock>;

/** Returns a clock that advances only when a test moves it; its wall time starts at `start`. */
export function manualClock(start = new Date("2026-11-21T10:00:00Z")) {
  let elapsed = 0;
  let shift = 0;
  const timers = new Map<{ readonly run: () => void }, number>();

  const runNext = (limit: number): boolean => {
    const [timer, at = 0] = earliest(timers, limit) ?? [];
    if (timer === undefined) return false;
    timers.delete(timer);
    elapsed = Math.max(elapsed, at);
    timer.run();
    return true;
  };

  const clock: Clock = {
    now: () => new Date(start.getTime() + shift + elapsed),
    monotonic: () => elapsed,
    after: (ms, run) => {
      const timer = { run };
      timers.set(timer, elapsed + Math.max(0, Math.min(ms, 2 ** 31 - 1)));
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

/** @returns the first of the entries with the earliest time; undefined if none is due at the limit */
export function earliest<Key>(times: ReadonlyMap<Key, number>, limit: number): readonly [Key, at: number] | undefined {
  let first: readonly [Key, number] | undefined;
  for (const entry of times) if (entry[1] <= limit && entry[1] < (first?.[1] ?? Infinity)) first = entry;
  return first;
}

export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}
