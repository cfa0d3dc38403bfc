/**
 * Appends a run of `make chaos` to docs/reliability/history.jsonl and writes docs/reliability.md from that file.
 *
 *   node scripts/reliability.ts --part chaos --seed 4711 [--only TITLE] REPORT
 *   node scripts/reliability.ts            writes docs/reliability.md alone
 *   node scripts/reliability.ts --check    prints a warning if the product changed since
 *
 * Fails if the report has a violation or another failure, if a class has no plan in any part, or if the call of too
 * many plans did not occur.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { SECTIONS } from "../test/chaos/classes.ts";
import { release } from "../test/control-plane/envtest.ts";
import { appendRun, lastOfEach, readRuns, rowIn, type Run, trackOf } from "./reliability/history.ts";
import { bedOf, failuresOf, isHollow, Report, rowsOf, UNMET_SHARE } from "./reliability/rows.ts";

const root = join(import.meta.dirname, "..");
const history = join(root, "docs/reliability/history.jsonl");
const classes = SECTIONS.flatMap((section) => Object.keys(section.classes));
/** The paths of the product that the page is about. */
const PRODUCT = ["src", "package-lock.json"];
/** The parts of `make chaos`: the projects of vitest that it runs. */
const PARTS = ["unit", "model", "integration", "chaos"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: "boolean" },
    part: { type: "string", default: "" },
    seed: { type: "string", default: "" },
    only: { type: "string" },
  },
});
const [report] = positionals;
if (values.check === true) warn();
else if (report === undefined) writePage(readRuns(history));
else add(Report.parse(JSON.parse(readFileSync(report, "utf8"))));

function add(report: Report): void {
  const run = runOf(report);
  const rows = Object.entries(run.classes);
  const plans = rows.reduce((sum, [, row]) => sum + row.plans, 0);
  if (run.only !== undefined && rows.length + run.failures.length === 0) {
    console.warn(`${run.part}: no test of a class has '${run.only}' in its title: nothing is recorded`);
    return;
  }
  appendRun(history, run);
  const runs = readRuns(history);
  writePage(runs);
  const last = lastOfEach(runs);
  const isWhole = PARTS.every((part) => last.some((one) => one.part === part));
  const complaints = [
    ...rows.flatMap(([, { violations }]) => violations.map((title) => `violated: ${title}`)),
    ...run.failures.map((failure) => `failed, of no class: ${failure}`),
    ...Object.keys(run.classes).flatMap((id) => (classes.includes(id) ? [] : [`no such class: ${id}`])),
    ...classes.flatMap((id) => (isWhole && rowIn(last, id).plans === 0 ? [`${id}: without a plan`] : [])),
    ...rows.flatMap(([id, row]) => (isHollow(row) ? [`${id}: more than ${UNMET_SHARE * 100} % met no call`] : [])),
  ];
  console.log(`${run.part}, seed ${run.seed}: ${plans} plans, ${complaints.length} complaints: docs/reliability.md`);
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
}

