import { expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { createTokenBucket } from "./token-bucket.ts";

function full() {
  const clock = manualClock();
  const bucket = createTokenBucket(clock, { refillMs: 1_000, burst: 3 });
  return { clock, bucket };
}

it("a token bucket allows a burst, and then one for each refill", async () => {
  const { clock, bucket } = full();
  const allowed = (): number => Array.from({ length: 5 }, () => bucket.allow()).filter(Boolean).length;
  expect(allowed()).toBe(3);
  await clock.advance(999);
  expect(allowed()).toBe(0);
  await clock.advance(1);
  expect(allowed()).toBe(1);
  await clock.advance(2_000);
  expect(allowed()).toBe(2);
});

it("a token bucket holds no more than its burst, however long nobody takes from it", async () => {
  const { clock, bucket } = full();
  await clock.advance(1_000_000);
  expect(Array.from({ length: 5 }, () => bucket.allow())).toEqual([true, true, true, false, false]);
});

it("a reserved token is available after its refill, and each further one after another refill", async () => {
  const { clock, bucket } = full();
  expect(Array.from({ length: 5 }, () => bucket.reserve())).toEqual([0, 0, 0, 1_000, 2_000]);
  await clock.advance(1_500);
  expect(bucket.reserve()).toBe(1_500);
  expect(bucket.allow()).toBe(false);
});
