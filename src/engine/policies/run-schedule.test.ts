import { describe, expect, it } from "vitest";

import type { RecurringWindow } from "./policy.ts";
import { invalidSchedule, runScheduleAt } from "./run-schedule.ts";

const HOUR = 3_600_000;
const BERLIN = { timeZone: "Europe/Berlin" };
const berlin = (schedule: string, hours: number): RecurringWindow => ({ ...BERLIN, schedule, duration: hours * HOUR });
const nights = [berlin("0 20 * * 1-5", 11)];
const weekend = [...nights, berlin("0 7 * * 6", 48)];
const overlapping = [...nights, berlin("0 22 * * *", 12)];
const noDay = [berlin("0 0 30 2 *", 1)];
const leapDay = [berlin("0 0 29 2 *", 1)];

/** What the schedule says at a moment: until when it is stopped, and when it is stopped next. */
function said(windows: readonly RecurringWindow[], now: string, runUntil?: string) {
  const until = runUntil === undefined ? undefined : new Date(runUntil);
  const { stopUntil, nextStop } = runScheduleAt(windows, until, new Date(now)) ?? {};
  return [stopUntil, nextStop].map((time) => time && `${time.toISOString().slice(0, 16)}Z`);
}

describe("a run schedule", () => {
  it("is undefined where the spec has none", () => {
    expect(runScheduleAt(undefined, undefined, new Date("2026-11-25T12:00:00Z"))).toBeUndefined();
  });

  it.each<[what: string, now: string, stopUntil: string | undefined, nextStop: string | undefined]>([
    ["runs until its window opens", "2026-11-25T18:59:59Z", undefined, "2026-11-25T19:00Z"],
    ["is stopped from its opening on", "2026-11-25T19:00:00Z", "2026-11-26T06:00Z", "2026-11-26T19:00Z"],
    ["is stopped to its end", "2026-11-26T05:59:59Z", "2026-11-26T06:00Z", "2026-11-26T19:00Z"],
    ["runs from its end on", "2026-11-26T06:00:00Z", undefined, "2026-11-26T19:00Z"],
    ["counts in its time zone, in summer", "2026-07-01T17:59:00Z", undefined, "2026-07-01T18:00Z"],
    // 20:00 in summer time, and eleven hours later it is 06:00 in winter time.
    ["lasts as long when the clocks change", "2026-10-23T18:00:00Z", "2026-10-24T05:00Z", "2026-10-26T19:00Z"],
    ["runs over the weekend", "2026-11-28T12:00:00Z", undefined, "2026-11-30T19:00Z"],
  ])("%s", (_, now, ...expected) => {
    expect(said(nights, now)).toEqual(expected);
  });

  it.each<[what: string, windows: readonly RecurringWindow[], now: string, ...said: (string | undefined)[]]>([
    ["joins adjacent windows", weekend, "2026-11-27T20:00:00Z", "2026-11-30T06:00Z", "2026-11-30T19:00Z"],
    ["joins windows that overlap", overlapping, "2026-11-25T20:00:00Z", "2026-11-26T09:00Z", "2026-11-26T19:00Z"],
    ["never opens on a day that does not exist", noDay, "2026-11-25T12:00:00Z", undefined, undefined],
    ["finds a leap day after the longest gap", leapDay, "2096-03-01T00:00:00Z", undefined, "2104-02-28T23:00Z"],
  ])("%s", (_, windows, now, ...expected) => {
    expect(said(windows, now)).toEqual(expected);
  });

  it("ends some time ahead where its windows follow each other without end", () => {
    const [stopUntil] = said([berlin("0 0 * * *", 24)], "2026-11-25T12:00:00Z");
    expect(stopUntil).toMatch(/^2027-01/);
  });

  it.each<[what: string, now: string, runUntil: string, nextStop: string]>([
    ["inside of a window", "2026-11-25T20:00:00Z", "2026-11-25T22:30:00Z", "2026-11-25T22:30Z"],
    ["to behind the end of a window", "2026-11-25T20:00:00Z", "2026-11-26T08:00:00Z", "2026-11-26T19:00Z"],
    ["from before a window", "2026-11-25T18:00:00Z", "2026-11-25T22:30:00Z", "2026-11-25T22:30Z"],
  ])("stops nothing while a user keeps it running %s", (_, now, runUntil, nextStop) => {
    expect(said(nights, now, runUntil)).toEqual([undefined, nextStop]);
  });

  it("counts again once the user's time is over", () => {
    const now = "2026-11-25T22:30:00Z";
    expect(said(nights, now, now)).toEqual(["2026-11-26T06:00Z", "2026-11-26T19:00Z"]);
  });

  it.each([
    ["that opens every minute for a year", "* * * * *", true],
    ["that names each minute", `${Array.from({ length: 48 }, (_, minute) => minute).join(",")} * * * *`, true],
    ["that never comes", "0 0 30 2 *", false],
  ])("can have many windows %s", (_, schedule, isOpen) => {
    const windows = Array.from({ length: 16 }, () => berlin(schedule, 12_000));
    expect(invalidSchedule(windows, new Date("2026-11-20T23:00:00Z"))).toBeUndefined();
    const [stopUntil] = said(windows, "2026-11-20T23:00:00Z");
    expect(stopUntil !== undefined).toBe(isOpen);
  });

  it.each<[what: string, window: Partial<RecurringWindow>]>([
    ["a schedule with a wrong field", { schedule: "0 25 * * *" }],
    ["a schedule of words", { schedule: "every night at ten ok" }],
    ["a time zone that does not exist", { timeZone: "Europe/Atlantis" }],
    ["a schedule with seconds", { schedule: "0 0 22 * * 1-5" }],
    ["a schedule of four fields", { schedule: "0 22 * *" }],
    ["no duration", { duration: 0 }],
  ])("is refused with %s", (_, change) => {
    const why = invalidSchedule(
      [...nights, { ...berlin("0 22 * * 1-5", 8), ...change }],
      new Date("2026-11-20T23:00:00Z"),
    );
    expect(why).toMatchObject({ reason: "InvalidSpec", message: expect.stringContaining("spec.runSchedule[1]") });
  });
});
