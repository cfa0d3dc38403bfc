import { describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { ApiError, type ApiFailure } from "../transport/errors.ts";
import { createRetry } from "./retry.ts";

const failing = (failure: ApiFailure) => {
  const status = failure.is === "Server" ? 503 : failure.is === "NotFound" ? 404 : 0;
  return new ApiError("getProject", failure, status, failure.is);
};

type Endings = readonly (ApiFailure | "ok")[];

/** Runs reads one after the other, whose attempts end as listed; the last ending of each is repeated. */
async function run(reads: readonly Endings[], deadlineMs = 15_000, costMs = 0) {
  const clock = manualClock();
  const retry = createRetry(clock, () => 0.5);
  const results = [];
  for (const endings of reads) {
    const startedAt: number[] = [];
    const remaining: number[] = [];
    const outcome = retry(async (left) => {
      startedAt.push(clock.monotonic());
      remaining.push(left());
      const ending = endings[startedAt.length - 1] ?? endings.at(-1) ?? "ok";
      if (costMs > 0) await new Promise<void>((resolve) => void clock.after(costMs, resolve));
      if (ending !== "ok") throw failing(ending);
      return "value";
    }, deadlineMs).catch((error: unknown) => (error as ApiError).failure.is);
    await clock.advance(60_000);
    results.push({ outcome: await outcome, startedAt, remaining });
  }
  return results;
}

/** @returns the number of attempts of each read */
const attempts = async (...reads: readonly Endings[]) => (await run(reads)).map(({ startedAt }) => startedAt.length);

describe("the repetition of reads", () => {
  it.each([{ is: "Server" }, { is: "Unreachable" }] as const)("sends a read three times after $is", async (failure) => {
    expect(await run([[failure, failure, "ok"]])).toMatchObject([{ outcome: "value", startedAt: [0, 200, 600] }]);
    expect(await run([[failure]])).toMatchObject([{ outcome: failure.is, startedAt: [0, 200, 600] }]);
  });

  it("uses one deadline for all attempts together", async () => {
    // A third one would begin after the end.
    expect(await run([[{ is: "Server" }]], 1000, 400)).toMatchObject([{ outcome: "Server", remaining: [1000, 400] }]);
  });

  it("[C2] sends each read only once while the platform is down, until a request succeeds", async () => {
    const down = [{ is: "Server" }, { is: "Unreachable" }, { is: "Server" }] as const;
    expect(await attempts(down, down, down, ["ok"], down, down)).toEqual([3, 1, 1, 1, 3, 1]);
    expect(await attempts(down, [{ is: "NotFound" }], down)).toEqual([3, 1, 3]);
    expect(await attempts(down, [{ is: "OverBudget", retryAfterMs: 1 }], down)).toEqual([3, 1, 1]);
  });
});
