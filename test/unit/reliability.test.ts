/** How docs/reliability.md is counted, and that each id in a test's title is a class of it. */
import { globSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { lastOfEach, rowIn, type Run, trackOf } from "../../scripts/reliability/history.ts";
import { bedOf, failuresOf, idsIn, isHollow, Report, type Row, rowsOf } from "../../scripts/reliability/rows.ts";
import { SECTIONS } from "../chaos/classes.ts";
import { root, textOf } from "./repository.ts";

const classes = SECTIONS.flatMap((section) => Object.keys(section.classes));
/** In tests' files, and in those that declare tests for them. */
const mentioned = globSync(["src/**/*.test.ts", "test/**/*.ts"], { cwd: root })
  .filter((file) => file !== "test/unit/reliability.test.ts")
  .flatMap((file) => idsIn(textOf(file)).map((id) => `${file}: ${id}`));

it("the classes of failure have each id that stands in a test's title, a test each, and an id of their own each", () => {
  expect(mentioned.length).toBeGreaterThan(200);
  expect(mentioned.filter((found) => !classes.includes(found.split(": ")[1] ?? ""))).toEqual([]);
  expect(classes.filter((id) => !mentioned.some((found) => found.endsWith(`: ${id}`)))).toEqual([]);
  expect(classes).toEqual([...new Set(classes)]);
});

const passed = { status: "passed", duration: 1 };
const failed = { status: "failed", duration: 1 };
/** One whose call did not occur, and one that a filter left out. */
const unmet = { status: "skipped", duration: 1 };
const leftOut = { status: "skipped" };

function reportOf(...assertionResults: readonly object[]): Report {
  const file = { name: "/checkout/src/a.test.ts", endTime: 1, status: "passed", assertionResults };
  return Report.parse({ startTime: 0, testResults: [file] });
}

function rowFrom(...tests: readonly object[]): Row | undefined {
  return rowsOf(reportOf(...tests.map((facts, index) => ({ fullName: `[A1] test ${index}`, ...facts }))))["A1"];
}

describe("a row", () => {
  const planned = { ...passed, meta: { plans: 20 } };
  it.each([
    ["counts the plans of each test", [passed, planned, leftOut], { plans: 21, unmet: [] }],
    ["names what did not meet its call", [passed, unmet], { plans: 1, unmet: ["[A1] test 1"], violations: [] }],
    ["takes for a violation what failed", [passed, failed], { violations: ["[A1] test 1"] }],
  ])("%s", (_what, tests, row) => {
    expect(rowFrom(...tests)).toMatchObject(row);
  });

  it("is hollow above a small share of those", () => {
    const of = (plans: number, met: number) => isHollow({ plans, unmet: Array.from({ length: met }, String) });
    expect([of(95, 5), of(94, 6)]).toEqual([false, true]);
  });

  it("is of the innermost class that a title names, and of no other", () => {
    expect(Object.keys(rowsOf(reportOf({ fullName: "[A1] a life > [B4] of one watch", ...passed })))).toEqual(["B4"]);
  });

  it("leaves what failed beside the classes to be reported by itself", () => {
    const report = reportOf(
      { fullName: "an invariant", ...failed },
      { fullName: "another one", ...passed },
      { fullName: "[A1] a class", ...failed },
    );
    expect(failuresOf(report, (name) => name.replace("/checkout/", ""))).toEqual(["src/a.test.ts: an invariant"]);
    const setUp = { name: "b", endTime: 1, status: "failed", assertionResults: [{ fullName: "[A1] x", ...leftOut }] };
    expect(failuresOf(Report.parse({ startTime: 0, testResults: [setUp] }), String)).toEqual([
      "b: before or after its tests",
    ]);
  });

  it("is real where an API server took part", () => {
    const real = { ...passed, meta: { real: true } };
    const beds = [rowFrom(real), rowFrom(passed), rowFrom(real, passed)].map((row) => row && bedOf(row));
    expect(beds).toEqual(["real", "in process", "both, 1 real"]);
  });

  it("makes ranges of what differs in numbers alone, and has others side by side", () => {
    const of = (...figures: readonly string[]) =>
      rowFrom(...figures.map((figure) => ({ ...passed, meta: { figure } })))?.figure;
    expect(of("3 s", "1 s")).toBe("1 to 3 s");
    expect(of("3 s", "0 calls", "3 s")).toBe("3 s; 0 calls");
    expect(of("2 lives of 9", "nothing", "4 lives of 9")).toBe("2 to 4 lives of 9; nothing");
  });
});

describe("the history", () => {
  const row = (plans: number, ...violations: readonly string[]): Row => {
    return { plans, real: 0, unmet: [], violations: [...violations], figure: "" };
  };
  const run = (part: string, seed: number, A1: Row, only?: string): Run => ({
    ...{ at: "2026-11-25T03:00:00.000Z", commit: "1a2b3c4d5e", uncommitted: [], part, seed, minutes: 1 },
    ...{ node: "v24", kubernetes: "1.36", machine: "2", classes: { A1 }, failures: [] },
    ...(only !== undefined && { only }),
  });

  it("shows the last whole run of each part, and adds the parts up", () => {
    const runs = [
      run("unit", 1, row(5, "x")),
      run("chaos", 2, row(7)),
      run("unit", 3, row(6)),
      run("unit", 4, row(1), "y"),
    ];
    const last = lastOfEach(runs);
    expect(last.map(({ seed }) => seed)).toEqual([3, 2]);
    expect(rowIn(last, "A1")).toMatchObject({ plans: 13, violations: [] });
  });

  it("keeps the violations that were fixed", () => {
    const runs = [run("unit", 1, row(5, "x")), run("unit", 3, row(6)), run("unit", 4, row(1), "y")];
    expect(trackOf(runs, "A1")).toBe("1 (1), 0 (3), 0 (4)");
    expect(trackOf(runs, "A1", 2)).toBe("0 (3), 0 (4)");
  });
});
