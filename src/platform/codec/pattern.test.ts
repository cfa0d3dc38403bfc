import { describe, expect, it } from "vitest";

import { testPatterns } from "./pattern.ts";

/** The time limit for tests that expect an answer: on a busy machine the operator's 50 ms may not suffice. */
const UNHURRIED_MS = 10_000;

const asking = (pattern: string, value: string) => ({ pattern, value });
const judge = (pattern: string, value: string) => testPatterns([asking(pattern, value)], UNHURRIED_MS)[0];

describe("[E4] patterns of the catalog", () => {
  it.each([
    [String.raw`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)+$`, "shop.example.com", true],
    [String.raw`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)+$`, "shop", false],
    ["b", "abc", true], // not anchored
    ["^$", "", true],
    [String.raw`^(?!10\.)\d+$`, "127", true],
    ["^\"'`\\$\\{\\}$", "\"'`${}", true],
  ])("%s on %j is %s", (pattern, value, expected) => {
    expect(judge(pattern, value)).toBe(expected);
  });

  it.each([
    ["no expression at all", "(", "a"],
    ["one of another dialect", String.raw`\A[a-z]+\z`, "a"],
    ["inline flags", "(?i)^a$", "A"],
    ["a POSIX class", "^[[:alpha:]]+$", "abc"],
    ["an intersection of classes", "^[a-z&&[^b]]+$", "abc"],
    ["a pattern that is too long", "a".repeat(513), "a"],
    ["a value that is too long", "^a+$", "a".repeat(4097)],
    ["a value in which dialects differ", String.raw`^\w+$`, "é"],
    ["a value of several lines", "^a$", "a\n"],
  ])("leaves %s to the platform", (_name, pattern, value) => {
    expect(judge(pattern, value)).toBeUndefined();
  });

  it("answers in order, each test for itself", () => {
    const tests = [asking("^a$", "a"), asking("(", "a"), asking("^a$", "b")];
    expect(testPatterns(tests, UNHURRIED_MS)).toEqual([true, undefined, false]);
  });

  it.each([
    ["^(a+)+$", `${"a".repeat(4000)}!`],
    ["^(a|a)*$", `${"a".repeat(4000)}!`],
    ["(x+x+)+y", "x".repeat(4096)],
    [`(?:${String.raw`\p{L}{0,200}`.repeat(39)})!`, "a".repeat(4096)],
    ["(?:(?:(?:(?:.{0,9}){0,9}){0,9}){0,9}){0,9}x", "a".repeat(4096)],
  ])("stops %s, and the tests with it", (pattern, value) => {
    expect(testPatterns([asking("^a$", "a"), asking(pattern, value)])).toEqual([undefined, undefined]);
  });

  it("judges as many as fit and leaves the rest to the platform", () => {
    const tests = Array.from({ length: 8192 }, () => ({ pattern: "^a+$", value: "a".repeat(4096) }));
    const answers = testPatterns(tests, UNHURRIED_MS);
    expect(answers.slice(0, 63)).toEqual(Array.from({ length: 63 }, () => true));
    expect(answers.slice(63).every((answer) => answer === undefined)).toBe(true);
  });

  it("runs nothing that a pattern or a value says", () => {
    const evil = `"]]);globalThis.polluted=1;(([["`;
    testPatterns([{ pattern: evil, value: evil }]);
    expect("polluted" in globalThis).toBe(false);
  });
});
