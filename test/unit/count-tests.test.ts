/** The last line of CI, from vitest's reports and those of a second look. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "count-tests-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const passed = { fullName: "holds", status: "passed" };
const failed = { fullName: "breaks", status: "failed", failureMessages: ["AssertionError: no"] };
const file = (name: string, status: string, ...assertionResults: readonly object[]) => ({
  name: join(root, name),
  status,
  message: "its set-up failed",
  assertionResults,
});

/** @returns what is printed for a first report and, if given, that of a second look */
function told(status: string, first?: readonly object[], again?: readonly object[]): readonly string[] {
  const write = (name: string, testResults?: readonly object[]): void => {
    if (testResults !== undefined) writeFileSync(join(folder, name), JSON.stringify({ testResults }));
  };
  write("vitest.json", first);
  write("vitest-again.json", again);
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, "scripts/count-tests.ts"), status, join(folder, "vitest.json")],
    { cwd: root, encoding: "utf8" },
  );
  return stdout.trimEnd().split("\n");
}

describe("what CI ends with", () => {
  const whole = file("test/a.test.ts", "passed", passed, passed);

  it.each([
    ["all passed", "0", [whole], "2 passed, 0 failed"],
    ["a test failed", "1", [whole, file("test/b.test.ts", "failed", passed, failed)], "3 passed, 1 failed"],
    ["a set-up failed", "1", [whole, file("test/b.test.ts", "failed")], "2 passed, 1 failed"],
    ["another command failed", "1", [whole], "2 passed, 1 failed"],
    ["no report", "1", undefined, "0 passed, 1 failed"],
  ])("counts where %s", (_, status, report, line) => {
    expect(told(status, report).at(-1)).toBe(line);
  });

  it("counts the second look at a file, and tells of the first", () => {
    const lines = told("0", [whole, file("test/b.test.ts", "failed")], [file("test/b.test.ts", "passed", passed)]);
    expect(lines).toEqual(["passed at a second look: test/b.test.ts", "    its set-up failed", "3 passed, 0 failed"]);
  });

  it("has what failed twice failed", () => {
    const twice = file("test/b.test.ts", "failed", failed);
    const lines = told("1", [whole, twice], [twice]);
    expect(lines.filter((line) => line.includes("breaks"))).toEqual([
      "failed at first: test/b.test.ts > breaks",
      "FAILED test/b.test.ts > breaks",
    ]);
    expect(lines.at(-1)).toBe("2 passed, 1 failed");
  });
});
