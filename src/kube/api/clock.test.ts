import { describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { abortableSleep, clampDelay, deadline, MAX_DELAY_MS, microTime, systemClock } from "./clock.ts";

it.each([
  [0, 0],
  [-5, 0],
  [Number.NaN, 0],
  [0.2, 1],
  [3e9, MAX_DELAY_MS],
  [Number.POSITIVE_INFINITY, MAX_DELAY_MS],
])("[D2] clampDelay keeps a delay of %d within what a timer supports", (ms, wanted) => {
  expect(clampDelay(ms)).toBe(wanted);
});

it("[D2] the system's clock runs what is due, and neither what is canceled nor what is due in 34 days", async () => {
  const clock = systemClock();
  const ran: string[] = [];
  const cancels = [clock.after(3e9, () => ran.push("far")), clock.after(1, () => ran.push("canceled"))];
  cancels[1]?.();
  await new Promise<void>((resolve) => {
    clock.after(5, resolve);
  });
  cancels[0]?.();
  expect(ran).toEqual([]);
});

it("abortableSleep says whether the time passed or the signal was aborted, and leaves no timer", async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const whole = abortableSleep(clock, 10, stop.signal);
  await clock.advance(10);
  expect(await whole).toBe(true);
  const cut = abortableSleep(clock, 10, stop.signal);
  stop.abort();
  expect(await cut).toBe(false);
  expect(await abortableSleep(clock, 10, stop.signal)).toBe(false);
  expect(clock.pending()).toBe(0);
});

describe("deadline", () => {
  it("aborts when the time is over", async () => {
    const clock = manualClock();
    const limit = deadline(clock, 10);
    await clock.advance(10);
    expect(limit.signal.aborted).toBe(true);
    expect(limit.expired()).toBe(true);
  });

  it("aborts with its parent, also if the parent was aborted before", () => {
    const parent = new AbortController();
    const before = deadline(manualClock(), 10, parent.signal);
    parent.abort();
    const after = deadline(manualClock(), 10, parent.signal);
    for (const limit of [before, after]) {
      expect(limit.signal.aborted).toBe(true);
      expect(limit.expired()).toBe(false);
    }
  });

  it("keeps its parent but not the time when held, and neither when done", async () => {
    const clock = manualClock();
    const parent = new AbortController();
    const [held, done] = [deadline(clock, 10, parent.signal), deadline(clock, 10, parent.signal)];
    held.hold();
    done.done();
    await clock.advance(100);
    parent.abort();
    expect(held.signal.aborted).toBe(true);
    expect(done.signal.aborted).toBe(false);
  });
});

it("[D4] microTime has six fractional digits", () => {
  expect(microTime(new Date("2026-11-21T10:00:00.12Z"))).toBe("2026-11-21T10:00:00.120000Z");
});
