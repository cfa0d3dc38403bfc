export interface BackoffOptions {
  /** The first delay, in milliseconds, before jitter. */
  readonly baseMs: number;
  /** The longest delay, in milliseconds, before jitter. */
  readonly capMs: number;
  /** A number from 0 (included) to 1 (excluded), as Math.random. */
  readonly random: () => number;
}

/**
 * @param attempt the number of failed attempts, from 0
 * @returns base · 2^attempt, at most the cap, minus up to a fifth at random, so that clients that failed together do
 * not return together
 */
export function backoffDelay(attempt: number, { baseMs, capMs, random }: BackoffOptions): number {
  const due = Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30));
  return due * (1 - random() / 5);
}

/** Counts failures in a row and returns how long to wait after each. */
export interface Backoff {
  next(): number;
  reset(): void;
}

/** @returns a backoff that starts at its first delay */
export function createBackoff(options: BackoffOptions): Backoff {
  let attempt = 0;
  return {
    next: () => {
      const delay = backoffDelay(attempt, options);
      attempt += 1;
      return delay;
    },
    reset: () => {
      attempt = 0;
    },
  };
}
