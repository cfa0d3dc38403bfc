/** Plans as lists of checks: the first difference that the policies let through wins. */
import type { Plan, Step, Why } from "../../engine/contract/kind.ts";
import type { WithPolicies } from "./types.ts";

/**
 * Returns the first plan that counts; settled when none does.
 * @param context.policies.blockedOperations operations that a policy forbids now; a step of one of them is skipped
 * @param checks in order; each returns what to do, or undefined where nothing differs
 */
export function firstOf<Do>(
  context: WithPolicies<"blockedOperations">,
  checks: readonly (() => Plan<Do> | undefined)[],
): Plan<Do> {
  for (const check of checks) {
    const found = check();
    if (found !== undefined && !(found.is === "step" && context.policies.blockedOperations.has(found.step.op)))
      return found;
  }
  return { is: "settled" };
}

/** Needs a person. */
export function stalled(reason: Why["reason"], message: string): Plan<never> {
  return { is: "stalled", why: { reason, message } };
}

type Once<Do> = Extract<Step<Do>, { repeat: "once" }>;

/** A step that may not happen twice. */
export function once<Do>(
  op: string,
  what: Do,
  why: Why,
  rest: Pick<Once<Do>, "mark"> & Partial<Omit<Once<Do>, "repeat" | "op" | "do" | "why" | "mark">>,
): Plan<Do> {
  return { is: "step", step: { repeat: "once", op, do: what, why, creates: false, ...rest } };
}

type Safe<Do> = Extract<Step<Do>, { repeat: "safe" }>;

/** A step that may be repeated. */
export function safely<Do>(op: string, what: Do, rest: Omit<Safe<Do>, "repeat" | "op" | "do"> = {}): Plan<Do> {
  return { is: "step", step: { repeat: "safe", op, do: what, ...rest } };
}
