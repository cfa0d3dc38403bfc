import { describe, expect, it } from "vitest";

import { invalidWindows, windowState } from "./change-window.ts";
import type { SyncWindows } from "./policy.ts";

const HOUR = 3_600_000;
const nightly = { schedule: "0 22 * * 1-5", duration: 8 * HOUR, timeZone: "UTC" };
const at = (text: string): Date => new Date(text);

describe("a change window", () => {
  it.each<[kind: "Allow" | "Deny", now: string, opensAt: string | undefined]>([
    ["Allow", "2026-11-20T21:59:59Z", "2026-11-20T22:00:00.000Z"],
    ["Allow", "2026-11-20T22:00:00Z", undefined],
    ["Allow", "2026-11-21T05:59:59Z", undefined],
    ["Allow", "2026-11-21T06:00:00Z", "2026-11-23T22:00:00.000Z"],
    ["Deny", "2026-11-20T21:59:59Z", undefined],
    ["Deny", "2026-11-20T22:00:00Z", "2026-11-21T06:00:00.000Z"],
    ["Deny", "2026-11-21T06:00:00Z", undefined],
  ])("%s at %s opens at %s", (kind, now, opensAt) => {
    const state = windowState({ kind, windows: [nightly] }, at(now));
    expect(state.is === "open" ? undefined : state.opensAt?.toISOString()).toBe(opensAt);
  });

  it("is always open when there is none", () => {
    expect(windowState(undefined, at("2026-11-20T12:00:00Z"))).toEqual({ is: "open" });
  });

  it("counts in its own time zone, over the change to summer time", () => {
    const windows = [{ schedule: "0 8 * * *", duration: HOUR, timeZone: "Europe/Berlin" }];
    const opensAt = (now: string) => {
      const state = windowState({ kind: "Allow", windows }, at(now));
      return state.is === "open" ? "open" : state.opensAt?.toISOString();
    };
    expect(opensAt("2026-03-28T06:00:00Z")).toBe("2026-03-28T07:00:00.000Z");
    expect(opensAt("2026-03-29T05:00:00Z")).toBe("2026-03-29T06:00:00.000Z");
    expect(opensAt("2026-03-29T06:30:00Z")).toBe("open");
  });

  it("waits for the end of windows that overlap", () => {
    const windows = [nightly, { schedule: "0 5 * * *", duration: 3 * HOUR, timeZone: "UTC" }];
    expect(windowState({ kind: "Deny", windows }, at("2026-11-20T23:00:00Z"))).toEqual({
      is: "closed",
      opensAt: at("2026-11-21T08:00:00Z"),
    });
  });

  it("knows that a denial without gaps never ends", () => {
    const windows = [{ schedule: "0 0 * * *", duration: 24 * HOUR, timeZone: "UTC" }];
    expect(windowState({ kind: "Deny", windows }, at("2026-11-20T23:00:00Z"))).toEqual({
      is: "closed",
      opensAt: undefined,
    });
  });

  it("knows that an allowance for a day that does not exist never comes", () => {
    const windows = [{ schedule: "0 0 30 2 *", duration: HOUR, timeZone: "UTC" }];
    expect(windowState({ kind: "Allow", windows }, at("2026-11-20T23:00:00Z"))).toEqual({
      is: "closed",
      opensAt: undefined,
    });
  });

  it.each<[what: string, window: SyncWindows["windows"][number]]>([
    ["a schedule with a wrong field", { ...nightly, schedule: "0 25 * * *" }],
    ["a schedule of words", { ...nightly, schedule: "every night at ten ok" }],
    ["a time zone that does not exist", { ...nightly, timeZone: "Europe/Atlantis" }],
    ["no duration", { ...nightly, duration: 0 }],
  ])("refuses %s", (_, window) => {
    expect(invalidWindows({ kind: "Deny", windows: [nightly, window] })).toMatchObject({
      reason: "InvalidSpec",
      message: expect.stringContaining("spec.lifecycle.syncWindows.windows[1]"),
    });
  });

  it("understands what is right", () => {
    expect(invalidWindows({ kind: "Deny", windows: [nightly] })).toBeUndefined();
    expect(invalidWindows(undefined)).toBeUndefined();
  });
});
