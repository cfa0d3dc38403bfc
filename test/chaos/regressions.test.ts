/** Plans that once found a defect are run for good. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, it } from "vitest";
import { z } from "zod";

import { live } from "./lifecycle/run.ts";
import { readTrace, Step } from "./lifecycle/trace.ts";
import { PHASES } from "./tap/call.ts";

const folder = join(import.meta.dirname, "regressions");
const Regression = z.strictObject({
  found: z.string(),
  surface: z.enum(["full", "documented"]),
  step: Step.optional(),
  phase: z.enum(PHASES).optional(),
});
const regressions = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({ name, ...Regression.parse(JSON.parse(readFileSync(join(folder, name), "utf8"))) }));

describe.concurrent("[A1] what once went wrong", () => {
  it.for(regressions)("$name: $found", async ({ name, surface, step, phase }, { expect }) => {
    const plan = step === undefined || phase === undefined ? undefined : { name, surface, step, phase };
    const run = await live(surface, plan);
    expect(run.violations).toEqual([]);
    const last = step?.chapter ?? "delete";
    expect(run.ends[last]).toEqual(readTrace(surface).ends[last]);
  });
});
