/** The classes of failure on docs/project/reliability.md, and the sums of a run of `make chaos`. */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { root, textOf } from "./repository.ts";

describe("the classes of failure in docs/project/reliability.md", () => {
  const listed = [...textOf("docs/project/reliability.md").matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, id]) => id);
  /** In tests' files, and in those that declare tests for them. */
  const cited = globSync(["src/**/*.test.ts", "test/**/*.ts"], { cwd: root })
    .filter((file) => file !== "test/unit/reliability.test.ts")
    .flatMap((file) => [...textOf(file).matchAll(/\[([A-Z]\d+)\]/g)].map(([, id]) => ({ file, id })));

  it("include each class id in a test's title, and each class once", () => {
    expect(cited.filter(({ id }) => !listed.includes(id))).toEqual([]);
    expect(listed).toEqual([...new Set(listed)]);
  });

  it("have at least one test each", () => {
    expect(listed.filter((id) => !cited.some((one) => one.id === id))).toEqual([]);
  });
});

describe("scripts/count-plans.ts", () => {
  const passed = { status: "passed", duration: 1 };
  /** A test whose call did not occur, and one that a filter left out. */
  const unmet = { status: "skipped", duration: 1 };
  const leftOut = { status: "skipped" };

  function printed(tests: readonly object[], file: object = {}) {
    const folder = mkdtempSync(join(tmpdir(), "count-plans-"));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const assertionResults = tests.map((test) => ({ fullName: "[A1] a life", ...test }));
    const report = { testResults: [{ name: "a.test.ts", status: "passed", assertionResults, ...file }] };
    writeFileSync(join(folder, "report.json"), JSON.stringify(report));
    const program = [join(root, "scripts/count-plans.ts"), join(folder, "report.json")];
    const { stdout, status } = spawnSync(process.execPath, program, { encoding: "utf8" });
    return { lines: stdout.trimEnd().split("\n"), status };
  }

  it.each([
    ["counts the plans of each test", [passed, { ...passed, meta: { plans: 1999 } }, leftOut], "2,000 plans, 0 failed"],
    ["does not count a test without a class", [{ ...passed, fullName: "a rule" }], "0 plans, 0 failed"],
    ["counts failed tests", [passed, { status: "failed", duration: 1 }], "2 plans, 1 failed"],
    [
      "counts failed tests without a class as failed",
      [{ ...passed, status: "failed", fullName: "a rule" }],
      "0 plans, 1 failed",
    ],
  ])("%s", (_what, tests, line) => {
    expect(printed(tests).lines.at(-1)).toBe(line);
  });

  it("exits with 1 for a failed test, and for a file that could not be loaded", () => {
    expect(printed([passed]).status).toBe(0);
    expect(printed([{ status: "failed", duration: 1 }]).status).toBe(1);
    expect(printed([], { status: "failed" })).toEqual({ lines: ["FAILED a.test.ts", "0 plans, 1 failed"], status: 1 });
  });

  it("fails if the call of more than 5 % of a class's plans did not occur, and does not count those plans", () => {
    const times = (count: number, test: object) => Array.from({ length: count }, () => test);
    const of = (met: number, not: number) => [...times(met, passed), ...times(not, unmet)];
    expect(printed(of(95, 5))).toEqual({ lines: ["A1: 95 plans, 5 not met", "95 plans, 0 failed"], status: 0 });
    expect(printed(of(94, 6))).toEqual({
      lines: ["A1: 94 plans, 6 not met", "FAILED A1: more than 5 % of its plans met no call", "94 plans, 1 failed"],
      status: 1,
    });
  });

  it("counts a plan in the class that its title names last", () => {
    const tests = [{ fullName: "[A1] a life > [B4] of one watch", ...passed }];
    expect(printed(tests).lines).toEqual(["B4: 1 plans", "1 plans, 0 failed"]);
  });

  it("prints measurements, with ranges for those that differ only in numbers", () => {
    const tests = ["3 s", "1 s", "0 calls"].map((figure) => ({ ...passed, meta: { figure, plans: 1 } }));
    expect(printed(tests).lines).toEqual(["A1: 3 plans; 1 to 3 s; 0 calls", "3 plans, 0 failed"]);
  });
});
