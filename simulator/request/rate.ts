import type { RateBudget } from "../base/settings.ts";
import type { Time } from "../base/time.ts";

/** The result of the budget for one call. */
export interface Allowance {
  readonly allowed: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts the calls of each token in fixed windows of real time. */
export interface Rate {
  /** Counts one call of `who` against the budget. */
  take(who: string, budget: RateBudget): Allowance;
}

/** @returns a counter without calls */
export function createRate(time: Time): Rate {
  const windows = new Map<string, { endsAt: number; used: number }>();
  return {
    take(who, budget) {
      const now = time.real();
      let window = windows.get(who);
      if (window === undefined || window.endsAt <= now) {
        window = { endsAt: now + budget.windowSeconds * 1000, used: 0 };
        windows.set(who, window);
      }
      window.used += 1;
      const secondsLeft = Math.ceil((window.endsAt - now) / 1000);
      return {
        allowed: window.used <= budget.limit,
        headers: {
          "X-RateLimit-Limit": String(budget.limit),
          "X-RateLimit-Remaining": String(Math.max(0, budget.limit - window.used)),
          ...resetHeader(budget.reset, secondsLeft, time.wall()),
        },
      };
    },
  };
}

function resetHeader(reset: RateBudget["reset"], seconds: number, now: Date): Record<string, string> {
  switch (reset) {
    case "seconds":
      return { "X-RateLimit-Reset": String(seconds) };
    case "epoch":
      return { "X-RateLimit-Reset": String(Math.ceil(now.getTime() / 1000) + seconds) };
    case "absent":
      return {};
    default:
      return reset satisfies never;
  }
}
