/** The reference trace: which calls the life without faults makes, how its chapters end, and what they leave. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import type { Surface } from "../../../simulator/base/operations.ts";

export const Step = z.object({
  chapter: z.string(),
  what: z.string(),
  nth: z.int().positive(),
  /** Whether lifecycles without faults exist that do not make the call: no plan waits for it. */
  optional: z.literal(true).optional(),
});
export type Step = z.infer<typeof Step>;

const Trace = z.object({
  /**
   * In the order of their first run. A plan's number is a step's place here, so steps are only ever added at the end.
   */
  steps: z.array(Step),
  /** Per chapter, what each object's conditions are at its end: "Kind/name" → "Type=Status/Reason". */
  ends: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
  /** Per chapter, what the platform holds at its end: names and values, no ids and times. */
  held: z.record(z.string(), z.array(z.string())),
});
export type Trace = z.infer<typeof Trace>;

/** @returns the trace as it was learnt. */
export function readTrace(surface: Surface): Trace {
  return Trace.parse(JSON.parse(readFileSync(fileOf(surface), "utf8")));
}

/** Adds the steps that are new to the known ones, and marks those as optional that were not made this time. */
export function writeTrace(surface: Surface, trace: Trace): void {
  const known = readTrace(surface).steps;
  const keys = new Set(known.map(keyOf));
  const made = new Set(trace.steps.map(keyOf));
  const steps = [...known, ...trace.steps.filter((step) => !keys.has(keyOf(step)))]
    .map(({ chapter, what, nth }) => ({
      chapter,
      what,
      nth,
      ...(!made.has(keyOf({ chapter, what, nth })) && { optional: true }),
    }))
    .map((step) => `  ${JSON.stringify(step)}`)
    .join(",\n");
  const [ends, held] = [trace.ends, trace.held].map((each) =>
    JSON.stringify(each, undefined, 1).replaceAll("\n", "\n "),
  );
  writeFileSync(fileOf(surface), `{\n "steps": [\n${steps}\n ],\n "ends": ${ends},\n "held": ${held}\n}\n`);
}

function fileOf(surface: Surface): string {
  return join(import.meta.dirname, `trace-${surface}.json`);
}

/** The number of equal reads that are steps: polls repeat them. */
const READS = 1;

/** Returns the steps that all runs have in common. */
export function stepsOf(runs: readonly (readonly Step[])[], isRead: (what: string) => boolean): Step[] {
  const [first = [], ...others] = runs;
  const keys = others.map((steps) => new Set(steps.map(keyOf)));
  return first.filter(
    (step) => keys.every((made) => made.has(keyOf(step))) && (!isRead(step.what) || step.nth <= READS),
  );
}

function keyOf({ what, nth }: Step): string {
  return `${what} #${nth}`;
}

/**
 * How the objects ended that should have ended otherwise: "Kind/name: Type=Status/Reason is there too, …".
 * @param vouched the kinds of what a person vouched for: what the documented surface shows nothing of is not looked at
 */
export function otherEnds(
  was: Trace["ends"][string] = {},
  should: Trace["ends"][string] = {},
  confirmedByUser: readonly string[] = [],
): readonly string[] {
  const names = [...new Set([...Object.keys(was), ...Object.keys(should)])];
  return names.flatMap((name) => {
    if (confirmedByUser.some((kind) => name.startsWith(`${kind}/`))) return [];
    const [is, expected] = [was[name] ?? [], should[name] ?? []];
    const extra = is.filter((one) => !expected.includes(one)).map((one) => `${one} is there too`);
    const lacking = expected.filter((one) => !is.includes(one)).map((one) => `${one} is missing`);
    return extra.length + lacking.length === 0 ? [] : [`${name}: ${[...extra, ...lacking].join(", ")}`];
  });
}
