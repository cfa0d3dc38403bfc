/** docs/reliability/history.jsonl: a line for each run of `make chaos`. Lines are appended, never replaced. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

import { z } from "zod";

import { merged, Row } from "./rows.ts";

export const Run = z.object({
  /** When it began, ISO 8601. */
  at: z.iso.datetime(),
  commit: z.string(),
  /** Files of the product that were not committed. */
  uncommitted: z.array(z.string()),
  part: z.string(),
  /** The titles that the run was limited to by `make chaos ONLY=`. */
  only: z.string().optional(),
  seed: z.int(),
  minutes: z.number(),
  node: z.string(),
  kubernetes: z.string(),
  machine: z.string(),
  classes: z.record(z.string(), Row),
  /** Failures that belong to no class. */
  failures: z.array(z.string()),
});
export type Run = z.infer<typeof Run>;

/** @returns the runs, the oldest first @throws Error for an invalid line */
export function readRuns(path: string): readonly Run[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => Run.parse(JSON.parse(line)));
}

/** Appends a run to the file, which it creates if it does not exist. */
export function appendRun(path: string, run: Run): void {
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, `${JSON.stringify(run)}\n`);
}

/** @returns the last run of each part; a run with limited titles only if there is no other */
export function lastOfEach(runs: readonly Run[]): readonly Run[] {
  const last = new Map<string, Run>();
  for (const run of runs.filter(({ only }) => only !== undefined)) last.set(run.part, run);
  for (const run of runs.filter(({ only }) => only === undefined)) last.set(run.part, run);
  return [...last.values()];
}

/** @returns the row of a class in those runs */
export function rowIn(runs: readonly Run[], id: string): Row {
  return merged(runs.flatMap(({ classes }) => classes[id] ?? []));
}

/** @returns the number of violations in each of the last runs of a class, with its seed, e.g. "0 (4710), 1 (4711)" */
export function trackOf(runs: readonly Run[], id: string, most = 10): string {
  const of = runs.filter(({ classes }) => classes[id] !== undefined).slice(-most);
  return of.map(({ seed, classes }) => `${classes[id]?.violations.length} (${seed})`).join(", ");
}
