/** What the runner's reports say about a class of failure. Pure: reports in, rows out. */
import { z } from "zod";

const Test = z.object({
  fullName: z.string(),
  status: z.string(),
  /** Only of one that was begun: what a filter or a condition left out has none. */
  duration: z.number().optional(),
  meta: z
    .object({ figure: z.string().optional(), plans: z.number().optional(), real: z.boolean().optional() })
    .default({}),
});
export const Report = z.object({
  startTime: z.number(),
  testResults: z.array(
    z.object({ name: z.string(), endTime: z.number(), status: z.string(), assertionResults: z.array(Test) }),
  ),
});
export type Report = z.infer<typeof Report>;

/** One test of one file, as its last run left it. */
export interface Run extends z.infer<typeof Test> {
  /** From the root of the repository: "test/chaos/stop.test.ts". */
  readonly file: string;
}

export interface Row {
  readonly plans: number;
  /** Plans that were begun, but whose call did not occur. They prove nothing and are none of `plans`. */
  readonly unmet: number;
  readonly violations: readonly string[];
  /** "real", "in process", or how many of the plans were real. */
  readonly bed: string;
  readonly figure: string;
}

/** The largest share of a class's plans that may not meet their call. */
export const UNMET_SHARE = 0.05;

/** @param pathOf from a file's path on the machine of the run to that in the repository @returns all that was begun, and how many tests were so more than once */
export function runsOf(
  reports: readonly Report[],
  pathOf: (name: string) => string,
): { readonly runs: readonly Run[]; readonly repeated: number } {
  const begun = reports
    .toSorted((one, other) => one.startTime - other.startTime)
    .flatMap((report) => begunIn(report, pathOf));
  const runs = new Map<string, Run>();
  for (const { key, run } of begun) {
    // What was begun again and then proved nothing does not make its earlier run undone.
    if (isRun(run) || !runs.has(key)) runs.set(key, run);
  }
  return { runs: [...runs.values()], repeated: begun.length - runs.size };
}

/** Rows of a table may share a title: those of one report are tests of their own, told apart by their order. */
function begunIn(
  { testResults }: Report,
  pathOf: (name: string) => string,
): readonly { readonly key: string; readonly run: Run }[] {
  const seen = new Map<string, number>();
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap((test) => {
      const run = { ...test, file: pathOf(name) };
      const title = `${run.file} ${run.fullName}`;
      const nth = (seen.get(title) ?? 0) + 1;
      seen.set(title, nth);
      return isRun(run) || isUnmet(run) ? [{ key: `${title} #${nth}`, run }] : [];
    }),
  );
}

/** @returns what the tests say whose titles have the class's id. */
export function rowOf(id: string, all: readonly Run[]): Row {
  const of = all.filter(({ fullName }) => idsIn(fullName).includes(id));
  const ran = of.filter(isRun);
  const plans = plansOf(ran);
  return {
    plans,
    unmet: of.filter(isUnmet).length,
    violations: ran.filter(isViolation).map(({ fullName }) => fullName),
    bed: bedOf(plans, plansOf(ran.filter(({ meta }) => meta.real === true))),
    figure: summary(ran.flatMap(({ meta }) => meta.figure ?? [])),
  };
}

/** @returns the tests that failed and whose titles have no class's id: they are violations of none. */
export function failuresOf(all: readonly Run[]): readonly string[] {
  return all
    .filter((run) => isRun(run) && isViolation(run) && idsIn(run.fullName).length === 0)
    .map(({ file, fullName }) => `${file}: ${fullName}`);
}

/** @returns whether too few of a class's plans met their call to speak of the class. */
export function isHollow({ plans, unmet }: Pick<Row, "plans" | "unmet">): boolean {
  return unmet > UNMET_SHARE * (plans + unmet);
}

/** @returns the ids of classes in a title. */
export function idsIn(title: string): readonly string[] {
  return [...title.matchAll(/\[([A-Z]\d+)\]/g)].flatMap(([, id]) => id ?? []);
}

function isRun({ status }: Run): boolean {
  return status === "passed" || status === "failed";
}

function isUnmet({ status, duration }: Run): boolean {
  return status === "skipped" && duration !== undefined;
}

function isViolation({ status }: Run): boolean {
  return status === "failed";
}

function plansOf(runs: readonly Run[]): number {
  return runs.reduce((total, { meta }) => total + (meta.plans ?? 1), 0);
}

function bedOf(plans: number, real: number): string {
  if (real === plans) return plans === 0 ? "" : "real";
  return real === 0 ? "in process" : `both, ${real} real`;
}

const NUMBER = /\d+(?:\.\d+)?/g;

/** Figures that differ in their numbers alone become one, with ranges; others stand side by side. */
function summary(figures: readonly string[]): string {
  const alike = Map.groupBy(figures, (figure) => figure.replaceAll(NUMBER, "#"));
  return [...alike.values()].map(ranged).join("; ");
}

function ranged(figures: readonly string[]): string {
  const rows = figures.map((figure) => [...figure.matchAll(NUMBER)].map(([number]) => Number(number)));
  let column = 0;
  const range = (number: string): string => {
    const numbers = rows.map((row) => row[column] ?? 0);
    column += 1;
    const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
    return least === most ? number : `${least} to ${most}`;
  };
  return figures[0]?.replaceAll(NUMBER, range) ?? "";
}
