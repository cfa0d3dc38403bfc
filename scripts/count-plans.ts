/**
 * Prints what `make chaos` ran: the plans and measurements of each class of failure (docs/project/reliability.md), the failed
 * tests, and a last line with the sums. Arguments: vitest's JSON reports of the parts.
 *
 * Fails if a test failed, or if too many plans of a class proved nothing, as the call that they wait for did not occur.
 */
import { readFileSync } from "node:fs";

import { z } from "zod";

const Test = z.object({
  fullName: z.string(),
  status: z.string(),
  /** Only of a test that ran: one that a filter or a condition excluded has none. */
  duration: z.number().optional(),
  meta: z.object({ figure: z.string().optional(), plans: z.number().default(1) }).default({ plans: 1 }),
});
type Test = z.infer<typeof Test>;

const Report = z.object({
  testResults: z.array(z.object({ name: z.string(), status: z.string(), assertionResults: z.array(Test) })),
});

/** The largest share of a class's plans whose call may not occur. */
const UNMET_SHARE = 0.05;

const files = process.argv.slice(2).flatMap((path) => Report.parse(JSON.parse(readFileSync(path, "utf8"))).testResults);
const tests = files.flatMap(({ assertionResults }) => assertionResults);
const classes = [...Map.groupBy(tests, ({ fullName }) => /.*\[([A-Z]\d+)\]/.exec(fullName)?.[1] ?? "")]
  .filter(([id]) => id !== "")
  .map(([id, those]) => ({ id, ...outcomeOf(those) }))
  .toSorted((left, right) => left.id.localeCompare(right.id, "en", { numeric: true }));
for (const { id, plans, unmet, figures } of classes) {
  if (plans + unmet > 0) console.log(`${id}: ${plans} plans${unmet > 0 ? `, ${unmet} not met` : ""}${figures}`);
}

const hollow = classes.filter(({ plans, unmet }) => unmet > UNMET_SHARE * (plans + unmet));
for (const { id } of hollow) console.log(`FAILED ${id}: more than ${UNMET_SHARE * 100} % of its plans met no call`);
const failed = files.flatMap(({ name, status, assertionResults }) => {
  const titles = assertionResults.filter((test) => test.status === "failed").map(({ fullName }) => fullName);
  // Its set-up failed, or it could not be loaded.
  return status === "failed" && titles.length === 0 ? [name] : titles;
});
for (const title of failed) console.log(`FAILED ${title}`);

const plans = classes.reduce((sum, one) => sum + one.plans, 0);
console.log(`${plans.toLocaleString("en")} plans, ${failed.length + hollow.length} failed`);
if (failed.length + hollow.length > 0) process.exitCode = 1;

function outcomeOf(those: readonly Test[]) {
  const ran = those.filter(({ status }) => status === "passed" || status === "failed");
  const unmet = those.filter(({ status, duration }) => status === "skipped" && duration !== undefined);
  const measured = ran.flatMap(({ meta }) => meta.figure ?? []);
  return {
    plans: ran.reduce((sum, { meta }) => sum + meta.plans, 0),
    unmet: unmet.length,
    figures: withRanges(measured)
      .map((figure) => `; ${figure}`)
      .join(""),
  };
}

/** @returns one figure with ranges for those that differ only in their numbers */
function withRanges(figures: readonly string[]): readonly string[] {
  const number = /\d+(?:\.\d+)?/g;
  const alike = Map.groupBy(figures, (figure) => figure.replaceAll(number, "#"));
  return [...alike].map(([shape, those]) => {
    const rows = those.map((figure) => [...figure.matchAll(number)].map(([text]) => Number(text)));
    let column = 0;
    return shape.replaceAll("#", () => {
      const numbers = rows.map((row) => row[column] ?? 0);
      column += 1;
      const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
      return min === max ? String(min) : `${min} to ${max}`;
    });
  });
}
