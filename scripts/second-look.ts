/**
 * Looks again, alone on the machine, at the files of a report that failed: real servers on a busy machine have a second
 * look, and vitest gives one to tests, none to the set-up of a file.
 * Argument: the report's path. Exits with 1 where that does not help: more failed than chance explains, something that
 * has no real server and so no excuse, or what failed again.
 */
import { spawnSync } from "node:child_process";
import { relative } from "node:path";

import { againOf, filesOf } from "./vitest-report.ts";

/** More are no chance. */
const MOST = 3;
/** Of the projects "integration" and "e2e". */
const ON_SERVERS = /^test\/(integration|hostile|e2e)\/[^/]+\.test\.ts$/;

const [report = ""] = process.argv.slice(2);
const failed = (filesOf(report) ?? [])
  .filter(({ status }) => status === "failed")
  .map(({ name }) => relative(process.cwd(), name));
const isWorthIt = failed.length > 0 && failed.length <= MOST && failed.every((file) => ON_SERVERS.test(file));
if (!isWorthIt) process.exit(1);
console.log(`a second look at ${failed.join(", ")}`);
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${againOf(report)}`];
const { status } = spawnSync(
  "vitest",
  ["run", "--project", "integration", "--project", "e2e", ...reporters, ...failed],
  {
    stdio: "inherit",
  },
);
process.exit(status ?? 1);
