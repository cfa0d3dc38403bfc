import { describe, expect, it } from "vitest";

import { invalidWindows, windowState } from "./change-window.ts";
import type { RecurringWindow } from "./policy.ts";

const FIELD = "spec.lifecycle.syncWindows.windows";
const HOUR = 3_600_000;
const nightly = { schedule: "0 22 * * 1-5", duration: 8 * HOUR, timeZone: "UTC" };
const at = (text: string): Date => new Date(text);
const NOW = at("2026-11-20T12:00:00Z");

describe("a change window", () => {
  it.each<[kind: "Allow" | "Deny", now: string, until: string | undefined]>([
    ["Allow", "2026-11-20T21:59:59Z", "2026-11-20T22:00:00.000Z"],
    ["Allow", "2026-11-20T22:00:00Z", undefined],
    ["Allow", "2026-11-21T05:59:59Z", undefined],
    ["Allow", "2026-11-21T06:00:00Z", "2026-11-23T22:00:00.000Z"],
    ["Deny", "2026-11-20T21:59:59Z", undefined],
    ["Deny", "2026-11-20T22:00:00Z", "2026-11-21T06:00:00.000Z"],
    ["Deny", "2026-11-21T06:00:00Z", undefined],
  ])("%s at %s is closed until %s", (kind, now, until) => {
    const state = windowState({ kind, windows: [nightly] }, at(now));
    expect(state.is === "open" ? undefined : state.until?.toISOString()).toBe(until);
  });

  it("is always open when there is none", () => {
    expect(windowState(undefined, at("2026-11-20T12:00:00Z"))).toEqual({ is: "open" });
  });

  it("counts in its own time zone, over the change to summer time", () => {
    const windows = [{ schedule: "0 8 * * *", duration: HOUR, timeZone: "Europe/Berlin" }];
    const until = (now: string) => {
      const state = windowState({ kind: "Allow", windows }, at(now));
      return state.is === "open" ? "open" : state.until?.toISOString();
    };
    expect(until("2026-03-28T06:00:00Z")).toBe("2026-03-28T07:00:00.000Z");
    expect(until("2026-03-29T05:00:00Z")).toBe("2026-03-29T06:00:00.000Z");
    expect(until("2026-03-29T06:30:00Z")).toBe("open");
  });

  it("waits for the last of the windows that overlap", () => {
    const windows = [nightly, { schedule: "0 5 * * *", duration: 3 * HOUR, timeZone: "UTC" }];
    expect(windowState({ kind: "Deny", windows }, at("2026-11-21T05:30:00Z"))).toEqual({
      is: "closed",
      until: at("2026-11-21T08:00:00Z"),
    });
  });

  it("stays closed over windows that follow each other without a gap", () => {
    const windows = [{ schedule: "0 0 * * *", duration: 24 * HOUR, timeZone: "UTC" }];
    for (const now of ["2026-11-20T23:00:00Z", "2026-11-21T00:00:00Z", "2026-11-21T12:00:00Z"]) {
      expect(windowState({ kind: "Deny", windows }, at(now)).is).toBe("closed");
    }
  });

  it("finds a leap day over the longest gap between two of them", () => {
    const windows = [{ schedule: "0 0 29 2 *", duration: HOUR, timeZone: "UTC" }];
    expect(windowState({ kind: "Allow", windows }, at("2096-03-01T00:00:00Z"))).toEqual({
      is: "closed",
      until: at("2104-02-29T00:00:00Z"),
    });
  });

  it.each([
    ["that opens every minute for a year", "* * * * *"],
    ["that names each minute", `${Array.from({ length: 48 }, (_, minute) => minute).join(",")} * * * *`],
    ["that never comes", "0 0 30 2 *"],
  ])("costs its neighbours nothing, if there are many of one %s", (_, schedule) => {
    const window = { schedule, duration: 12_000 * HOUR, timeZone: "Europe/Berlin" };
    const windows = Array.from({ length: 16 }, () => window);
    for (const kind of ["Allow", "Deny"] as const) {
      expect(invalidWindows(FIELD, windows, at("2026-11-20T23:00:00Z"))).toBeUndefined();
      const isInside = !schedule.startsWith("0 0 30");
      const state = windowState({ kind, windows }, at("2026-11-20T23:00:00Z"));
      expect(state.is === "open").toBe(isInside === (kind === "Allow"));
    }
  });

  it("never opens on a day that does not exist", () => {
    const windows = [{ schedule: "0 0 30 2 *", duration: HOUR, timeZone: "UTC" }];
    expect(windowState({ kind: "Allow", windows }, at("2026-11-20T23:00:00Z"))).toEqual({
      is: "closed",
      until: undefined,
    });
  });

  it.each<[what: string, window: RecurringWindow]>([
    ["a schedule with a wrong field", { ...nightly, schedule: "0 25 * * *" }],
    ["a schedule of words", { ...nightly, schedule: "every night at ten ok" }],
    ["a time zone that does not exist", { ...nightly, timeZone: "Europe/Atlantis" }],
    ["a schedule with seconds", { ...nightly, schedule: "0 0 22 * * 1-5" }],
    ["a schedule of four fields", { ...nightly, schedule: "0 22 * *" }],
    ["no duration", { ...nightly, duration: 0 }],
  ])("refuses %s", (_, window) => {
    expect(invalidWindows(FIELD, [nightly, window], NOW)).toMatchObject({
      reason: "InvalidSpec",
      message: expect.stringContaining("spec.lifecycle.syncWindows.windows[1]"),
    });
  });

  it("accepts valid windows", () => {
    expect(invalidWindows(FIELD, [nightly], NOW)).toBeUndefined();
    expect(invalidWindows(FIELD, undefined, NOW)).toBeUndefined();
  });
});
