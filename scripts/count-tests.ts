/**
 * Prints "N passed, N failed" from vitest's JSON report.
 * Arguments: the report's path, and 0 when all commands before succeeded. A test file that did not load counts as one
 * failure, and so does a failed command that left no failed test behind.
 */
import { readFileSync } from "node:fs";

import { z } from "zod";

const Report = z.object({
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
});

const [path = "", status = ""] = process.argv.slice(2);
const { testResults } = Report.parse(JSON.parse(readFileSync(path, "utf8")));
const tests = testResults.flatMap((file) => file.assertionResults);
const passed = tests.filter((test) => test.status === "passed").length;
const failedTests = tests.filter((test) => test.status === "failed").length;
const notLoaded = testResults.filter(
  (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
).length;
const failed = failedTests + notLoaded;
console.log(`${passed} passed, ${failed === 0 && status !== "0" ? 1 : failed} failed`);
