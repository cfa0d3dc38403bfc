import { describe, it } from "vitest";

import { effort } from "../../support/env/effort.ts";
import { isWrite } from "./plan.ts";
import { live } from "./run.ts";
import { readTrace, stepsOf, writeTrace } from "./trace.ts";

const learning = process.env["CHAOS_LEARN"] === "1";

/** `make life LEARN=1` learns the reference trace; else what was learnt has to be what still happens. */
describe.concurrent.each(["full", "documented"] as const)("[A1] the life without faults, %s surface", (surface) => {
  it.runIf(effort.all || learning)("does what the reference trace says", async ({ expect }) => {
    const [first, second] = await Promise.all([live(surface), live(surface)]);
    const violations = [...first.violations, ...second.violations];
    expect(violations, violations.join("\n")).toEqual([]);
    expect(first.ends).toEqual(second.ends);
    expect(first.held).toEqual(second.held);
    const steps = stepsOf(first.steps, second.steps, (what) => !isWrite(what));
    if (learning) writeTrace(surface, { steps, ends: first.ends, held: first.held });
    const known = new Set(readTrace(surface).steps.map(({ what }) => what));
    // Which of several events in a row are told depends on the moment.
    const isEvent = (what: string) => what.startsWith("kube POST events");
    const unknown = steps.filter(({ what }) => isWrite(what) && !isEvent(what) && !known.has(what));
    expect(unknown, "writes that no plan knows: make life LEARN=1").toEqual([]);
    expect(first.ends).toEqual(readTrace(surface).ends);
    expect(first.held).toEqual(readTrace(surface).held);
  });
});
