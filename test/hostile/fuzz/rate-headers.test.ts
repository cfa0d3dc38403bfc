/** Any rate headers of a platform: the pause stays within its bounds. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { systemClock } from "../../../src/kube/api/clock.ts";
import { createGate } from "../../../src/platform/rate/gate.ts";
import { pauseMs, quotaOf } from "../../../src/platform/rate/pacer.ts";
import { effort } from "../../support/env/effort.ts";
import { anyText } from "../../support/hostile/values.ts";
import { figure } from "../../support/platform/figure.ts";

const options = { seed: effort.seed, numRuns: effort.cases(2_000, 100_000) };
const HOUR_MS = 3_600_000;

const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt().map(String),
  fc.double().map(String),
  fc.constantFrom("0", "-1", "1e400", "1e9", "NaN", "Infinity", "0x10", "٣", "1_000", "5, 6"),
  fc.constantFrom("9".repeat(400), "1.".padEnd(400, "3")),
);
const date = fc.oneof(
  fc.date({ noInvalidDate: true }).map((day) => day.toUTCString()),
  fc.constantFrom("Thu, 01 Jan 1970 00:00:00 GMT", "Sat, 21 Nov +275760 10:00:00 GMT", "Invalid Date", "Z"),
  fc.constant("a".repeat(1_000)),
);
const header = fc.option(fc.oneof(number, date, anyText()), { nil: undefined });
const answering = (headers: Readonly<Record<string, string | undefined>>) => (name: string) => headers[name];
const now = fc.oneof(fc.date({ noInvalidDate: true }), fc.constantFrom(new Date(0), new Date("2038-01-19T03:14:08Z")));

describe("[C1] the headers of a 429, whatever they contain,", { timeout: effort.cases(30_000, 3_600_000) }, () => {
  it("cause a pause between half a second and an hour at any time of the clock", ({ task }) => {
    fc.assert(
      fc.property(header, header, header, now, (reset, retryAfter, day, at) => {
        const ms = pauseMs(answering({ "x-ratelimit-reset": reset, "retry-after": retryAfter, date: day }), at);
        expect(ms).toBeGreaterThanOrEqual(500);
        expect(ms).toBeLessThanOrEqual(HOUR_MS);
      }),
      options,
    );
    figure(task, "every pause within an hour", options.numRuns);
  });

  it("give a quota that is possible, or none", ({ task }) => {
    fc.assert(
      fc.property(header, header, header, header, now, (limit, remaining, reset, date, at) => {
        const limits = { "x-ratelimit-limit": limit, "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset };
        const quota = quotaOf(answering({ ...limits, date }), at);
        if (quota === undefined) return;
        expect(quota.limit).toBeGreaterThanOrEqual(1);
        expect(quota.remaining).toBeLessThanOrEqual(quota.limit);
        expect(quota.resetMs).toBeGreaterThanOrEqual(0);
        expect(quota.resetMs).toBeLessThanOrEqual(HOUR_MS);
      }),
      options,
    );
    figure(task, "every quota possible", options.numRuns);
  });

  it("[D2] close the rate gate for at most an hour, and then it opens again", ({ task }) => {
    const clock = { ...systemClock(), at: 0, monotonic: () => clock.at, after: () => () => {} };
    fc.assert(
      fc.property(header, header, now, (reset, retryAfter, at) => {
        const gate = createGate({ clock, random: () => 0.999, ceiling: () => ({}) });
        const requested = pauseMs(answering({ "x-ratelimit-reset": reset, "retry-after": retryAfter }), at);
        gate.recordEnd({ sentAt: clock.at, isAnswered: true, pauseMs: requested });
        const { pausedMs } = gate.budget();
        expect(pausedMs).toBeGreaterThan(0);
        expect(pausedMs).toBeLessThanOrEqual(HOUR_MS + 500);
        clock.at += HOUR_MS + 500;
        expect(gate.budget().pausedMs).toBe(0);
      }),
      options,
    );
    figure(task, "0 gates stay closed", options.numRuns);
  });
});
