/** How docs/reliability.md is counted, and that each id in a test's title is a class of it. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { failuresOf, idsIn, isHollow, Report, rowOf, runsOf } from "../../scripts/reliability/rows.ts";
import { SECTIONS } from "../chaos/classes.ts";

const root = join(import.meta.dirname, "../..");
const classes = SECTIONS.flatMap((section) => Object.keys(section.classes));
/** In tests' files, and in those that declare tests for them. */
const mentioned = globSync(["src/**/*.test.ts", "test/**/*.ts"], { cwd: root })
  .filter((file) => file !== "test/unit/reliability.test.ts")
  .flatMap((file) => idsIn(readFileSync(join(root, file), "utf8")).map((id) => `${file}: ${id}`));

describe("the classes of failure", () => {
  it("have each id that stands in a test's title", () => {
    expect(mentioned.length).toBeGreaterThan(200);
    expect(mentioned.filter((found) => !classes.includes(found.split(": ")[1] ?? ""))).toEqual([]);
  });

  it("have a test each", () => {
    expect(classes.filter((id) => !mentioned.some((found) => found.endsWith(`: ${id}`)))).toEqual([]);
  });

  it("have an id of their own each", () => {
    expect(classes).toEqual([...new Set(classes)]);
  });
});

const passed = { status: "passed", duration: 1 };
const failed = { status: "failed", duration: 1 };
/** One whose call did not occur, and one that a filter left out. */
const unmet = { status: "skipped", duration: 1 };
const leftOut = { status: "skipped" };

function rowFrom(...tests: readonly object[]) {
  const at = (facts: object, index: number) => ({
    name: "/checkout/src/a.test.ts",
    assertionResults: [{ fullName: `[A1] test ${index}`, ...facts }],
  });
  return rowOf("A1", runsOf([reportOf(0, ...tests.map(at))], pathOf).runs);
}

function reportOf(startTime: number, ...files: readonly object[]): Report {
  return Report.parse({
    startTime,
    testResults: files.map((file) => ({ endTime: startTime, status: "passed", ...file })),
  });
}

const pathOf = (name: string): string => name.replace("/checkout/", "");

describe("a row", () => {
  it("counts the plans of each test", () => {
    expect(rowFrom(passed, { ...passed, meta: { plans: 20 } }, leftOut)).toMatchObject({ plans: 21, unmet: 0 });
  });

  it("says how many did not meet their call, and does not count them", () => {
    expect(rowFrom(passed, unmet, unmet)).toMatchObject({ plans: 1, unmet: 2, violations: [] });
  });

  it("is hollow above a small share of those", () => {
    expect([isHollow({ plans: 95, unmet: 5 }), isHollow({ plans: 94, unmet: 6 })]).toEqual([false, true]);
  });

  it("takes for a violation what failed", () => {
    expect(rowFrom(passed, failed).violations).toEqual(["[A1] test 1"]);
  });

  it("leaves what failed beside the classes to be told of its own", () => {
    const assertionResults = [
      { fullName: "an oracle", ...failed },
      { fullName: "another one", ...passed },
      { fullName: "[A1] a class", ...failed },
    ];
    const { runs } = runsOf([reportOf(0, { name: "/checkout/src/a.test.ts", assertionResults })], pathOf);
    expect(failuresOf(runs)).toEqual(["src/a.test.ts: an oracle"]);
  });

  it("is real where an API server took part", () => {
    const real = { ...passed, meta: { real: true } };
    expect([rowFrom(real).bed, rowFrom(passed).bed, rowFrom(real, passed).bed]).toEqual([
      "real",
      "in process",
      "both, 1 real",
    ]);
  });

  it("makes ranges of what differs in numbers alone, and has others side by side", () => {
    const of = (...figures: readonly string[]) =>
      rowFrom(...figures.map((figure) => ({ ...passed, meta: { figure } }))).figure;
    expect(of("3 s", "1 s")).toBe("1 to 3 s");
    expect(of("3 s", "0 calls", "3 s")).toBe("3 s; 0 calls");
    expect(of("2 lives of 9", "nothing", "4 lives of 9")).toBe("2 to 4 lives of 9; nothing");
  });

  it("counts the last run of a test alone, whichever checkout it was in", () => {
    const report = (startTime: number, facts: object) =>
      reportOf(startTime, {
        name: `/${startTime}/src/a.test.ts`,
        assertionResults: [{ fullName: "[A1] test", ...facts }],
      });
    const { runs, repeated } = runsOf([report(2, passed), report(1, failed)], () => "src/a.test.ts");
    expect([repeated, rowOf("A1", runs).violations]).toEqual([1, []]);
  });

  it("counts tests of one report that share a title one by one", () => {
    const report = (startTime: number, ...tests: readonly object[]) =>
      reportOf(startTime, {
        name: "/checkout/src/a.test.ts",
        assertionResults: tests.map((facts) => ({ fullName: "[A1] a row of a table", ...facts })),
      });
    const once = runsOf([report(1, failed, passed, passed)], pathOf);
    expect([once.repeated, rowOf("A1", once.runs)]).toMatchObject([0, { plans: 3, violations: [expect.anything()] }]);
    const again = runsOf([report(1, failed, passed, passed), report(2, passed, leftOut, failed)], pathOf);
    expect([again.repeated, rowOf("A1", again.runs)]).toMatchObject([2, { plans: 3, violations: [expect.anything()] }]);
  });
});
