/**
 * Runs the whole operator in process through a lifecycle, with a cluster and a platform in memory, and injects one or
 * two faults at any of its exchanges. FAULTS repeats a plan that failed, e.g.
 * `FAULTS=full:17:after+23:lost npx vitest run --project model test/model/two-faults`.
 */
import { beforeAll, describe, expect, it, type TestContext } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import { effort } from "../../support/env/effort.ts";
import { figure } from "../../support/platform/figure.ts";
import { keptFaults } from "../kept.ts";
import { crashesAt, furtherFaults, oneOf, randomNumbers } from "./choose.ts";
import { faultsAt, nameOf, parsePlan, planText, type Exchange, type Plan } from "./faults.ts";
import { openPlatforms } from "./platform.ts";
import { run, type Outcome } from "./run.ts";

// oxlint-disable-next-line node/no-process-env -- as effort.ts
const replayed = process.env["FAULTS"];
const TIMEOUT_MS = 4 * 60 * 60_000;

/** Declares the tests of a surface: kept plans, single faults, and a random sample of pairs. */
export function pairsOfFaults(surface: Surface): void {
  describe(`[P2] two faults in one run, ${surface} surface`, () => {
    const { reference, expectAll } = openFixture(surface);
    const none: Plan = { surface, faults: [] };

    it.runIf(replayed === undefined)("are preceded by a run without faults, which ends with an idle operator", () => {
      const { violations, held, left } = reference();
      expect(violations).toEqual([]);
      expect(held.join("\n")).toContain("api: LOG_LEVEL=debug");
      expect(left.filter((line) => line.includes("shop"))).toHaveLength(surface === "full" ? 0 : 2);
    });

    it.runIf(replayed?.startsWith(surface))("of FAULTS are repaired", { timeout: TIMEOUT_MS }, async ({ task }) => {
      await expectAll(task, [parsePlan(replayed ?? "")]);
    });

    const kept = keptFaults.filter(({ faults }) => faults.startsWith(surface));
    it.runIf(replayed === undefined && kept.length > 0)("of the kept plans are repaired", async ({ task }) => {
      const plans = kept.map(({ faults }) => parsePlan(faults));
      const reached: (readonly string[])[] = [];
      await expectAll(task, plans, (plan, trace) => {
        reached.push(plan.faults.map(({ at }) => nameOf(trace[at - 1])));
        return [];
      });
      expect(reached, "the exchanges that the faults of each plan hit").toEqual(kept.map(({ exchanges }) => exchanges));
    });

    it.runIf(replayed === undefined)("are repaired when only one occurs", { timeout: TIMEOUT_MS }, async ({ task }) => {
      const all = furtherFaults(none, reference().trace, faultsAt);
      const random = randomNumbers(effort.seed);
      await expectAll(task, effort.all ? all : Array.from({ length: 3 }, () => oneOf(all, random)));
    });

    it.runIf(replayed === undefined)("of any kinds are repaired", { timeout: TIMEOUT_MS }, async ({ task }) => {
      const random = randomNumbers(effort.seed + 1);
      const all = furtherFaults(none, reference().trace, faultsAt);
      const firsts = Array.from({ length: effort.cases(1, 200) }, () => oneOf(all, random));
      await expectAll(task, firsts, (first, trace) => {
        const next = furtherFaults(first, trace, faultsAt);
        return next.length === 0 ? [] : Array.from({ length: effort.cases(4, 10) }, () => oneOf(next, random));
      });
    });
  });
}

/**
 * Declares all pairs of crashes at writes, which only `make chaos` runs; all pairs of all faults would be a hundred
 * times more.
 * @param part from 1: the plans are split into `of` parts, one for each test file, which run in parallel
 */
export function pairsOfCrashes(surface: Surface, { part, of }: { readonly part: number; readonly of: number }): void {
  describe.runIf(effort.all && replayed === undefined)(`[P2] two crashes in one run, ${surface} surface`, () => {
    const { reference, expectAll } = openFixture(surface);

    it(`at any two writes are repaired, part ${part} of ${of}`, { timeout: TIMEOUT_MS }, async ({ task }) => {
      const firsts = furtherFaults({ surface, faults: [] }, reference().trace, crashesAt);
      const mine = firsts.filter((_, index) => index % of === part - 1);
      await expectAll(task, mine, (first, trace) => furtherFaults(first, trace, crashesAt));
    });
  });
}

/** Registers setup and teardown for the enclosing describe. */
function openFixture(surface: Surface) {
  const platforms = openPlatforms();
  let reference: Outcome;
  beforeAll(async () => {
    reference = await run(platforms(), { surface, faults: [] });
  }, 60_000);
  return {
    /** The run without faults. */
    reference: () => reference,
    /** Runs each plan, then those that `then` derives from its trace; fails at the end with all violations. */
    expectAll: async (
      task: TestContext["task"],
      plans: readonly Plan[],
      then: (first: Plan, trace: readonly Exchange[]) => readonly Plan[] = () => [],
    ): Promise<void> => {
      const failed: string[] = [];
      let [runs, exchanges] = [0, 0];
      const runPlan = async (plan: Plan): Promise<readonly Exchange[]> => {
        const { trace, violations } = await run(platforms(), plan, reference);
        runs += 1;
        exchanges += trace.length;
        if (violations.length > 0) failed.push(`${planText(plan)}: ${violations.join("; ")}`);
        return trace;
      };
      for (const first of plans) {
        for (const second of then(first, await runPlan(first))) await runPlan(second);
      }
      expect(failed, "failed plans and their violations").toEqual([]);
      figure(
        task,
        `${runs} lifecycles of ${Math.round(exchanges / runs)} exchanges, nothing repeated, lost or left behind`,
        runs,
      );
    },
  };
}
