/** The operator is killed at every call of the life, in every phase; `make test` takes a choice of these plans. */
import { describe, it } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import { figure } from "../../support/platform/figure.ts";
import { chosen, type Plan, plansOf } from "./plan.ts";
import { live } from "./run.ts";
import { otherEnds, readTrace } from "./trace.ts";

/** Declares the tests of a surface. */
export function killsAtEveryCall(surface: Surface): void {
  const all = plansOf(surface);
  const expected = readTrace(surface);

  describe.concurrent(`[A1] a kill at a call, ${surface} surface`, () => {
    it("is planned for the whole life", ({ expect }) => {
      expect(all.length).toBeGreaterThan(300);
    });

    it.for(chosen(all))("$name: $step.what #$step.nth", async (plan: Plan, { expect, task, skip }) => {
      const run = await live(surface, plan, expected);
      expect(run.violations, run.violations.join("\n")).toEqual([]);
      // How often something is looked at differs from run to run.
      if (!run.crashed) skip("the call did not happen in this run");
      const { chapter } = plan.step;
      const others = otherEnds(run.ends[chapter], expected.ends[chapter], run.unknowns);
      expect(others, `after "${chapter}" ${others.join("; ")}`).toEqual([]);
      expect(run.held[chapter], `on the platform after "${chapter}"`).toEqual(expected.held[chapter]);
      // Webhooks have no list on any surface.
      if (surface === "full") expect(run.unknowns.filter((kind) => kind !== "PlatformWebhook")).toEqual([]);
      expect(run.unknowns, "one word about each is enough").toEqual([...new Set(run.unknowns)]);
      expect(run.passes.acting, "passes over one object that did something").toBeLessThanOrEqual(5);
      // No assertion: it is told by a machine that may have much else to do.
      const { acting, writing } = run.passes;
      const seconds = (run.convergedMs / 1_000).toFixed(1);
      figure(task, `the same end ${seconds} s after the restart, by ${acting} passes that act, ${writing} that write`);
    });
  });
}
