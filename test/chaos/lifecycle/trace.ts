/** The reference trace: the calls of the lifecycle without faults, and the state at the end of each chapter. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import type { Surface } from "../../../simulator/base/operations.ts";

export const Step = z.object({
  chapter: z.string(),
  what: z.string(),
  nth: z.int().positive(),
  /** Whether some lifecycles without faults do not make the call: no plan waits for it. */
  optional: z.literal(true).optional(),
});
export type Step = z.infer<typeof Step>;

const Trace = z.object({
  /** A plan's number is the position of its step, so new steps are only appended. */
  steps: z.array(Step),
  /** The conditions at the end of each chapter: "Kind/name" → "Type=Status/Reason". */
  ends: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
  /** What the platform holds at the end of each chapter, without ids and times. */
  held: z.record(z.string(), z.array(z.string())),
});
export type Trace = z.infer<typeof Trace>;

export function readTrace(surface: Surface): Trace {
  return Trace.parse(JSON.parse(readFileSync(fileOf(surface), "utf8")));
}

/** Appends new steps to the known ones and marks the steps that this trace lacks as optional. */
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
  const [ends, held] = [trace.ends, trace.held].map((section) =>
    JSON.stringify(section, undefined, 1).replaceAll("\n", "\n "),
  );
  writeFileSync(fileOf(surface), `{\n "steps": [\n${steps}\n ],\n "ends": ${ends},\n "held": ${held}\n}\n`);
}

function fileOf(surface: Surface): string {
  return join(import.meta.dirname, `trace-${surface}.json`);
}

/** The number of equal reads that are steps; polls repeat them. */
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
 * Returns the conditions of a chapter in which a write to the application lands after its deployment starts. The
 * platform reports OUT_OF_DATE, which is drift, and for which the operator does not deploy (docs/guides/rollback.md).
 */
export function whenOutOfDate(conditions: Trace["ends"][string] = {}): Trace["ends"][string] {
  const name = "PlatformApplication/api";
  const ofApplication = (conditions[name] ?? []).map((one) =>
    one === "Drifted=False/NoDrift" ? "Drifted=True/DriftDetected" : one,
  );
  return { ...conditions, [name]: ofApplication };
}

/**
 * Returns the objects whose conditions differ: "Kind/name: Type=Status/Reason is there too, …".
 * @param confirmedByUser kinds to ignore, since the documented surface does not show the result that the user confirmed
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
