import type { Plan } from "../../../src/engine/contract/kind.ts";

/** A summary of a plan: the operation, or the result and its reason. */
export function said(plan: Plan): string {
  if (plan.is === "step") return plan.step.op;
  return "why" in plan ? `${plan.is} ${plan.why.reason}` : plan.is;
}
