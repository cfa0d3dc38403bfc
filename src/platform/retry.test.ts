import { describe, expect, it } from "vitest";

import { manualClock } from "../../test/support/clock.ts";
import { ApiError } from "./errors.ts";
import type { ApiFailure } from "./errors.ts";
import { withRetries } from "./retry.ts";

const failing = (failure: ApiFailure) => new ApiError("getProject", failure, 0, failure.is);

/** Runs attempts that end as listed; the last one is repeated. */
async function run(endings: readonly (ApiFailure | "ok")[], deadlineMs = 15_000, costMs = 0) {
  const clock = manualClock();
  const startedAt: number[] = [];
  const remaining: number[] = [];
  const outcome = withRetries(
    async (left) => {
      startedAt.push(clock.monotonic());
      remaining.push(left());
      const ending = endings[Math.min(startedAt.length, endings.length) - 1] ?? "ok";
      if (costMs > 0) await new Promise<void>((resolve) => void clock.after(costMs, resolve));
      if (ending !== "ok") throw failing(ending);
      return "value";
    },
    deadlineMs,
    clock,
    () => 0.5,
  ).catch((error: unknown) => (error as ApiError).failure.is);
  await clock.advance(60_000);
  return { outcome: await outcome, startedAt, remaining };
}

describe("withRetries", () => {
  it.each([{ is: "Server" }, { is: "Unreachable" }] as const)("repeats a read twice after $is", async (failure) => {
    expect(await run([failure, failure, "ok"])).toMatchObject({ outcome: "value", startedAt: [0, 200, 600] });
    expect(await run([failure])).toMatchObject({ outcome: failure.is, startedAt: [0, 200, 600] });
  });

  it.each([
    { is: "Unauthorized" },
    { is: "NotFound" },
    { is: "RateLimited", retryAfterMs: 1 },
    { is: "BadResponse" },
    { is: "Refused" },
  ] as const)("does not repeat after $is", async (failure) => {
    expect(await run([failure, "ok"])).toMatchObject({ outcome: failure.is, startedAt: [0] });
  });

  it("spends one deadline on all attempts together", async () => {
    const { remaining, outcome } = await run([{ is: "Server" }], 1000, 400);
    expect(outcome).toBe("Server");
    expect(remaining).toEqual([1000, 400]); // a third one would begin after the end
  });
});
