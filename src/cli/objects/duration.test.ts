import { describe, expect, it } from "vitest";

import { ageOf, durationOf } from "./duration.ts";

describe("a duration", () => {
  it.each([
    ["90s", 90_000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
    ["0s", 0],
  ])("%s is %d ms", (text, ms) => {
    expect(durationOf("--timeout", text)).toBe(ms);
  });

  it.each([["5"], [""], ["m"], ["5 m"], ["5d"], ["-5m"], ["5mx"]])("%j is none", (text) => {
    expect(() => durationOf("--timeout", text)).toThrow(/^--timeout takes a duration, e\.g\. 90s/);
  });
});

describe("an age", () => {
  const now = new Date("2026-11-21T12:00:00Z");

  it.each([
    ["2026-11-21T11:59:57Z", "3s"],
    ["2026-11-21T11:58:30Z", "90s"],
    ["2026-11-21T11:50:00Z", "10m"],
    ["2026-11-21T10:30:00Z", "90m"],
    ["2026-11-20T11:00:00Z", "25h"],
    ["2026-11-11T12:00:00Z", "10d"],
    ["2026-11-21T12:00:05Z", "0s"],
    ["yesterday", ""],
    [undefined, ""],
  ])("since %s is %s", (since, age) => {
    expect(ageOf(since, now)).toBe(age);
  });
});
