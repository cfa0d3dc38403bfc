import type { RateGate } from "../../../src/platform/rate/gate.ts";
import type { RequestPriority } from "../../../src/platform/rate/line.ts";
import type { ManualClock } from "../kube/clock.ts";

export interface WindowPlatformOptions {
  readonly limit: number;
  readonly windowMs: number;
  /** Whether every answer has X-RateLimit-Limit, -Remaining and -Reset; otherwise only a 429 has -Reset. */
  readonly tells: boolean;
  readonly latencyMs?: number;
}

interface Passed {
  readonly at: number;
  readonly lane: string;
  readonly priority: RequestPriority;
}

/** A platform that counts requests in fixed windows, behind a gate: when it accepted and refused requests. */
export function windowPlatform(clock: ManualClock, gate: RateGate, options: WindowPlatformOptions) {
  const { limit, windowMs, tells, latencyMs = 40 } = options;
  const passed: Passed[] = [];
  const refused: number[] = [];
  let window = { endsAt: -Infinity, used: 0 };

  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));

  const arrive = () => {
    const now = clock.monotonic();
    if (window.endsAt <= now) window = { endsAt: now + windowMs, used: 0 };
    window = { ...window, used: window.used + 1 };
    const resetMs = Math.ceil((window.endsAt - now) / 1_000) * 1_000;
    return { isAllowed: window.used <= limit, resetMs, remaining: Math.max(0, limit - window.used) };
  };

  /** Sends one request, and repeats it after each 429. Resolves when it was accepted. */
  const send = async (priority: RequestPriority = "high", lane = ""): Promise<void> => {
    for (;;) {
      const waitMs = await gate.admit({ priority, lane });
      if (waitMs > 0) {
        await wait(waitMs);
        continue;
      }
      const sentAt = clock.monotonic();
      await wait(latencyMs / 2);
      const { isAllowed, resetMs, remaining } = arrive();
      await wait(latencyMs / 2);
      if (!isAllowed) refused.push(clock.monotonic());
      else passed.push({ at: clock.monotonic(), lane, priority });
      const quota = tells ? { limit, remaining, resetMs } : undefined;
      gate.ended({ sentAt, isAnswered: true, quota, ...(isAllowed ? {} : { pauseMs: Math.max(500, resetMs) }) });
      if (isAllowed) return;
    }
  };

  return { send, passed, refused };
}
