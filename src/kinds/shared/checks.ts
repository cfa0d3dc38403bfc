/** Plans as lists of checks: the first difference whose step no policy blocks wins. */
import type { Plan, Step, StatusReason } from "../../engine/contract/kind.ts";
import type { WithPolicies } from "./types.ts";

/**
 * Returns the first plan that is not a blocked step; settled when there is none.
 * @param context.policies.blockedOperations operations that a policy forbids now; a step of one of them is skipped
 * @param checks in order; each returns what to do, or undefined where nothing differs
 */
export function firstOf<Action>(
  context: WithPolicies<"blockedOperations">,
  checks: readonly (() => Plan<Action> | undefined)[],
): Plan<Action> {
  for (const check of checks) {
    const found = check();
    if (found !== undefined && !(found.is === "step" && context.policies.blockedOperations.has(found.step.op)))
      return found;
  }
  return { is: "settled" };
}

/** Returns a plan that waits for a person. */
export function stalled(reason: StatusReason["reason"], message: string): Plan<never> {
  return { is: "stalled", why: { reason, message } };
}

type Once<Action> = Extract<Step<Action>, { repeat: "once" }>;

/** Returns a plan with a step that must not be executed twice. It creates no object unless `rest` sets `creates`. */
export function once<Action>(
  op: string,
  what: Action,
  why: StatusReason,
  rest: Pick<Once<Action>, "mark"> & Partial<Omit<Once<Action>, "repeat" | "op" | "action" | "why" | "mark">>,
): Plan<Action> {
  return { is: "step", step: { repeat: "once", op, action: what, why, creates: false, ...rest } };
}

type Safe<Action> = Extract<Step<Action>, { repeat: "safe" }>;

/** Returns a plan with a step that may be repeated. */
export function safely<Action>(
  op: string,
  what: Action,
  rest: Omit<Safe<Action>, "repeat" | "op" | "action"> = {},
): Plan<Action> {
  return { is: "step", step: { repeat: "safe", op, action: what, ...rest } };
}
