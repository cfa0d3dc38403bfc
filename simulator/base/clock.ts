import { setTimeout as startTimer } from "node:timers";

/** The simulator's clock, injected so that tests can set the time. */
export interface Clock {
  /** Wall-clock time, for dates in answers. */
  now(): Date;
  /** Milliseconds on a clock that never jumps. */
  monotonic(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

const longestTimer = 2 ** 31 - 1;

/** @returns the machine's own clock. Its timers do not keep the process alive. */
export function realClock(): Clock {
  return {
    now: () => new Date(),
    monotonic: () => Number(process.hrtime.bigint()) / 1e6,
    after(ms, run) {
      const timer = startTimer(run, Math.min(ms, longestTimer));
      timer.unref();
      return () => {
        clearTimeout(timer);
      };
    },
  };
}
