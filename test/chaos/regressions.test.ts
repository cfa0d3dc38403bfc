/** Plans that once found a defect are run for good; those of the life in process by test/unit/two-faults-*.test.ts. */
import { describe, it } from "vitest";

import { keptLives } from "./kept.ts";
import { live } from "./lifecycle/run.ts";
import { readTrace } from "./lifecycle/trace.ts";

describe.concurrent("[A1] what once went wrong", () => {
  it.for(keptLives)("$name: $found", async ({ name, surface, step, phase }, { expect }) => {
    const plan =
      step === undefined || phase === undefined ? undefined : { name, surface, step, phase, uniqueNames: false };
    const expected = readTrace(surface);
    const run = await live(surface, plan, expected);
    expect(run.crashed, "the call that the plan names happens").toBe(plan !== undefined);
    expect(run.violations, run.violations.join("\n")).toEqual([]);
    const last = step?.chapter ?? "delete";
    expect(run.ends[last]).toEqual(expected.ends[last]);
    expect(run.held[last]).toEqual(expected.held[last]);
  });
});
