/** The last line of CI, from vitest's reports. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { root } from "./repository.ts";

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

function printed(status: string, testResults?: readonly object[]): readonly string[] {
  const path = join(folder, "vitest.json");
  if (testResults !== undefined) writeFileSync(path, JSON.stringify({ testResults }));
  const { stdout } = spawnSync(process.execPath, [join(root, "scripts/count-tests.ts"), status, path], {
    cwd: root,
    encoding: "utf8",
  });
  return stdout.trimEnd().split("\n");
}

describe("scripts/count-tests.ts", () => {
  const whole = file("test/a.test.ts", "passed", passed, passed);

  it.each([
    ["all passed", "0", [whole], "2 passed, 0 failed"],
    ["a test failed", "1", [whole, file("test/b.test.ts", "failed", passed, failed)], "3 passed, 1 failed"],
    ["a set-up failed", "1", [whole, file("test/b.test.ts", "failed")], "2 passed, 1 failed"],
    ["another command failed", "1", [whole], "2 passed, 1 failed"],
    ["no report", "1", undefined, "0 passed, 1 failed"],
  ])("counts passed and failed tests: %s", (_, status, report, line) => {
    expect(printed(status, report).at(-1)).toBe(line);
  });

  it("prints the titles and reasons of the failed tests and files", () => {
    const lines = printed("1", [file("test/b.test.ts", "failed", failed), file("test/c.test.ts", "failed")]);
    expect(lines).toEqual([
      "FAILED test/b.test.ts > breaks",
      "    AssertionError: no",
      "FAILED test/c.test.ts",
      "    its set-up failed",
      "0 passed, 2 failed",
    ]);
  });
});
