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
])("[D2] clampDelay makes a delay that a timer keeps of %d", (ms, wanted) => {
  expect(clampDelay(ms)).toBe(wanted);
});

it("[D2] the system's clock runs what is due, and not what is canceled or 34 days away", async () => {
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

it("abortableSleep tells whether the time passed or the signal fired, and leaves no timer", async () => {
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
  it("fires when the time is over", async () => {
    const clock = manualClock();
    const limit = deadline(clock, 10);
    await clock.advance(10);
    expect([limit.signal.aborted, limit.expired()]).toEqual([true, true]);
  });

  it("fires with its parent, also with one that has fired", () => {
    const parent = new AbortController();
    const before = deadline(manualClock(), 10, parent.signal);
    parent.abort();
    const after = deadline(manualClock(), 10, parent.signal);
    for (const limit of [before, after]) expect([limit.signal.aborted, limit.expired()]).toEqual([true, false]);
  });

  it("stops the time but not the parent when held, and both when done", async () => {
    const clock = manualClock();
    const parent = new AbortController();
    const [held, done] = [deadline(clock, 10, parent.signal), deadline(clock, 10, parent.signal)];
    held.hold();
    done.done();
    await clock.advance(100);
    parent.abort();
    expect([held.signal.aborted, done.signal.aborted]).toEqual([true, false]);
  });
});

it("[D4] microTime has six fractional digits (D4, K15)", () => {
  expect(microTime(new Date("2026-11-21T10:00:00.12Z"))).toBe("2026-11-21T10:00:00.120000Z");
});
