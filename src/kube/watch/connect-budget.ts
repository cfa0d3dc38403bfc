import type { Clock } from "../api/types.ts";

/** With a burst of 8 and one more every 6 s there are at most 18 connects in any minute (B6: 20). */
const BURST = 8;
const REFILL_MS = 6_000;

/** Bounds how often something is done; short of that bound it costs no time. */
export interface ConnectBudget {
  /** Takes one. @returns how long to wait before using it, in milliseconds. */
  take(): number;
}

/** @returns a full budget. */
export function createBudget(clock: Clock): ConnectBudget {
  // The generic cell rate algorithm: the time at which the budget would be full again.
  let fullAt = clock.monotonic();
  return {
    take: () => {
      const now = clock.monotonic();
      fullAt = Math.max(now, fullAt) + REFILL_MS;
      return Math.max(0, fullAt - now - BURST * REFILL_MS);
    },
  };
}
