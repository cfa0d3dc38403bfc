import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anObject } from "../../../test/support/engine/objects.ts";
import { POLL_INTERVAL } from "../../api/names.ts";
import { alignToGroup, backoff, followInterval, jitter, parseDuration, pollInterval } from "./requeue.ts";
import { DEFAULT_WINDOWS } from "./windows.ts";

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe("parseDuration", () => {
  it.each([
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["1500ms", 1_500],
    ["10m", 600_000],
    ["0s", 0],
    ["1m1m", 120_000],
    ["007s", 7_000],
  ])("reads %s", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    ...["", "s", "10", "1.5h", "-5s", "+5s", "5 s", " 5s", "5s ", "1d", "5S", "1h 30m"],
    ...["1234567890s", "５s", "5s\n"],
  ])("refuses %j", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it("refuses a long text quickly", () => {
    expect(parseDuration(`${"1m".repeat(100_000)}x`)).toBeUndefined();
  });
});

describe("the poll interval", () => {
  const asked = (value: string, windows = DEFAULT_WINDOWS) =>
    pollInterval(anObject({ meta: { annotations: { [POLL_INTERVAL]: value } } }), windows);

  it.each([
    ["1h", 3_600_000, undefined],
    ["31s", 31_000, undefined],
    ["1ms", 30_000, undefined],
    ["0s", 30_000, undefined],
    ["soon", 600_000, "soon"],
    ["", 600_000, ""],
  ])("of the annotation %j is %i ms, and the invalid value is %s", (value, ms, invalid) => {
    expect(asked(value)).toEqual({ ms, invalid });
  });

  it("set by the connection has the same floor", () => {
    const set = ["1s", "31s"].map((value) => pollInterval(anObject(), DEFAULT_WINDOWS, value).ms);
    expect(set).toEqual([30_000, 31_000]);
  });

  it("is the default where nothing is set, and its floor scales with a scaled default", () => {
    expect(pollInterval(anObject(), DEFAULT_WINDOWS)).toEqual({ ms: 600_000, invalid: undefined });
    expect(asked("100ms", { ...DEFAULT_WINDOWS, pollMs: 500 }).ms).toBe(500);
  });
});

/** Where in an interval the reconciles of a group that begin at a time end up, in milliseconds. */
function spot(ms: number, group: string, start: number): number {
  let now = start;
  for (let look = 0; look < 7; look += 1) {
    const delay = alignToGroup(ms, group, now);
    expect(delay >= Math.floor(ms * 0.9) && delay <= Math.ceil(ms * 1.1)).toBe(true);
    now += delay;
  }
  return now % ms;
}

describe("delays", () => {
  it("of a poll stay within ten per cent", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 1e9 }), random, (ms, chance) => {
        const delay = jitter(ms, chance);
        expect(Number.isInteger(delay) && delay >= Math.floor(ms * 0.9) && delay <= Math.ceil(ms * 1.1)).toBe(true);
      }),
    );
  });

  it("of one group come to the same time, and stay within ten per cent on the way", () => {
    const clock = fc.integer({ min: 0, max: 1e12 });
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 1e8 }), fc.uuid(), clock, clock, (ms, group, one, other) => {
        const apart = Math.abs(spot(ms, group, one) - spot(ms, group, other));
        expect(Math.min(apart, ms - apart)).toBeLessThanOrEqual(2);
      }),
    );
  });

  it("of groups are spread over the interval", () => {
    const ids = fc.sample(fc.uuid(), { numRuns: 500, seed: 1 });
    const tenths = new Set(ids.map((id) => Math.floor(spot(600_000, id, 0) / 60_000)));
    expect(tenths.size).toBe(10);
  });

  it("of a followed object grow from 2 s to 30 s and stay there", () => {
    const delays = Array.from({ length: 12 }, (_, waits) => followInterval(waits, DEFAULT_WINDOWS));
    expect(delays.slice(0, 3)).toEqual([2_000, 3_000, 4_500]);
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect(followInterval(1e9, DEFAULT_WINDOWS)).toBe(30_000);
  });

  it("after failures grow from 1 s to 5 min, half of it random", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), random, (failures, chance) => {
        const ceiling = Math.min(300_000, 1_000 * 2 ** Math.min(failures - 1, 30));
        const delay = backoff(failures, DEFAULT_WINDOWS, chance);
        expect(delay >= ceiling / 2 && delay <= ceiling).toBe(true);
      }),
    );
    expect(backoff(0, DEFAULT_WINDOWS, 0)).toBeGreaterThan(0);
  });
});
