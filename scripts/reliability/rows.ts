/** Turns a report of the test runner into rows about the classes of failure. Pure. */
import { z } from "zod";

const Test = z.object({
  fullName: z.string(),
  status: z.string(),
  /** Only of a test that ran: one that a filter or a condition excluded has none. */
  duration: z.number().optional(),
  meta: z
    .object({ figure: z.string().optional(), plans: z.number().optional(), real: z.boolean().optional() })
    .default({}),
});
type Test = z.infer<typeof Test>;

export const Report = z.object({
  startTime: z.number(),
  testResults: z.array(
    z.object({ name: z.string(), endTime: z.number(), status: z.string(), assertionResults: z.array(Test) }),
  ),
});
export type Report = z.infer<typeof Report>;

/** A class of failure in one run. */
export const Row = z.object({
  /** The number of lifecycles, runs and generated cases. */
  plans: z.number(),
  /** The number of plans with a real API server. */
  real: z.number(),
  /** The names of plans that ran, but whose call did not occur. They prove nothing and are not part of `plans`. */
  unmet: z.array(z.string()),
  /** The names of the tests that failed, whether their call occurred or not. */
  violations: z.array(z.string()),
  figure: z.string(),
});
export type Row = z.infer<typeof Row>;

/** The largest share of a class's plans whose call may not occur. */
export const UNMET_SHARE = 0.05;

/** @returns the rows of the classes with tests in the report, by id */
export function rowsOf({ testResults }: Report): Readonly<Record<string, Row>> {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const byClass = Map.groupBy(tests, ({ fullName }) => classOf(fullName) ?? "");
  const rows = [...byClass].filter(([id]) => id !== "").map(([id, those]) => [id, rowFrom(those)] as const);
  return Object.fromEntries(rows.filter(([, { plans, unmet }]) => plans + unmet.length > 0));
}

function rowFrom(tests: readonly Test[]): Row {
  const ran = tests.filter(({ status }) => status === "passed" || status === "failed");
  const plansOf = (those: readonly Test[]): number => those.reduce((total, { meta }) => total + (meta.plans ?? 1), 0);
  return {
    plans: plansOf(ran),
    real: plansOf(ran.filter(({ meta }) => meta.real === true)),
    unmet: tests.filter(isUnmet).map(({ fullName }) => fullName),
    violations: ran.filter(isFailed).map(({ fullName }) => fullName),
    figure: summary(ran.flatMap(({ meta }) => meta.figure ?? [])),
  };
}

/** @returns one row for several of one class, e.g. of the parts of a run */
export function merged(rows: readonly Row[]): Row {
  const sum = (member: "plans" | "real"): number => rows.reduce((total, row) => total + row[member], 0);
  return {
    plans: sum("plans"),
    real: sum("real"),
    unmet: rows.flatMap(({ unmet }) => unmet),
    violations: rows.flatMap(({ violations }) => violations),
    figure: rows.flatMap(({ figure }) => (figure === "" ? [] : [figure])).join("; "),
  };
}

/** @returns the failures outside of any class: a test without an id, or the set-up of a file */
export function failuresOf({ testResults }: Report, pathOf: (name: string) => string): readonly string[] {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter(isFailed);
    if (status === "failed" && failed.length === 0) return [`${pathOf(name)}: before or after its tests`];
    return failed
      .filter(({ fullName }) => classOf(fullName) === undefined)
      .map(({ fullName }) => `${pathOf(name)}: ${fullName}`);
  });
}

/** @returns whether the call of too few of a class's plans occurred to draw a conclusion about the class */
export function isHollow({ plans, unmet }: Pick<Row, "plans" | "unmet">): boolean {
  return unmet.length > UNMET_SHARE * (plans + unmet.length);
}

/** @returns the ids of classes in a title. */
export function idsIn(title: string): readonly string[] {
  return [...title.matchAll(/\[([A-Z]\d+)\]/g)].flatMap(([, id]) => id ?? []);
}

/** @returns the class of a test: the innermost one in its title */
export function classOf(title: string): string | undefined {
  return idsIn(title).at(-1);
}

/** @returns "real", "in process", or how many of the plans were real */
export function bedOf({ plans, real }: Pick<Row, "plans" | "real">): string {
  if (real === plans) return plans === 0 ? "" : "real";
  return real === 0 ? "in process" : `both, ${real} real`;
}

function isUnmet({ status, duration }: Test): boolean {
  return status === "skipped" && duration !== undefined;
}

function isFailed({ status }: Test): boolean {
  return status === "failed";
}

const NUMBER = /\d+(?:\.\d+)?/g;

/** Merges figures that differ only in their numbers into one with ranges, and lists the others. */
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
  return (figures[0] ?? "").replaceAll(NUMBER, range);
}
