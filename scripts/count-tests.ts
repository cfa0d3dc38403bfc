/**
 * Tells from vitest's JSON reports which tests failed, or passed at a second look only, and why; its last line is
 * "N passed, N failed".
 * Arguments: 0 when all commands before succeeded, then the reports' paths. Of a file that was looked at again the
 * second look counts. A test file that did not load counts as one failure, so does a report that is missing, and so
 * does a failed command that left no failed test behind.
 */
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { againOf, filesOf, isNotLoaded, type TestFile } from "./vitest-report.ts";

/** Of each reason: its first words say what, its place says where. */
const [LINES, LENGTH] = [3, 600];
const AT_SECOND = "passed at a second look:";

const [status = "", ...paths] = process.argv.slice(2);
const counts = paths.map(tell);
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
console.log(`${passed} passed, ${failed === 0 && status !== "0" ? 1 : failed} failed`);

function tell(path: string): { readonly passed: number; readonly failed: number } {
  const first = filesOf(path);
  if (first === undefined) return { passed: 0, failed: 1 };
  const again = new Map(filesOf(againOf(path))?.map((file) => [file.name, file]));
  const last = first.map((file) => again.get(file.name) ?? file);
  for (const file of first) tellOf(file, again.get(file.name));
  for (const file of again.values()) tellOf(file);
  const tests = last.flatMap((file) => file.assertionResults);
  const failedTests = tests.filter((test) => test.status === "failed").length;
  return {
    passed: tests.filter((test) => test.status === "passed").length,
    failed: failedTests + last.filter(isNotLoaded).length,
  };
}

/** @param again what the second look at the file found */
function tellOf(file: TestFile, again?: TestFile): void {
  const name = relative(process.cwd(), file.name);
  const failure = again === undefined ? "FAILED" : again.status === "passed" ? AT_SECOND : "failed at first:";
  if (isNotLoaded(file)) console.log(`${failure} ${name}\n${shortened(file.message)}`);
  for (const { fullName, status: end, failureMessages } of file.assertionResults) {
    if (failureMessages.length === 0 && end !== "failed") continue;
    const what = end === "failed" ? failure : AT_SECOND;
    console.log([`${what} ${name} > ${fullName}`, ...failureMessages.map(shortened)].join("\n"));
  }
}

function shortened(message: string): string {
  const lines = stripVTControlCharacters(message).slice(0, LENGTH).split("\n").slice(0, LINES);
  const [place = ""] = /^ +at .*\/test\/.*$/m.exec(message) ?? [];
  return [...lines, ...(place === "" || lines.includes(place) ? [] : [place])]
    .map((line) => `    ${line.trim()}`)
    .join("\n");
}
