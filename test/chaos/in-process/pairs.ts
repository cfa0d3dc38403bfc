/**
 * The whole operator in process, over a cluster and a platform in memory and one clock, goes through a life, and one or
 * two things go wrong at any of its exchanges (reliability-bar §2.1, "Double faults"). A plan that fails is told; it is
 * run again by FAULTS, e.g. `FAULTS=full:17:after+23:lost npx vitest run --project unit test/unit/two-faults`.
 */
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";

import type { Surface } from "../../../src/simulator/operations.ts";
import { effort } from "../../support/effort.ts";
import { figure } from "../../support/figure.ts";
import { keptFaults } from "../kept.ts";
import { crashesAt, numbers, oneOf, seconds, singles } from "./choose.ts";
import { faultsAt, parsePlan, planText, type Exchange, type Plan } from "./faults.ts";
import { buildPlatforms, type Platforms } from "./platform.ts";
import { run, type Outcome } from "./run.ts";

/** A plan to run alone. */
// oxlint-disable-next-line node/no-process-env -- as effort.ts
const replayed = process.env["FAULTS"];
const PATIENCE_MS = 4 * 60 * 60_000;

/** Declares the tests of a surface. */
export function pairsOfFaults(surface: Surface): void {
  describe(`[P2] two faults in one run, ${surface} surface`, () => {
    declare(surface);
  });
}

function declare(surface: Surface): void {
  let platforms: Platforms;
  let reference: Outcome;
  beforeAll(async () => {
    platforms = await buildPlatforms();
    reference = await run(platforms, { surface, faults: [] });
  });
  afterAll(() => platforms.close());

  /** Goes through plans, each followed by those that `then` makes of its trace, and on after one that fails. */
  async function expectAll(
    task: TestContext["task"],
    plans: readonly Plan[],
    then: (first: Plan, trace: readonly Exchange[]) => readonly Plan[] = () => [],
  ) {
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
  }

  it.runIf(replayed === undefined)("needs none: the life comes to its ends, and to rest", () => {
    expect(reference.violations).toEqual([]);
    expect(reference.held.join("\n")).toContain("api: LOG_LEVEL=debug");
    expect(reference.left.filter((line) => line.includes("shop"))).toHaveLength(surface === "full" ? 0 : 2);
  });

  it.runIf(replayed?.startsWith(surface))("is replayed", { timeout: PATIENCE_MS }, async ({ task }) => {
    await expectAll(task, [parsePlan(replayed ?? "")]);
  });

  const kept = keptFaults.map(({ faults }) => faults).filter((text) => text.startsWith(surface));
  it.runIf(replayed === undefined && kept.length > 0)("holds with what failed once", async ({ task }) => {
    await expectAll(task, kept.map(parsePlan));
  });

  it.runIf(replayed === undefined)("holds with one of any kind", { timeout: PATIENCE_MS }, async ({ task }) => {
    const all = singles(surface, reference.trace);
    const random = numbers(effort.seed);
    await expectAll(task, effort.all ? all : Array.from({ length: 24 }, () => oneOf(all, random)));
  });

  it.runIf(replayed === undefined)("holds with two of any kinds", { timeout: PATIENCE_MS }, async ({ task }) => {
    const random = numbers(effort.seed + 1);
    const all = singles(surface, reference.trace);
    const firsts = Array.from({ length: effort.cases(6, 200) }, () => oneOf(all, random));
    await expectAll(task, firsts, (first, trace) => {
      const next = seconds(first, trace, faultsAt);
      return next.length === 0 ? [] : Array.from({ length: effort.cases(4, 10) }, () => oneOf(next, random));
    });
  });

  // All pairs of writes and all phases of dying at them; all pairs of all that can go wrong would be a hundred times more.
  it.runIf(effort.all && replayed === undefined)(
    "holds with a crash in every phase of any two writes",
    { timeout: PATIENCE_MS },
    async ({ task }) => {
      const firsts = singles(surface, reference.trace, crashesAt);
      await expectAll(task, firsts, (first, trace) => seconds(first, trace, crashesAt));
    },
  );
}
