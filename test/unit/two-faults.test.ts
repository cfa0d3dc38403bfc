/**
 * The whole operator in process, over a cluster and a platform in memory and one clock, goes through a life, and one or
 * two things go wrong at any of its exchanges (reliability-bar §2.1, "Double faults"). A plan that fails is told; it is
 * run again by FAULTS, e.g. `FAULTS=full:17:after+23:lost npx vitest run --project unit test/unit/two-faults.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { crashesAt, numbers, oneOf, seconds, singles } from "../chaos/in-process/choose.ts";
import { faultsAt, parsePlan, planText, type Plan } from "../chaos/in-process/faults.ts";
import { buildPlatforms, type Platforms } from "../chaos/in-process/platform.ts";
import { run, type Outcome } from "../chaos/in-process/run.ts";
import { effort } from "../support/effort.ts";
import { figure } from "../support/figure.ts";

/** A plan to run alone. */
// oxlint-disable-next-line node/no-process-env -- as effort.ts
const replayed = process.env["FAULTS"];
const PATIENCE_MS = 4 * 60 * 60_000;

describe.each(["documented", "full"] as const)("[P2] two faults in one run, %s surface", (surface) => {
  let platforms: Platforms;
  let reference: Outcome;
  beforeAll(async () => {
    platforms = await buildPlatforms();
    reference = await run(platforms, { surface, faults: [] });
  });
  afterAll(() => platforms.close());

  /** Goes through plans, and on after one that fails. @returns their outcomes */
  async function expectAll(plans: Iterable<Plan>) {
    const failed: string[] = [];
    let [runs, exchanges] = [0, 0];
    for (const plan of plans) {
      const { trace, violations } = await run(platforms, plan, reference);
      runs += 1;
      exchanges += trace.length;
      if (violations.length > 0) failed.push(`${planText(plan)}: ${violations.join("; ")}`);
    }
    expect(failed, "plans that failed, and why").toEqual([]);
    return { runs, text: `${runs} runs of ${Math.round(exchanges / runs)} exchanges, 0 repeated, lost or left` };
  }

  it.runIf(replayed === undefined)("needs none: the life comes to its ends, and to rest", () => {
    expect(reference.violations).toEqual([]);
    expect(reference.held.join("\n")).toContain("api: LOG_LEVEL=debug");
    expect(reference.left.filter((line) => line.includes("shop"))).toHaveLength(surface === "full" ? 0 : 2);
  });

  it.runIf(replayed?.startsWith(surface))("is replayed", { timeout: PATIENCE_MS }, async () => {
    await expectAll([parsePlan(replayed ?? "")]);
  });

  it.runIf(replayed === undefined)(
    "holds with one of every kind anywhere",
    { timeout: PATIENCE_MS },
    async ({ task }) => {
      const all = singles(surface, reference.trace);
      const random = numbers(effort.seed);
      const chosen = effort.all ? all : Array.from({ length: 30 }, () => oneOf(all, random));
      const { runs, text } = await expectAll(chosen);
      figure(task, text, runs);
    },
  );

  it.runIf(replayed === undefined)("holds with two of any kinds", { timeout: PATIENCE_MS }, async ({ task }) => {
    const random = numbers(effort.seed);
    const all = singles(surface, reference.trace);
    const chosen: Plan[] = [];
    while (chosen.length < effort.cases(32, 2_000)) {
      const first = oneOf(all, random);
      const { trace } = await run(platforms, first, reference);
      const next = seconds(first, trace, faultsAt);
      for (let more = 0; more < effort.cases(4, 10); more += 1) chosen.push(oneOf(next, random));
    }
    const { runs, text } = await expectAll(chosen);
    figure(task, text, runs);
  });

  it.runIf(effort.all && replayed === undefined)(
    "holds with a crash in every phase of any two writes",
    { timeout: PATIENCE_MS },
    async ({ task }) => {
      const writes = reference.trace.flatMap((exchange, index) =>
        crashesAt(exchange).map((fault): Plan => ({ surface, faults: [{ at: index + 1, fault }] })),
      );
      const pairs: Plan[] = [];
      for (const first of writes) {
        const { trace } = await run(platforms, first, reference);
        pairs.push(...seconds(first, trace, crashesAt));
      }
      const { runs, text } = await expectAll(pairs);
      figure(task, text, runs);
    },
  );
});
