/** A plan as a list of checks: the first difference that the policies let through wins. */
import type { Plan } from "../../engine/contract/kind.ts";

/**
 * @param pass.withheld operations that a policy forbids now; a step of one of them is passed over.
 * @param checks in order; each returns what is to be done, or undefined where nothing differs.
 * @returns the first that counts; settled when none does.
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
