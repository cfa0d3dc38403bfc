/** [A1] The operator is killed at every call of the life, in every phase; `make test` takes a choice of these plans. */
import { describe, it } from "vitest";

import { effort } from "../../support/effort.ts";
import { figure } from "../../support/figure.ts";
import { chosen, type Plan, plansOf } from "./plan.ts";
import { live } from "./run.ts";
import { readTrace } from "./trace.ts";

const surfaces = ["full", "documented"] as const;

describe.concurrent.each(surfaces)("[A1] a kill at a call, %s surface", (surface) => {
  const expected = readTrace(surface).ends;

  it.for(chosen(plansOf(surface)))("$name: $step.what #$step.nth", async (plan: Plan, { expect, task }) => {
    const run = await live(surface, plan);
    expect(run.crashed, "the operator was killed").toBe(true);
    expect(run.violations).toEqual([]);
    const { chapter } = plan.step;
    expect(run.ends[chapter], `conditions after "${chapter}"`).toEqual(expected[chapter]);
    if (surface === "full") expect(run.unknowns, "creations that nobody can know of").toBe(unknowable(plan));
    figure(task, `${run.reconciles} reconciles`);
  });
});

/** Webhooks have no list on any surface. */
function unknowable({ step, phase }: Plan): number {
  const isAnswerLost = phase === "after" || phase === "late" || phase === "replied";
  return step.what.includes("createWebhook") && isAnswerLost ? 1 : 0;
}

describe("the plans", () => {
  it("are there for both surfaces", ({ expect }) => {
    for (const surface of surfaces) expect(plansOf(surface).length).toBeGreaterThan(effort.all ? 300 : 1);
  });
});
