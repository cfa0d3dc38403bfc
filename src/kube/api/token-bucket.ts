import type { Clock } from "./types.ts";

export interface TokenBucketOptions {
  /** The time after which a taken token is there again, in milliseconds. */
  readonly refillMs: number;
  /** The number of tokens in a full bucket. */
  readonly burst: number;
}

export type TokenBucket = ReturnType<typeof createTokenBucket>;

/** @returns a full token bucket: a limit of a rate that lets a burst through, as `Limiter` of golang.org/x/time/rate */
export function createTokenBucket(clock: Clock, { refillMs, burst }: TokenBucketOptions) {
  // The generic cell rate algorithm: the time at which the bucket is full again.
  let fullAt = clock.monotonic();
  const fullAfterOne = (now: number): number => Math.max(now, fullAt) + refillMs;
  return {
    /** Takes a token if there is one. @returns whether there was one */
    allow: (): boolean => {
      const now = clock.monotonic();
      const next = fullAfterOne(now);
      if (next - now > burst * refillMs) return false;
      fullAt = next;
      return true;
    },
    /** Takes a token, also one of the future. @returns the milliseconds until it is there */
    reserve: (): number => {
      const now = clock.monotonic();
      fullAt = fullAfterOne(now);
      return Math.max(0, fullAt - now - burst * refillMs);
    },
  };
}
