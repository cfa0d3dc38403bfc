/** Plans as lists of checks: the first difference that the policies let through wins. */
import type { Plan } from "../../engine/contract/kind.ts";

/**
 * Returns the first plan that counts; settled when none does.
 * @param context.blockedOperations operations that a policy forbids now; a step of one of them is skipped
 * @param checks in order; each returns what to do, or undefined where nothing differs
 */
export function firstOf<Do>(
  context: { readonly blockedOperations: ReadonlySet<string> },
  checks: readonly (() => Plan<Do> | undefined)[],
): Plan<Do> {
  for (const check of checks) {
    const found = check();
    if (found !== undefined && !(found.is === "step" && context.blockedOperations.has(found.step.op))) return found;
  }
  return { is: "settled" };
}
