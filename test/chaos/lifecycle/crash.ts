/** Kills the operator at every call of the lifecycle, in every phase; `make test` runs a selection of these plans. */
import { describe, it } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import { figure } from "../../support/platform/figure.ts";
import { chosen, type Plan, plansOf } from "./plan.ts";
import { runLifecycle } from "./run.ts";
import { otherEnds, readTrace } from "./trace.ts";

/** Declares the tests of a surface. */
export function killsAtEveryCall(surface: Surface): void {
  const all = plansOf(surface);
  const expected = readTrace(surface);

  describe.concurrent(`[A1] a kill at a call, ${surface} surface`, () => {
    it("is planned for every call of the lifecycle, of which there are hundreds", ({ expect }) => {
      expect(all.length).toBeGreaterThan(300);
    });

    it.for(chosen(all))("is repaired: $name, $step.what #$step.nth", async (plan: Plan, { expect, task, skip }) => {
      const run = await runLifecycle(surface, plan, expected);
      expect(run.violations, run.violations.join("\n")).toEqual([]);
      // The number of polls differs from run to run.
      if (!run.crashed) skip("the call did not happen in this run");
      const { chapter } = plan.step;
      const others = otherEnds(run.ends[chapter], run.reference[chapter], run.resolved);
      expect(others, `after "${chapter}" ${others.join("; ")}`).toEqual([]);
      expect(run.held[chapter], `on the platform after "${chapter}"`).toEqual(expected.held[chapter]);
      // No surface lists webhooks.
      if (surface === "full") expect(run.resolved.filter((kind) => kind !== "PlatformWebhook")).toEqual([]);
      expect(run.resolved, "one user action for each kind is enough").toEqual([...new Set(run.resolved)]);
      const { acting, writing } = run.reconciles;
      expect(acting, "reconciles of one object that act").toBeLessThanOrEqual(5);
      // Reported without a limit, as it depends on the load of the machine.
      const seconds = (run.convergedMs / 1_000).toFixed(1);
      figure(
        task,
        `the same final state ${seconds} s after the restart, by ${acting} reconciles that act, ${writing} that write`,
      );
    });
  });
}
