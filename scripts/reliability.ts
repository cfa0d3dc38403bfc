/**
 * Writes docs/reliability.md from the runner's own reports of `make chaos`: class, plans, violations, figure.
 * Arguments: the reports' paths. Of a test that ran in several of them the last run counts, and the page says how many
 * did. Ends with an error when a class was not proven or something was violated.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

import { z } from "zod";

import { SECTIONS } from "../test/chaos/classes.ts";

const Test = z.object({
  fullName: z.string(),
  status: z.string(),
  meta: z.object({ figure: z.string().optional(), plans: z.number().optional() }).default({}),
});
const Report = z.object({
  startTime: z.number(),
  testResults: z.array(
    z.object({ name: z.string(), endTime: z.number(), status: z.string(), assertionResults: z.array(Test) }),
  ),
});
type Test = z.infer<typeof Test>;

interface Row {
  readonly plans: number;
  readonly violations: number;
  readonly figure: string;
}

const reports = process.argv
  .slice(2)
  .map((path) => Report.parse(JSON.parse(readFileSync(path, "utf8"))))
  .toSorted((one, other) => one.startTime - other.startTime);
const files = reports.flatMap(({ testResults }) => testResults);
const runs = files.flatMap(({ name, assertionResults }) =>
  assertionResults
    .filter(({ status }) => status === "passed" || status === "failed")
    .map((test) => [`${name} ${test.fullName}`, test] as const),
);
const ran = [...new Map(runs).values()];
const repeated = runs.length - ran.length;
const classes = SECTIONS.flatMap((section) => Object.keys(section.classes));
const rows = new Map(classes.map((id) => [id, rowOf(ran.filter(({ fullName }) => fullName.includes(`[${id}]`)))]));
const unknown = [...new Set(ran.flatMap(({ fullName }) => idsIn(fullName)))].filter((id) => !rows.has(id));

writeFileSync(join(import.meta.dirname, "../docs/reliability.md"), page());
const all = [...rows.values()];
const violations = sum(all.map((row) => row.violations));
const unproven = [...rows].filter(([, { plans }]) => plans === 0).map(([id]) => id);
console.log(`${sum(all.map(({ plans }) => plans))} plans, ${violations} violations: docs/reliability.md`);
if (unknown.length > 0) console.error(`no such classes: ${unknown.join(", ")}`);
if (unproven.length > 0) console.error(`without a plan: ${unproven.join(", ")}`);
const unloaded = files.some((file) => file.status === "failed" && file.assertionResults.length === 0);
process.exitCode = violations + unproven.length + unknown.length > 0 || unloaded ? 1 : 0;

function rowOf(of: readonly Test[]): Row {
  const figures = of.flatMap(({ meta }) => meta.figure ?? []);
  return {
    plans: sum(of.map(({ meta }) => meta.plans ?? 1)),
    violations: of.filter(({ status }) => status === "failed").length,
    figure: summary(figures),
  };
}

/** Numbers of one unit become a range; other figures stand side by side. */
function summary(figures: readonly string[]): string {
  const parts = figures.map((figure) => /^(\d+(?:\.\d+)?) (.+)$/.exec(figure));
  const units = new Set(parts.map((part) => part?.[2]));
  const [unit] = units;
  if (figures.length > 1 && units.size === 1 && unit !== undefined) {
    const numbers = parts.map((part) => Number(part?.[1]));
    const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
    return least === most ? `${most} ${unit}` : `${least} to ${most} ${unit}`;
  }
  return [...new Set(figures)].join("; ");
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
      "twice, deploy twice or leak. `make chaos` shows that this one does not: the real build runs as a child process " +
      "under its own ServiceAccount against a real kube-apiserver, etcd and kube-controller-manager and a simulated " +
      "platform, with a tap in front of both that fails calls, replays the past, and kills the process at exactly one call.",
    "",
    `The run of ${day} took ${minutes} minutes on ${availableParallelism()} cores. Times of the operator (backoff, polls, ` +
      "the ledger's landing window) are scaled down in it. A plan is one run or one generated case; a violation is a " +
      "test that failed. `make test` runs a choice of the same plans." +
      (repeated === 0 ? "" : ` ${repeated} tests were run more than once, and the last run counts.`),
    "",
    "A single plan is run again by its name, as the test's title tells it: `make life PLAN=full-037-after`. Plans that " +
      "once found a defect are kept in [test/chaos/regressions](../test/chaos/regressions).",
  ];
  for (const section of SECTIONS) {
    lines.push("", `## ${section.title}`, "");
    lines.push("| class | what is done | what has to hold | plans | violations | figure |");
    lines.push("|---|---|---|--:|--:|---|");
    for (const [id, { title, acceptance }] of Object.entries(section.classes)) {
      const { plans = 0, violations: broken = 0, figure = "" } = rows.get(id) ?? {};
      lines.push(`| ${id} | ${title} | ${acceptance} | ${plans} | ${broken} | ${figure.replaceAll("|", "\\|")} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** In milliseconds. */
function durationOf({ startTime, testResults }: z.infer<typeof Report>): number {
  return Math.max(...testResults.map(({ endTime }) => endTime)) - startTime;
}

function idsIn(name: string): readonly string[] {
  return [...name.matchAll(/\[([A-Z]\d+)\]/g)].flatMap(([, id]) => id ?? []);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
