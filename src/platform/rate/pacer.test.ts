import { describe, expect, it } from "vitest";

import { createPacer, parseDate, pauseMs, quotaOf } from "./pacer.ts";

const NOW = new Date("2026-11-21T10:00:00Z");
const EPOCH = NOW.getTime() / 1000;

/** The headers of an answer; all others are absent. */
function headers(
  of: Readonly<Partial<Record<"limit" | "remaining" | "reset" | "retryAfter" | "date", string | undefined>>>,
) {
  const { retryAfter, date, ...rest } = of;
  const limits = Object.entries(rest).map(([name, value]) => [`x-ratelimit-${name}`, value] as const);
  const all = new Map<string, string | undefined>([...limits, ["retry-after", retryAfter], ["date", date]]);
  return (name: string): string | undefined => all.get(name);
}

describe("[C1] pauseMs", () => {
  const unreadable = ["-1", "abc", "", "1e400", "0x10", "Infinity", "5, 6", undefined];

  it.each<[string | undefined, number]>([
    ["5", 5000],
    [" 5 ", 5000],
    ["1.5", 1500],
    ["1.25", 1250],
    ["0", 500],
    ["899", 899_000],
    ["901", 901_000],
    ["3600", 3_600_000],
    ["3601", 3_600_000],
    ["1000000000", 3_600_000],
    [String(EPOCH + 30), 30_000],
    [String(EPOCH - 30), 500],
    ["9".repeat(400), 3_600_000],
    ...unreadable.map((reset): [string | undefined, number] => [reset, 60_000]),
  ])("reads X-RateLimit-Reset %j as %d ms", (reset, expected) => {
    expect(pauseMs(headers({ reset }), NOW)).toBe(expected);
  });

  it("compares a point in time with the platform's clock, if the answer has it", () => {
    const date = "Sat, 21 Nov 2026 10:05:00 GMT";
    expect(pauseMs(headers({ reset: String(EPOCH + 310), date }), NOW)).toBe(10_000);
    expect(pauseMs(headers({ reset: String(EPOCH + 310), date: "garbage" }), NOW)).toBe(310_000);
  });

  it.each([
    ["7", 7000],
    ["Sat, 21 Nov 2026 10:00:20 GMT", 20_000],
    ["Sat, 21 Nov 2020 10:00:20 GMT", 500],
    ["soon", 60_000],
    ["-7", 60_000],
  ])("reads Retry-After %j as %d ms", (retryAfter, expected) => {
    expect(pauseMs(headers({ retryAfter }), NOW)).toBe(expected);
  });

  it("prefers X-RateLimit-Reset, unless it cannot be read", () => {
    expect(pauseMs(headers({ reset: "5", retryAfter: "7" }), NOW)).toBe(5000);
    expect(pauseMs(headers({ reset: "x", retryAfter: "7" }), NOW)).toBe(7000);
  });
});

it.each([
  ["20", "7", "3", 3_000],
  ["20", "7", String(EPOCH + 30), 30_000],
  ["20", "0", "3", 3_000],
  ["20", "20", "0", 0],
  ["1", "1", "3600", 3_600_000],
] as const)(
  "quotaOf returns limit %s, remaining %s and reset %s with %d ms until the reset",
  (limit, remaining, reset, resetMs) => {
    const expected = { limit: Number(limit), remaining: Number(remaining), resetMs };
    expect(quotaOf(headers({ limit, remaining, reset }), NOW)).toEqual(expected);
  },
);

const valid = { limit: "20", remaining: "7", reset: "3", date: undefined };
const impossible = [{ remaining: "21" }, { remaining: "-1" }, { limit: "0", remaining: "0" }, { limit: undefined }];
const unreadable = [{ limit: "9".repeat(400) }, { reset: undefined }, { reset: "86400" }, { reset: "soon" }];
it.each([...impossible, ...unreadable, { reset: String(EPOCH - 30) }])("quotaOf returns nothing for %j", (change) => {
  expect(quotaOf(headers({ ...valid, ...change }), NOW)).toBeUndefined();
});

it.each(["2026", "-1", "", undefined, "yesterday"])("parseDate returns nothing for %j", (raw) => {
  expect(parseDate(raw)).toBeUndefined();
});

/** A pacer on a clock of its own. */
function pacerAt(requestsPerSecond?: number) {
  let now = 0;
  const pacer = createPacer(
    () => now,
    () => ({ requestsPerSecond }),
  );
  const wait = (ms: number): void => {
    now += ms;
  };
  /** Sends requests that are accepted, within a second. @returns the rate after it */
  const second = (requests: number): number => {
    for (let sent = 0; sent < requests; sent += 1) {
      pacer.take();
      pacer.recordAccepted(undefined);
    }
    wait(1_000);
    pacer.untilNext("low");
    return pacer.rate();
  };
  return { pacer, wait, second };
}

describe("the rate of the pacer", () => {
  it.each([
    ["doubles once four fifths of it were used", 8, 20],
    ["stays where less was used", 7, 10],
  ])("%s", (_, requests, rate) => {
    expect(pacerAt().second(requests)).toBe(rate);
  });

  it("grows slowly for 60 steps after a 429, and quickly then, until the next 429", () => {
    const { pacer, second } = pacerAt();
    const refuse = (): void => {
      pacer.recordRefused(1_000);
      pacer.resume();
    };
    const growth = (): number => {
      const before = pacer.rate();
      return second(Math.ceil(before)) / before;
    };
    refuse();
    const steps = Array.from({ length: 61 }, growth);
    expect(steps[59]).toBeCloseTo(1.003, 6);
    expect(steps[60]).toBeCloseTo(1.05, 6);
    refuse();
    expect(growth()).toBeCloseTo(1.003, 6);
  });

  it("leaves no request for the time of a pause", () => {
    const { pacer, wait } = pacerAt();
    wait(60_000);
    pacer.resume();
    expect(pacer.untilNext("urgent")).toBe(100);
  });
});

it.each([
  ["half of it", 50, 0],
  ["less than half of it", 49, 205],
])("a routine check waits for the rest of a long window where %s is left", (_, remaining, untilNext) => {
  const { pacer, wait } = pacerAt();
  pacer.take();
  pacer.recordAccepted({ limit: 100, remaining, resetMs: 60_000 });
  wait(1_000);
  expect(pacer.untilNext("low")).toBe(untilNext);
});
