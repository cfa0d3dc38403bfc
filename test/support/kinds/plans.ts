import { expect, it } from "vitest";

import type { Plan } from "../../../src/engine/contract/kind.ts";

/** A summary of a plan: the operation, its commit, and whether it is a correction; or the result and its reason. */
export function said(plan: Plan): string {
  if (plan.is !== "step") return "why" in plan ? `${plan.is} ${plan.why.reason}` : plan.is;
  const { step } = plan;
  const commit = step.repeat === "once" && step.commit !== undefined ? ` ${step.commit}` : "";
  return `${step.op}${commit}${step.corrects === true ? " corrects" : ""}`;
}

/** Returns what tests a table of plans in words. @param planned says what is planned */
export const planTable =
  <Change, Observed>(planned: (change: Change, observed: Observed) => string) =>
  (rows: readonly (readonly [name: string, Change, Observed, expected: string])[]): void =>
    it.each(rows)("%s", (_name, change, observed, expected) => {
      expect(planned(change, observed)).toBe(expected);
    });
