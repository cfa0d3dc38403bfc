import { describe, expect, it } from "vitest";

import { invalidWindows, windowState } from "./change-window.ts";
import type { RecurringWindow } from "./policy.ts";

const FIELD = "spec.lifecycle.syncWindows.windows";
const HOUR = 3_600_000;
const nightly = { schedule: "0 22 * * 1-5", duration: 8 * HOUR, timeZone: "UTC" };
const at = (text: string): Date => new Date(text);
const NOW = at("2026-11-20T23:00:00Z");

/** @returns "open", "never", or until when it is closed */
function closedUntil(kind: "Allow" | "Deny", windows: RecurringWindow[], now: string): string {
  const state = windowState({ kind, windows }, at(now));
  return state.is === "open" ? "open" : (state.until?.toISOString() ?? "never");
}

describe("a change window", () => {
  it.each<[kind: "Allow" | "Deny", now: string, until: string]>([
    ["Allow", "2026-11-20T21:59:59Z", "2026-11-20T22:00:00.000Z"],
    ["Allow", "2026-11-20T22:00:00Z", "open"],
    ["Allow", "2026-11-21T05:59:59Z", "open"],
    ["Allow", "2026-11-21T06:00:00Z", "2026-11-23T22:00:00.000Z"],
    ["Deny", "2026-11-20T21:59:59Z", "open"],
    ["Deny", "2026-11-20T22:00:00Z", "2026-11-21T06:00:00.000Z"],
    ["Deny", "2026-11-21T06:00:00Z", "open"],
  ])("%s at %s is closed until %s", (kind, now, until) => {
    expect(closedUntil(kind, [nightly], now)).toBe(until);
  });

  const UTC = "UTC";
  const early = { schedule: "0 5 * * *", duration: 3 * HOUR, timeZone: UTC };
  const always = { schedule: "0 0 * * *", duration: 24 * HOUR, timeZone: UTC };
  const berlin = { schedule: "0 8 * * *", duration: HOUR, timeZone: "Europe/Berlin" };
  const leapDay = { schedule: "0 0 29 2 *", duration: HOUR, timeZone: UTC };
  const noDay = { schedule: "0 0 30 2 *", duration: HOUR, timeZone: UTC };

  it.each<[what: string, kind: "Allow" | "Deny", windows: RecurringWindow[], now: string, until: string]>([
    ["counts in its own time zone", "Allow", [berlin], "2026-03-28T06:00:00Z", "2026-03-28T07:00:00.000Z"],
    ["counts in its own time zone, in summer", "Allow", [berlin], "2026-03-29T05:00:00Z", "2026-03-29T06:00:00.000Z"],
    ["is open in its own time zone, in summer", "Allow", [berlin], "2026-03-29T06:30:00Z", "open"],
    ["waits for the last that overlaps", "Deny", [nightly, early], "2026-11-21T05:30:00Z", "2026-11-21T08:00:00.000Z"],
    ["finds a leap day after the longest gap", "Allow", [leapDay], "2096-03-01T00:00:00Z", "2104-02-29T00:00:00.000Z"],
    ["never opens on a day that does not exist", "Allow", [noDay], "2026-11-20T23:00:00Z", "never"],
  ])("%s", (_, kind, windows, now, until) => {
    expect(closedUntil(kind, windows, now)).toBe(until);
  });

  it.each(["2026-11-20T23:00:00Z", "2026-11-21T00:00:00Z", "2026-11-21T12:00:00Z"])(
    "stays closed over windows that follow each other without a gap: %s",
    (now) => {
      expect(closedUntil("Deny", [always], now)).not.toBe("open");
    },
  );

  it.each([
    ["that opens every minute for a year", "* * * * *"],
    ["that names each minute", `${Array.from({ length: 48 }, (_, minute) => minute).join(",")} * * * *`],
    ["that never comes", "0 0 30 2 *"],
  ])("costs its neighbours nothing, if there are many of one %s", (_, schedule) => {
    const window = { schedule, duration: 12_000 * HOUR, timeZone: "Europe/Berlin" };
    const windows = Array.from({ length: 16 }, () => window);
    for (const kind of ["Allow", "Deny"] as const) {
      expect(invalidWindows(FIELD, windows, NOW)).toBeUndefined();
      const isInside = !schedule.startsWith("0 0 30");
      const state = windowState({ kind, windows }, NOW);
      expect(state.is === "open").toBe(isInside === (kind === "Allow"));
    }
  });

  it.each<[what: string, window: RecurringWindow]>([
    ["a schedule with a wrong field", { ...nightly, schedule: "0 25 * * *" }],
    ["a schedule of words", { ...nightly, schedule: "every night at ten ok" }],
    ["a time zone that does not exist", { ...nightly, timeZone: "Europe/Atlantis" }],
    ["a schedule with seconds", { ...nightly, schedule: "0 0 22 * * 1-5" }],
    ["a schedule of four fields", { ...nightly, schedule: "0 22 * *" }],
    ["no duration", { ...nightly, duration: 0 }],
  ])("refuses %s", (_, window) => {
    const message = expect.stringContaining("spec.lifecycle.syncWindows.windows[1]");
    expect(invalidWindows(FIELD, [nightly, window], NOW)).toMatchObject({ reason: "InvalidSpec", message });
  });
});
