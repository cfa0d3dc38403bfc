/** docs/reliability/mutants.json: the last run of `make mutants` on each directory. */
import { existsSync, readFileSync } from "node:fs";

import { z } from "zod";

export const MutationRun = z.object({
  directory: z.string(),
  /** When it began, ISO 8601. */
  at: z.iso.datetime(),
  commit: z.string(),
  minutes: z.number(),
  killed: z.int(),
  timedOut: z.int(),
  survived: z.int(),
  /** Mutants that no test reaches. */
  uncovered: z.int(),
});
export type MutationRun = z.infer<typeof MutationRun>;

/** A result of Stryker. Lines and columns count from 1. */
export interface Mutant {
  readonly fileName: string;
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** @returns the runs, by directory @throws Error for an invalid file */
export function readMutationRuns(path: string): readonly MutationRun[] {
  return existsSync(path) ? MutationRun.array().parse(JSON.parse(readFileSync(path, "utf8"))) : [];
}

/** @returns the runs with this one in place of the last one on its directory */
export function withRun(runs: readonly MutationRun[], run: MutationRun): readonly MutationRun[] {
  const others = runs.filter(({ directory }) => directory !== run.directory);
  return [...others, run].toSorted((left, right) => (left.directory < right.directory ? -1 : 1));
}

type Counts = Pick<MutationRun, "killed" | "timedOut" | "survived" | "uncovered">;

export function countsOf(mutants: readonly Mutant[]): Counts {
  const of = (wanted: string) => mutants.filter(({ status }) => status === wanted).length;
  return { killed: of("Killed"), timedOut: of("Timeout"), survived: of("Survived"), uncovered: of("NoCoverage") };
}

/** @returns the percentage of mutants that the tests noticed */
export function scoreOf({ killed, timedOut, survived, uncovered }: Counts): string {
  const noticed = killed + timedOut;
  return ((100 * noticed) / (noticed + survived + uncovered)).toFixed(1);
}

/** @returns where the mutant is, its lines before, and its lines after the change */
export function describeMutant(mutant: Mutant, source: string): string {
  const { start, end } = mutant.location;
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const head = (lines[0] ?? "").slice(0, start.column - 1);
  const tail = (lines.at(-1) ?? "").slice(end.column - 1);
  const after = `${head}${mutant.replacement}${tail}`.split("\n");
  const status = mutant.status === "NoCoverage" ? "no test reaches it" : "survived";
  return [
    `${mutant.fileName}:${start.line}:${start.column} ${mutant.mutatorName}, ${status}`,
    ...marked("-", lines),
    ...marked("+", after),
  ].join("\n");
}

/** @returns the lines with a mark; a long block without its inner lines */
function marked(mark: string, lines: readonly string[]): readonly string[] {
  const shown = lines.length > 8 ? [...lines.slice(0, 5), "…", ...lines.slice(-1)] : lines;
  return shown.map((line) => `  ${mark} ${line}`);
}

/** @returns the section of docs/reliability.md; nothing if there is no run */
export function mutationSection(runs: readonly MutationRun[]): readonly string[] {
  if (runs.length === 0) return [];
  return [
    "",
    `## Mutation testing

\`make mutants DIR=src/engine/ledger\` changes the code of a directory in one place at a time and runs those tests beside the code of its layer (\`src/engine\`) that reach the place; other tests, such as \`test/model\` and \`make chaos\`, do not run. A mutant is killed if a test fails, and times out if it makes the code loop endlessly. Otherwise it survives. The score is the share of killed and timed out mutants. Some survivors have no effect, so no test can kill them, and the score is no gate.

String literals are not changed: most of them are messages, and tsc checks most of the others. Code that runs only when its module is loaded, such as a table or a schema, is not changed, since each of its mutants would need all tests.

| directory | score | killed | timed out | survived | reached by no test | began | commit | minutes |
|---|--:|--:|--:|--:|--:|---|---|--:|`,
    ...runs.map(
      (run) =>
        `| \`${run.directory}\` | ${scoreOf(run)} % | ${run.killed} | ${run.timedOut} | ${run.survived} | ${run.uncovered} | ${run.at.slice(0, 16).replace("T", " ")} | ${run.commit} | ${run.minutes} |`,
    ),
  ];
}
