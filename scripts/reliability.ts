/**
 * Writes docs/reliability.md from the runner's own reports of `make chaos`: class, bed, plans, violations, figure.
 * Arguments: the reports' paths. Of a test that ran in several of them the last run counts, and the page says how many
 * did. Ends with an error when a class was not proven, something was violated or failed beside the classes, or too many
 * plans did not meet their call.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

import { SECTIONS } from "../test/chaos/classes.ts";
import { failuresOf, idsIn, isHollow, Report, type Row, rowOf, runsOf, UNMET_SHARE } from "./reliability/rows.ts";

const root = join(import.meta.dirname, "..");
const reports = process.argv.slice(2).map((path) => Report.parse(JSON.parse(readFileSync(path, "utf8"))));
const { runs, repeated } = runsOf(reports, pathOf);
const classes = SECTIONS.flatMap((section) => Object.keys(section.classes));
const rows = new Map(classes.map((id) => [id, rowOf(id, runs)]));
const unknown = [...new Set(runs.flatMap(({ fullName }) => idsIn(fullName)))].filter((id) => !rows.has(id));

writeFileSync(join(root, "docs/reliability.md"), page());
const all = [...rows.values()];
const violations = new Set(all.flatMap((row) => row.violations));
const failures = failuresOf(runs);
const unproven = [...rows].filter(([, { plans }]) => plans === 0).map(([id]) => id);
const hollow = [...rows].filter(([, row]) => isHollow(row)).map(([id]) => id);
console.log(`${sum(all.map(({ plans }) => plans))} plans, ${violations.size} violations: docs/reliability.md`);
for (const violation of violations) console.error(`violated: ${violation}`);
for (const failure of failures) console.error(`failed, of no class: ${failure}`);
if (unknown.length > 0) console.error(`no such classes: ${unknown.join(", ")}`);
if (unproven.length > 0) console.error(`without a plan: ${unproven.join(", ")}`);
if (hollow.length > 0) console.error(`more than ${UNMET_SHARE * 100} % did not meet their call: ${hollow.join(", ")}`);
// What a bed looks at when its tests are over, its secrets for example, is no test's own.
const broken = reports
  .flatMap(({ testResults }) => testResults)
  .filter(({ status, assertionResults }) => status === "failed" && !assertionResults.some(isFailed));
for (const { name } of broken) console.error(`failed before or after its tests: ${pathOf(name)}`);
const wrong = [violations.size, failures.length, unproven.length, unknown.length, hollow.length, broken.length];
process.exitCode = wrong.some((count) => count > 0) ? 1 : 0;

function isFailed({ status }: { readonly status: string }): boolean {
  return status === "failed";
}

/** From the root of the repository, wherever the run had its checkout. */
function pathOf(name: string): string {
  const parts = name.split("/");
  const start = parts.findIndex((_, index) => index > 0 && existsSync(join(root, ...parts.slice(index))));
  return start === -1 ? name : parts.slice(start).join("/");
}

function page(): string {
  const minutes = Math.round(sum(reports.map(durationOf)) / 60_000);
  const day = new Date(Math.max(...reports.map(({ startTime }) => startTime))).toISOString().slice(0, 10);
  const lines = [
    "<!-- Written by `make chaos`; do not edit. -->",
    "",
    "# Reliability: what was proven, and how often",
    "",
    "The platform's API has no idempotency keys, so a crash between a call and the next write is where operators create " +
      "twice, deploy twice or leak. `make chaos` shows that this one does not, on two beds, and each row says which:",
    "",
    "- **real**: a real kube-apiserver and etcd, and a simulated platform. The operator runs as a child process under " +
      "its own ServiceAccount, but for single tests that hold one part of it to the API server. For the tests in " +
      "`test/chaos` it is the bundle as it is shipped, kube-controller-manager runs too, and a tap in front of both " +
      "servers fails calls, replays the past, and kills the process at exactly one call.",
    "- **in process**: the same code, or one part of it, in the test's own process, without an API server: a cluster in " +
      "memory, mostly the simulated platform over HTTP, and a clock that is turned by hand, so that hours and thousands " +
      "of cases cost seconds.",
    "",
    `The runs of its parts, the last on ${day}, took ${minutes} minutes on ${availableParallelism()} cores. Times of the operator (backoff, polls, ` +
      "the ledger's landing window) are scaled down on the real bed. A plan is one run or one generated case; a " +
      "violation is a test that failed. How often something is looked at differs " +
      "from run to run, so a plan may wait for a call that does not occur: it is no plan that was run, the column says " +
      `how many there were besides, and the report fails where they are more than ${UNMET_SHARE * 100} %. \`make test\` runs a choice of the ` +
      "same plans." +
      (repeated === 0 ? "" : ` ${repeated} tests were run more than once, and the last run counts.`),
    "",
    "A pass over an object acts when it changes the platform, writes the object's metadata, or tells the end. How many " +
      "others there are, which tell what the object waits for or what the platform is at, says how fast the machine is.",
    "",
    "Kills meet every write that two lives without a kill have in common, as often as it occurs, and the first of the " +
      "reads that are alike, since polls are: a read has no effect.",
    "",
    "A single plan is run again by its name, as the test's title tells it: `make life PLAN=full-037-after`. Plans that " +
      "once found a defect are kept in [test/chaos/regressions](../test/chaos/regressions).",
  ];
  for (const section of SECTIONS) {
    lines.push("", `## ${section.title}`, "");
    lines.push("| class | what is done | what has to hold | bed | plans | violations | figure |");
    lines.push("|---|---|---|---|--:|--:|---|");
    for (const [id, { title, acceptance }] of Object.entries(section.classes)) {
      const row = rows.get(id);
      if (row !== undefined) lines.push(`| ${[id, title, acceptance, ...cellsOf(row)].join(" | ")} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function cellsOf({ bed, plans, unmet, violations: { length }, figure }: Row): readonly string[] {
  const besides = unmet === 0 ? "" : `, ${unmet} more did not meet their call`;
  return [bed, `${plans}${besides}`, String(length), figure.replaceAll("|", "\\|")];
}

/** In milliseconds. */
function durationOf({ startTime, testResults }: Report): number {
  return Math.max(...testResults.map(({ endTime }) => endTime)) - startTime;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
