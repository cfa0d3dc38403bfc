/** Plans that once found a defect are run for good; those of the life in process by test/model/two-faults-*.test.ts. */
import { describe, it } from "vitest";

import { failOver } from "./failover.ts";
import { keptFailovers, keptLives } from "./kept.ts";
import { runLifecycle } from "./lifecycle/run.ts";
import { otherEnds, readTrace } from "./lifecycle/trace.ts";

describe.concurrent("[A1] what once went wrong", () => {
  it.for(keptLives)("$name: $found", async ({ name, surface, step, phase }, { expect }) => {
    const plan =
      step === undefined || phase === undefined ? undefined : { name, surface, step, phase, uniqueNames: false };
    const expected = readTrace(surface);
    const run = await runLifecycle(surface, plan, expected);
    expect(run.crashed, "the call that the plan names happens").toBe(plan !== undefined);
    expect(run.violations, run.violations.join("\n")).toEqual([]);
    const last = step?.chapter ?? "delete";
    const others = otherEnds(run.ends[last], expected.ends[last], run.resolved);
    expect(others, others.join("; ")).toEqual([]);
    expect(run.held[last]).toEqual(expected.held[last]);
  });
});

describe.concurrent("[D3] what once went wrong", () => {
  it.for(keptFailovers)("$name: $found", async ({ failover }, { expect }) => {
    const { violations } = await failOver(failover);
    expect(violations, violations.join("\n")).toEqual([]);
  });
});
