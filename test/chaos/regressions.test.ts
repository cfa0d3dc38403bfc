/** Runs the kept plans; test/model/two-faults-*.test.ts runs those of the in-process lifecycle. */
import { describe, it } from "vitest";

import { failOver } from "./failover.ts";
import { keptFailovers, keptLifecycles } from "./kept.ts";
import { runLifecycle } from "./lifecycle/run.ts";
import { otherEnds, readTrace } from "./lifecycle/trace.ts";

describe.concurrent("[A1] a lifecycle that once found a defect", () => {
  it.for(keptLifecycles)("has no violation: $name: $found", async ({ name, surface, step, phase }, { expect }) => {
    const plan =
      step === undefined || phase === undefined ? undefined : { name, surface, step, phase, uniqueNames: false };
    const expected = readTrace(surface);
    const run = await runLifecycle(surface, plan, expected);
    expect(run.crashed, "the run reaches the plan's call").toBe(plan !== undefined);
    expect(run.violations, run.violations.join("\n")).toEqual([]);
    const last = step?.chapter ?? "delete";
    const others = otherEnds(run.ends[last], run.reference[last], run.resolved);
    expect(others, others.join("; ")).toEqual([]);
    expect(run.held[last]).toEqual(expected.held[last]);
  });
});

describe.concurrent("[D3] a failover that once found a defect", () => {
  it.for(keptFailovers)("has no violation: $name: $found", async ({ failover }, { expect }) => {
    const { violations } = await failOver(failover);
    expect(violations, violations.join("\n")).toEqual([]);
  });
});
