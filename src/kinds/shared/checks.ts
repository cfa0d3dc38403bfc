/** Plans as lists of checks: the first difference that the policies let through wins. */
import type { ContextPolicies, Plan } from "../../engine/contract/kind.ts";

/**
 * Returns the first plan that counts; settled when none does.
 * @param context.policies.blockedOperations operations that a policy forbids now; a step of one of them is skipped
 * @param checks in order; each returns what to do, or undefined where nothing differs
 */
export function firstOf<Do>(
  context: { readonly policies: Pick<ContextPolicies, "blockedOperations"> },
  checks: readonly (() => Plan<Do> | undefined)[],
): Plan<Do> {
  for (const check of checks) {
    const found = check();
    if (found !== undefined && !(found.is === "step" && context.policies.blockedOperations.has(found.step.op)))
      return found;
  }
  return { is: "settled" };
}
