/** How many requests somebody may still make: a token bucket for each name. */
import type { Clock } from "../kube/api/types.ts";

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** How many names are remembered; the one that came longest ago makes room. */
const REMEMBERED = 1_000;

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** @returns a function that takes one request of `name` into account, and tells whether it is within the rate. */
export function createAllowance(clock: Clock, rate: Rate): (name: string) => boolean {
  const buckets = new Map<string, Bucket>();
  return (name) => {
    const now = clock.monotonic();
    const { tokens, at } = buckets.get(name) ?? { tokens: rate.burst, at: now };
    const left = Math.min(rate.burst, tokens + ((now - at) / 1_000) * rate.perSecond);
    const within = left >= 1;
    buckets.delete(name);
    buckets.set(name, { tokens: within ? left - 1 : left, at: now });
    const oldest = buckets.keys().next().value;
    if (buckets.size > REMEMBERED && oldest !== undefined) buckets.delete(oldest);
    return within;
  };
}
