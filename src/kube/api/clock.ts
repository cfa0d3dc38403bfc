import type { Clock } from "./types.ts";

/** The longest delay of `setTimeout`: beyond it Node fires after 1 ms. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

/** @returns `ms` as a delay for a timer: a whole number from 0 to 2^31-1; NaN counts as 0 */
export function clampDelay(ms: number): number {
  return ms > 0 ? Math.min(Math.ceil(ms), MAX_DELAY_MS) : 0;
}

/** @returns the clock of production: the system's wall clock, and Node's monotonic clock for durations */
export function systemClock(): Clock {
  return {
    now: () => new Date(),
    // oxlint-disable-next-line no-restricted-globals -- this is the clock that is injected everywhere else
    monotonic: () => performance.now(),
    after: (ms, run) => {
      // oxlint-disable-next-line no-restricted-globals -- this is the clock that is injected everywhere else
      const timer = setTimeout(run, clampDelay(ms));
      return () => {
        clearTimeout(timer);
      };
    },
  };
}

/**
 * Waits for `ms` on `clock`. Resolves with true when the time has passed, with false at once when `signal` fires; it
 * never rejects.
 */
export function abortableSleep(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const stop = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener("abort", stop);
      resolve(true);
    });
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** A signal that fires after a deadline or with its parent. */
export type Deadline = ReturnType<typeof deadline>;

/**
 * @returns a deadline of `ms` on `clock`. AbortSignal.any is not used, as it keeps listeners on a parent that lives
 * long.
 */
export function deadline(clock: Clock, ms: number, parent?: AbortSignal) {
  const controller = new AbortController();
  let expired = false;
  const cancel = clock.after(ms, () => {
    expired = true;
    controller.abort();
  });
  const follow = (): void => {
    controller.abort();
  };
  if (parent?.aborted === true) follow();
  parent?.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    /** True once the time is over, false when the parent fired. */
    expired: () => expired,
    /** Stops the timer; the parent still counts. */
    hold: cancel,
    /** Must be called when the work has ended: releases the timer and the parent. */
    done: (): void => {
      cancel();
      parent?.removeEventListener("abort", follow);
    },
  };
}

/**
 * @returns the time as RFC 3339 with six fractional digits, as `MicroTime` fields require: the API server refuses the
 * three of `toISOString` with 400
 */
export function microTime(date: Date): string {
  return date.toISOString().replace("Z", "000Z");
}

export interface BackoffOptions {
  /** The first delay, in milliseconds, before jitter. */
  readonly baseMs: number;
  /** The longest delay, in milliseconds, before jitter. */
  readonly capMs: number;
  /** A number from 0 (included) to 1 (excluded), as Math.random. */
  readonly random: () => number;
}

/**
 * @param attempt the number of earlier failures, 0 for the first
 * @returns milliseconds: base · 2^attempt, at most the cap, minus up to a fifth at random, so that clients that failed
 * together do not retry together
 */
export function backoffDelay(attempt: number, { baseMs, capMs, random }: BackoffOptions): number {
  const due = Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30));
  return due * (1 - random() / 5);
}

/** Counts failures in a row and returns how long to wait after each. @returns a backoff at its first delay */
export function createBackoff(options: BackoffOptions) {
  let attempt = 0;
  return {
    next: (): number => {
      const delay = backoffDelay(attempt, options);
      attempt += 1;
      return delay;
    },
    reset: (): void => {
      attempt = 0;
    },
  };
}
