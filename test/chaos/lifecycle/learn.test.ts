import { describe, it } from "vitest";

import { effort } from "../../support/env/effort.ts";
import { isWrite } from "./plan.ts";
import { runLifecycle } from "./run.ts";
import { readTrace, stepsOf, writeTrace } from "./trace.ts";

const learning = process.env["CHAOS_LEARN"] === "1";

/** The number of lifecycles that have to make a call before a plan waits for it. */
const RUNS = learning ? 6 : 2;

/** `make life LEARN=1` writes the reference trace; otherwise the test compares two lifecycles with it. */
describe.concurrent.each(["full", "documented"] as const)("[A1] a lifecycle without faults, %s surface", (surface) => {
  it.runIf(effort.all || learning)("makes the writes of the reference trace", async ({ expect }) => {
    const runs = [];
    while (runs.length < RUNS) runs.push(...(await Promise.all([runLifecycle(surface), runLifecycle(surface)])));
    const violations = runs.flatMap((run) => run.violations);
    expect(violations, violations.join("\n")).toEqual([]);
    const [{ ends, held } = { ends: {}, held: {} }] = runs;
    for (const run of runs) expect({ ends: run.ends, held: run.held }).toEqual({ ends, held });
    const steps = stepsOf(
      runs.map((run) => run.steps),
      (what) => !isWrite(what),
    );
    if (learning) writeTrace(surface, { steps, ends, held });
    const trace = readTrace(surface);
    const known = new Set(trace.steps.map(({ what }) => what));
    // Which of several successive events are written depends on the timing.
    const isEvent = (what: string) => what.startsWith("kube POST events");
    const unknown = steps.filter(({ what }) => isWrite(what) && !isEvent(what) && !known.has(what));
    expect(unknown, "writes that no plan knows: make life LEARN=1").toEqual([]);
    expect({ ends, held }).toEqual({ ends: trace.ends, held: trace.held });
  });
});
