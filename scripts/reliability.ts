/**
 * Appends a run of `make chaos` to docs/reliability/history.jsonl and writes docs/reliability.md from that file.
 *
 *   node scripts/reliability.ts --part chaos --seed 4711 [--only TITLE] REPORT
 *   node scripts/reliability.ts            writes docs/reliability.md alone
 *   node scripts/reliability.ts --check    prints a warning where the product changed since
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
import { mutationSection, readMutationRuns } from "./reliability/mutants.ts";
import { bedOf, failuresOf, isHollow, Report, rowsOf, UNMET_SHARE } from "./reliability/rows.ts";

const root = join(import.meta.dirname, "..");
const history = join(root, "docs/reliability/history.jsonl");
const mutationRuns = join(root, "docs/reliability/mutants.json");
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
  appendRun(history, run);
  const runs = readRuns(history);
  writePage(runs);
  const rows = Object.entries(run.classes);
  const last = lastOfEach(runs);
  const isWhole = PARTS.every((part) => last.some((one) => one.part === part));
  const plans = rows.reduce((sum, [, row]) => sum + row.plans, 0);
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

/** Prints which files of the product changed since the runs that the page shows. */
function warn(): void {
  const since = changedSince(lastOfEach(readRuns(history)));
  if (since.length > 0) console.warn(`warning: docs/reliability.md shows runs of before ${since.length} changed files`);
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
    `<!-- Written by \`make chaos\` and \`make mutants\`; do not edit. -->

# Reliability: what was proven, and how often

The platform's API has no idempotency keys, so a crash between a call and the next write is where operators create twice, deploy twice or leak. \`make chaos\` shows that this one does not, on two beds, and each row says which:

- **real**: an API server took part. The operator runs as a child process under its own ServiceAccount, but for single tests that hold one part of it to the API server. For the tests in \`test/chaos\` it is the bundle as it is shipped, kube-controller-manager runs too, and a tap in front of both servers fails calls, replays the past, and kills the process at exactly one call.
- **in process**: the same code, or one part of it, in the test's own process, without an API server: a cluster in memory, mostly the simulated platform over HTTP, and a clock that is turned by hand, so that hours and thousands of cases cost seconds.

A plan is one life, one run or one generated case, and counts once, in one class; states of a model, and calls met or restarts within a life, are told beside it. A violation is a test that failed. Times of the operator (backoff, polls, the ledger's landing window) are scaled down on the real bed. How often something is looked at differs from run to run, so a plan may wait for a call that does not occur: it is no plan that was run, and the end of this page names it; more than ${UNMET_SHARE * 100} % of a class are an error. \`make test\` runs a choice of the same plans.

A reconcile of an object acts when it changes the platform, writes the object's metadata, or reports the end. How many others there are, which report what the object waits for or what the platform is at, says how fast the machine is.

Kills meet every write that two lives without a kill have in common, as often as it occurs, and the first of the reads that are alike, since polls are: a read has no effect.

A single plan is run again by its name, as the test's title has it: \`make life PLAN=full-037-after\`. Plans that once found a defect are kept in [test/chaos/regressions](../test/chaos/regressions).

## Runs

The last run of each part. [All of them](reliability/history.jsonl) are kept, the failures that were mended included.

| part | began | commit | seed | minutes | Node | Kubernetes | machine |
|---|---|---|--:|--:|---|---|---|`,
    ...last.map(
      ({ part, at, commit, seed, minutes, node, kubernetes, machine }) =>
        `| ${part} | ${at.slice(0, 16).replace("T", " ")} | ${commit} | ${seed} | ${minutes} | ${node} | ${kubernetes} | ${machine} |`,
    ),
    "",
    changed.length === 0
      ? "No file of the product changed since."
      : `Files of the product that changed since, or between them: ${changed.map((file) => `\`${file}\``).join(", ")}.`,
    ...SECTIONS.flatMap((section) => [
      "",
      `## ${section.title}`,
      "",
      "| class | what is done | what has to hold | bed | plans | violations | figure | violations (seed) of the last ten runs |",
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
    ...mutationSection(readMutationRuns(mutationRuns)),
    "",
  ].join("\n");
}
