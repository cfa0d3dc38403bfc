import { expect, it } from "vitest";

import { manualClock } from "../../test/support/kube/clock.ts";
import { createTime } from "../base/time.ts";
import { createRate } from "./rate.ts";

const start = new Date("2026-01-01T00:00:00Z");

it("the rate budget counts each token separately, in windows of real time at any speed", async () => {
  const clock = manualClock(start);
  const rate = createRate(createTime(clock, 60));
  const budget = { limit: 2, windowSeconds: 10, reset: "seconds" } as const;
  const take = (who: string): boolean => rate.take(who, budget).allowed;
  expect(take("a")).toBe(true);
  expect(take("a")).toBe(true);
  expect(take("a")).toBe(false);
  expect(take("b")).toBe(true);
  await clock.advance(9_999);
  expect(take("a")).toBe(false);
  await clock.advance(1);
  expect(take("a")).toBe(true);
});

it.each([
  ["seconds", "7"],
  ["epoch", String(start.getTime() / 1000 + 10)],
  ["absent", undefined],
] as const)("the rate budget reports its reset as %s", async (reset, expected) => {
  const clock = manualClock(start);
  const rate = createRate(createTime(clock, 1));
  const budget = { limit: 3, windowSeconds: 10, reset };
  rate.take("a", budget);
  await clock.advance(3_000);
  expect(rate.take("a", budget).headers).toEqual({
    "X-RateLimit-Limit": "3",
    "X-RateLimit-Remaining": "1",
    ...(expected !== undefined && { "X-RateLimit-Reset": expected }),
  });
});
