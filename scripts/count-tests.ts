/**
 * Prints the failed tests of vitest's JSON reports, with reasons; its last line is "N passed, N failed".
 * Arguments: the exit status of the commands that ran before (0 if all succeeded), then the reports' paths. A test file
 * that did not load counts as one failure, as does a missing report, and a failed command without a failed test.
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

/** The number of lines and characters of each reason that are printed. */
const [LINES, LENGTH] = [3, 600];

const [status = "", ...paths] = process.argv.slice(2);
const counts = paths.map(printed);
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
console.log(`${passed} passed, ${failed === 0 && status !== "0" ? 1 : failed} failed`);

/** Prints the failures of a report. @throws Error when it cannot be read */
function printed(path: string): { readonly passed: number; readonly failed: number } {
  if (!existsSync(path)) return { passed: 0, failed: 1 };
  const count = { passed: 0, failed: 0 };
  for (const file of Report.parse(JSON.parse(readFileSync(path, "utf8"))).testResults) {
    const name = relative(process.cwd(), file.name);
    const failures = file.assertionResults.filter((test) => test.status === "failed");
    for (const { fullName, failureMessages } of failures) {
      console.log([`FAILED ${name} > ${fullName}`, ...failureMessages.map(shortened)].join("\n"));
    }
    // Its set-up failed, or it could not be loaded: it has no failed test with a reason.
    const isNotLoaded = file.status === "failed" && failures.length === 0;
    if (isNotLoaded) console.log(`FAILED ${name}\n${shortened(file.message)}`);
    count.passed += file.assertionResults.filter((test) => test.status === "passed").length;
    count.failed += failures.length + (isNotLoaded ? 1 : 0);
  }
  return count;
}

function shortened(message: string): string {
  const lines = stripVTControlCharacters(message).slice(0, LENGTH).split("\n").slice(0, LINES);
  const [place = ""] = /^ +at .*\/test\/.*$/m.exec(message) ?? [];
  return [...lines, ...(place === "" || lines.includes(place) ? [] : [place])]
    .map((line) => `    ${line.trim()}`)
    .join("\n");
}
