/**
 * Tells from vitest's JSON reports which tests failed, or passed at a second look only, and why; its last line is
 * "N passed, N failed".
 * Arguments: 0 when all commands before succeeded, then the reports' paths. A test file that did not load counts as one
 * failure, so does a report that is missing, and so does a failed command that left no failed test behind.
 */
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { z } from "zod";

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).default([]) }),
      ),
    }),
  ),
});
type TestFile = z.infer<typeof Report>["testResults"][number];

/** Of each reason: its first words say what, its place says where. */
const [LINES, LENGTH] = [3, 600];

const [status = "", ...paths] = process.argv.slice(2);
const counts = paths.map((path) => (existsSync(path) ? tell(path) : { passed: 0, failed: 1 }));
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
console.log(`${passed} passed, ${failed === 0 && status !== "0" ? 1 : failed} failed`);

function tell(path: string): { readonly passed: number; readonly failed: number } {
  const { testResults } = Report.parse(JSON.parse(readFileSync(path, "utf8")));
  for (const file of testResults) tellOf(file);
  const tests = testResults.flatMap((file) => file.assertionResults);
  const failedTests = tests.filter((test) => test.status === "failed").length;
  const notLoaded = testResults.filter(isNotLoaded).length;
  return { passed: tests.filter((test) => test.status === "passed").length, failed: failedTests + notLoaded };
}

function isNotLoaded(file: TestFile): boolean {
  return file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed");
}

function tellOf(file: TestFile): void {
  const name = relative(process.cwd(), file.name);
  if (isNotLoaded(file)) console.log(`FAILED ${name}\n${shortened(file.message)}`);
  for (const { fullName, status: end, failureMessages } of file.assertionResults) {
    if (failureMessages.length === 0 && end !== "failed") continue;
    const what = end === "failed" ? "FAILED" : "passed at a second look:";
    console.log([`${what} ${name} > ${fullName}`, ...failureMessages.map(shortened)].join("\n"));
  }
}

function shortened(message: string): string {
  const lines = stripVTControlCharacters(message).slice(0, LENGTH).split("\n").slice(0, LINES);
  const [place = ""] = /^ +at .*\/test\/.*$/m.exec(message) ?? [];
  return [...lines, ...(lines.includes(place) ? [] : [place])].map((line) => `    ${line.trim()}`).join("\n");
}