function runOf(report: Report): Run {
  const { startTime, testResults } = report;
  const ended = Math.max(...testResults.map(({ endTime }) => endTime));
  return {
    at: new Date(startTime).toISOString(),
    commit: git("rev-parse", "--short=10", "HEAD")[0] ?? "",
    uncommitted: [...git("diff", "--name-only", "HEAD", "--", ...PRODUCT)],
    part: values.part,
    ...(values.only !== undefined && { only: values.only }),
    seed: Number(values.seed),
    minutes: Math.round((ended - startTime) / 6_000) / 10,
    node: process.version,
    kubernetes: release,
    machine: `${availableParallelism()} × ${cpus()[0]?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    classes: rowsOf(report),
    failures: [...failuresOf(report, pathOf)],
  };
}

/** Prints how many files of the product changed since the runs that the page shows. */
function warn(): void {
  const since = changedSince(lastOfEach(readRuns(history)));
  if (since.length > 0) console.warn(`warning: docs/reliability.md is older than changes to ${since.length} files`);
}

/** @returns files of the product that changed after those runs; none if this clone lacks their commits */
function changedSince(runs: readonly Run[]): readonly string[] {
  const files = runs.flatMap(({ commit, uncommitted }) => {
    try {
      return [...uncommitted, ...git("diff", "--name-only", commit, "--", ...PRODUCT)];
    } catch {
      return uncommitted;
    }
  });
  return [...new Set(files)].filter((file) => !file.endsWith(".test.ts")).toSorted();
}

function git(...args: readonly string[]): readonly string[] {
  const output = execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return output.split("\n").filter((line) => line !== "");
}

/** Returns the path from the root of the repository, whatever the checkout of the run was. */
function pathOf(name: string): string {
  const parts = name.split("/");
  const start = parts.findIndex((_, index) => index > 0 && existsSync(join(root, ...parts.slice(index))));
  return start === -1 ? name : parts.slice(start).join("/");
}

function writePage(runs: readonly Run[]): void {
  writeFileSync(join(root, "docs/reliability.md"), page(runs));
}

function page(runs: readonly Run[]): string {
  const last = lastOfEach(runs);
  const changed = changedSince(last);
  const unmet = last.flatMap((run) => Object.values(run.classes).flatMap((row) => row.unmet));
  return [
    `<!-- Written by \`make chaos\`; do not edit. -->

# Reliability: what was tested, and how often

The platform's API has no idempotency keys. A crash between a call and the write that records it is where an operator can create or deploy twice, or lose an object. \`make chaos\` tests that this operator does not. Each row names its test environment:

- **real**: an API server takes part. The operator runs as a child process under its own ServiceAccount, except in tests that run one part of it against the API server. The tests in \`test/chaos\` run the bundle as it is shipped, with kube-controller-manager; a proxy in front of both servers fails calls, replays earlier responses, and kills the process at exactly one call.
- **in process**: the same code, or one part of it, in the test's process, without an API server: a cluster in memory, in most tests the simulated platform (over HTTP, or through its request handler where nothing disturbs the exchange), and a clock that the test advances. Hours and thousands of cases take seconds.

A plan is one lifecycle, one run or one generated case. It counts once, in one class. The figure column reports states of a model, calls affected and restarts, which are not plans. A violation is a failed test. In the real environment the operator's times (backoff, polls, the ledger's landing window) are scaled down. The number of reads differs from run to run, so the call that a plan waits for may not occur. Such a plan does not count, and the end of this page names it; more than ${UNMET_SHARE * 100} % of a class fail the run. \`make test\` runs a selection of the same plans.

A reconcile acts when it changes the platform, writes the object's metadata, or reports the final state. The number of other reconciles, which report what the object waits for, depends on the speed of the machine.

Kills are made at every write that all lifecycles without a kill have in common, at each of its occurrences, and at the first of several equal reads, since reads have no effect.

Run one plan again by its name in the test's title: \`make life PLAN=full-037-after\`. Plans that found a defect are kept in [test/chaos/regressions](../test/chaos/regressions).

## Runs

The last run of each part. [All runs](reliability/history.jsonl) are kept, those with violations that were fixed since included.

| part | began | commit | seed | minutes | Node | Kubernetes | machine |
|---|---|---|--:|--:|---|---|---|`,
    ...last.map(
      ({ part, at, commit, seed, minutes, node, kubernetes, machine }) =>
        `| ${part} | ${at.slice(0, 16).replace("T", " ")} | ${commit} | ${seed} | ${minutes} | ${node} | ${kubernetes} | ${machine} |`,
    ),
    "",
    changed.length === 0
      ? "No file of the product changed since."
      : `Files of the product that changed since, or between these runs: ${changed.map((file) => `\`${file}\``).join(", ")}.`,
    ...SECTIONS.flatMap((section) => [
      "",
      `## ${section.title}`,
      "",
      "| class | fault | expected | environment | plans | violations | figure | violations (seed) of the last ten runs |",
      "|---|---|---|---|--:|--:|---|---|",
      ...Object.entries(section.classes).map(([id, { title, acceptance }]) => {
        const row = rowIn(last, id);
        const cells = [
          bedOf(row),
          row.plans,
          row.violations.length,
          row.figure.replaceAll("|", "\\|"),
          trackOf(runs, id),
        ];
        return `| ${[id, title, acceptance, ...cells].join(" | ")} |`;
      }),
    ]),
    ...(unmet.length === 0
      ? []
      : ["", "## Plans that did not meet their call", "", ...unmet.map((name) => `- ${name}`)]),
    "",
  ].join("\n");
}
