/** E4: any pattern against any value. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { testPatterns } from "../../../src/platform/codec/pattern.ts";
import { effort } from "../../support/env/effort.ts";
import { anyText } from "../../support/hostile/values.ts";
import { figure } from "../../support/platform/figure.ts";

const atom = fc.constantFrom(
  ...["a", ".", "[a-z]", String.raw`\w`, String.raw`\d`, String.raw`\1`],
  ...["(a|a)", "(a|b|ab)", "(?:x|xx)", "(?=a)", "(a)"],
);
const repeat = fc.constantFrom("", "*", "+", "?", "{2,9}", "{0,300}", "*?", "+?");
/** Nested repetitions, which cause catastrophic backtracking. */
const nested = fc
  .array(fc.tuple(atom, repeat, repeat), { minLength: 1, maxLength: 6 })
  .map((parts) => `^${parts.reduce((inner, [one, first, second]) => `(${inner}${one}${first})${second}`, "")}$`);
const EVIL = [
  "^(a+)+$",
  "^(a|a)*$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(.*a){20}",
  String.raw`^(\w+\s?)*$`,
  String.raw`^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$`,
  "(?=(a+))a*b",
  "(?:(?:(?:(?:.{0,9}){0,9}){0,9}){0,9}){0,9}x",
  String.raw`\p{L}{0,200}`.repeat(39),
  "(x+x+)+y",
  "[".repeat(512),
  "(".repeat(512),
  "a{1,1000}{1,1000}",
];
const pattern = fc.oneof(nested, fc.constantFrom(...EVIL), anyText(600));
const value = fc.oneof(
  fc.constantFrom(`${"a".repeat(4_000)}!`, "x".repeat(4_096), "a".repeat(28), "ab".repeat(2_000)),
  anyText(100),
);
const tests = fc.array(fc.record({ pattern, value }), { minLength: 1, maxLength: 4 });

/** The limit of the thread's own CPU time, since the machine may be busy. The guard's own limit is 50 ms. */
const LIMIT_MS = 100;

/** @returns the result, and the milliseconds of the thread's CPU time */
function timed<T>(run: () => T): readonly [result: T, took: number] {
  const before = process.threadCpuUsage();
  const result = run();
  const { user, system } = process.threadCpuUsage(before);
  return [result, (user + system) / 1_000];
}

describe("[E4] the regex guard", () => {
  const timeout = effort.cases(60_000, 3_600_000);

  it("answers every test, never blocks for 100 ms, and never throws", { timeout }, ({ task }) => {
    // Few runs, as most of them take the full 50 ms.
    const numRuns = effort.cases(60, 5_000);
    const took: number[] = [];
    fc.assert(
      fc.property(tests, (inputs) => {
        const [answers, ms] = timed(() => testPatterns(inputs));
        took.push(ms);
        expect(answers).toHaveLength(inputs.length);
        expect(answers.every((answer) => answer === undefined || typeof answer === "boolean")).toBe(true);
      }),
      { seed: effort.seed, numRuns },
    );
    const slowest = Math.max(...took);
    expect(slowest).toBeLessThan(LIMIT_MS);
    figure(task, `slowest ${Math.ceil(slowest)} ms of its thread's time, limit 50 ms`, numRuns);
  });

  it("refuses too many or too large patterns and values in time", ({ task }) => {
    const many = Array.from({ length: 8_192 }, () => ({ pattern: "^(a+)+$", value: `${"a".repeat(4_000)}!` }));
    const huge = [
      { pattern: "a".repeat(1_000_000), value: "a" },
      { pattern: "^a+$", value: "a".repeat(1_000_000) },
    ];
    const [answers, took] = timed(() => testPatterns(many));
    const [others, tookOthers] = timed(() => testPatterns(huge));
    expect([...answers, ...others].every((answer) => answer === undefined)).toBe(true);
    expect(Math.max(took, tookOthers)).toBeLessThan(LIMIT_MS);
    figure(task, `8,192 evil patterns in ${Math.ceil(took)} ms`, many.length);
  });
});
