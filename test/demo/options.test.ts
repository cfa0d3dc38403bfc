import { describe, expect, it } from "vitest";

import { parseOptions, UsageError } from "./options.ts";

describe("the demo's command line", () => {
  it("has defaults for all options", () => {
    expect(parseOptions([])).toEqual({ once: false, scenario: undefined, speed: 10, surface: "documented" });
  });

  it.each([
    [["--once", "--speed", "60"], { once: true, speed: 60 }],
    [["--surface", "full"], { surface: "full" }],
    [["--scenario", "outage"], { surface: "documented", scenario: expect.objectContaining({ name: "outage" }) }],
    // The scenario needs the full surface.
    [["--scenario", "drift"], { surface: "full", scenario: expect.objectContaining({ name: "drift" }) }],
    [["--scenario", "outage", "--surface", "full"], { surface: "full" }],
  ])("accepts %j", (args, options) => {
    expect(parseOptions(args)).toMatchObject(options);
  });

  it("prints its help with --help", () => {
    expect(parseOptions(["--help"])).toBe("help");
  });

  it.each([
    [["--scenario", "flood"], 'there is no scenario "flood"; there are bad-commit, rate-limit, outage, drift'],
    [["--scenario", "drift", "--surface", "documented"], "the scenario drift needs the surface full"],
    [["--speed", "0"], "the speed is a number above 0"],
    [["--speed", "fast"], 'not "fast"'],
    [["--surface", "half"], "documented or full"],
    [["--nonsense"], "--nonsense"],
    [["stray"], "stray"],
  ])("rejects %j", (args, message) => {
    expect(() => parseOptions(args)).toThrow(UsageError);
    expect(() => parseOptions(args)).toThrow(message);
  });
});
