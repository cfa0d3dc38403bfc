/**
 * The whole operator in process, over a cluster and a platform in memory and one clock, goes through a life, and one or
 * two things go wrong at any of its exchanges (docs/reliability.md). A plan that fails is told; it is
 * run again by FAULTS, e.g. `FAULTS=full:17:after+23:lost npx vitest run --project model test/model/two-faults`.
 */
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import { effort } from "../../support/env/effort.ts";
import { figure } from "../../support/platform/figure.ts";
import { keptFaults } from "../kept.ts";
import { crashesAt, numbers, oneOf, seconds, singles } from "./choose.ts";
import { faultsAt, nameOf, parsePlan, planText, type Exchange, type Plan } from "./faults.ts";
import { buildPlatforms, type Platforms } from "./platform.ts";
import { run, type Outcome } from "./run.ts";

/** A plan to run alone. */
// oxlint-disable-next-line node/no-process-env -- as effort.ts
const replayed = process.env["FAULTS"];
const PATIENCE_MS = 4 * 60 * 60_000;

/** Declares the tests of a surface: kept plans, all single faults, pairs by lot. */
export function pairsOfFaults(surface: Surface): void {
  describe(`[P2] two faults in one run, ${surface} surface`, () => {
    const { reference, expectAll } = groundOf(surface);

    it.runIf(replayed === undefined)("needs none: the life comes to its ends, and to rest", () => {
      const { violations, held, left } = reference();
      expect(violations).toEqual([]);
      expect(held.join("\n")).toContain("api: LOG_LEVEL=debug");
      expect(left.filter((line) => line.includes("shop"))).toHaveLength(surface === "full" ? 0 : 2);
    });

    it.runIf(replayed?.startsWith(surface))("is replayed", { timeout: PATIENCE_MS }, async ({ task }) => {
      await expectAll(task, [parsePlan(replayed ?? "")]);
    });

    const kept = keptFaults.filter(({ faults }) => faults.startsWith(surface));
    it.runIf(replayed === undefined && kept.length > 0)("holds with what failed once", async ({ task }) => {
      const plans = kept.map(({ faults }) => parsePlan(faults));
      const met: (readonly string[])[] = [];
      await expectAll(task, plans, (plan, trace) => {
        met.push(plan.faults.map(({ at }) => nameOf(trace[at - 1])));
        return [];
      });
      expect(met, "what the faults of each plan meet").toEqual(kept.map(({ exchanges }) => exchanges));
    });

    it.runIf(replayed === undefined)("holds with one of any kind", { timeout: PATIENCE_MS }, async ({ task }) => {
      const all = singles(surface, reference().trace);
      const random = numbers(effort.seed);
      await expectAll(task, effort.all ? all : Array.from({ length: 12 }, () => oneOf(all, random)));
    });

    it.runIf(replayed === undefined)("holds with two of any kinds", { timeout: PATIENCE_MS }, async ({ task }) => {
      const random = numbers(effort.seed + 1);
      const all = singles(surface, reference().trace);
      const firsts = Array.from({ length: effort.cases(4, 200) }, () => oneOf(all, random));
      await expectAll(task, firsts, (first, trace) => {
        const next = seconds(first, trace, faultsAt);
        return next.length === 0 ? [] : Array.from({ length: effort.cases(4, 10) }, () => oneOf(next, random));
      });
    });
  });
}

/**
 * Declares all pairs of writes with all phases of dying at them, which only `make chaos` goes through; all pairs of all
 * that can go wrong would be a hundred times more.
 * @param part of the first writes this file takes every `of`th from, counted from 1: a core has one file at a time.
 */
export function pairsOfCrashes(surface: Surface, { part, of }: { readonly part: number; readonly of: number }): void {
  describe.runIf(effort.all && replayed === undefined)(`[P2] two crashes in one run, ${surface} surface`, () => {
    const { reference, expectAll } = groundOf(surface);

    it(`holds in every phase of any two writes, part ${part} of ${of}`, { timeout: PATIENCE_MS }, async ({ task }) => {
      const firsts = singles(surface, reference().trace, crashesAt);
      const mine = firsts.filter((_, index) => index % of === part - 1);
      await expectAll(task, mine, (first, trace) => seconds(first, trace, crashesAt));
    });
  });
}

interface Fixture {
  /** The life without faults. */
  readonly reference: () => Outcome;
  /** Goes through plans, each followed by those that `then` makes of its trace, and on after one that fails. */
  readonly expectAll: (
    task: TestContext["task"],
    plans: readonly Plan[],
    then?: (first: Plan, trace: readonly Exchange[]) => readonly Plan[],
  ) => Promise<void>;
}

/** Sets up before the tests of the describe that it is called in, and tears down after them. */
function groundOf(surface: Surface): Fixture {
  let platforms: Platforms;
  let reference: Outcome;
  beforeAll(async () => {
    platforms = await buildPlatforms();
    reference = await run(platforms, { surface, faults: [] });
  }, 60_000);
  afterAll(() => platforms.close());
  return {
    reference: () => reference,
    expectAll: async (task, plans, then = () => []) => {
      const failed: string[] = [];
      let [runs, exchanges] = [0, 0];
      const tryOut = async (plan: Plan): Promise<readonly Exchange[]> => {
        const { trace, violations } = await run(platforms, plan, reference);
        runs += 1;
        exchanges += trace.length;
        if (violations.length > 0) failed.push(`${planText(plan)}: ${violations.join("; ")}`);
        return trace;
      };
      for (const first of plans) {
        for (const second of then(first, await tryOut(first))) await tryOut(second);
      }
      expect(failed, "plans that failed, and why").toEqual([]);
      figure(task, `${runs} lives of ${Math.round(exchanges / runs)} exchanges, nothing repeated, lost or left`, runs);
    },
  };
}
