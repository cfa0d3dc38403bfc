/** What of the set is taken out of applications again: only entries that it created, and only by their ids. Pure. */
import type { Plan, Step } from "../../engine/contract/kind.ts";
import type { KnownVariable } from "./crd.ts";
import { sentKey, type Do, type Listed, type Seen, type SetContext } from "./model.ts";
import { isOfApplication, leftovers, type Target } from "./target.ts";
import { beyondReach, left } from "./words.ts";

/** The plan when the resource goes. */
export function planRemoval(context: SetContext, seen: Seen, targets: readonly Target[]): Plan<Do> {
  const step = removals(context, seen, targets);
  if (step !== undefined) return step;
  for (const target of targets) {
    const why = leftovers(target, context.inputs).length > 0 ? beyondReach(context, target) : undefined;
    if (why !== undefined) return { is: "stalled", why };
  }
  const stuck = targets.flatMap((target) => {
    const keys = unprunable(context, target);
    return keys.length === 0 ? [] : [{ target, keys }];
  });
  return stuck.length === 0 ? { is: "settled" } : { is: "stalled", why: left(stuck) };
}

/** The next entry that is to be removed, where the surface has deletions and the policies let it be. */
export function removals(
  context: SetContext,
  seen: Seen,
  targets: readonly Target[],
): Extract<Plan<Do>, { is: "step" }> | undefined {
  for (const target of targets) {
    for (const { key } of leftovers(target, context.inputs)) {
      const entry = removable(context, target, key);
      if (entry === undefined) continue;
      const { id: entryId, isSecret } = entry;
      const step: Do = { what: "remove", id: target.id, name: key, entryId, isSecret };
      const plan = stepOf(step, target);
      if (!seen.sent.has(sentKey(step)) && !context.policies.blockedOperations.has(plan.step.op)) return plan;
    }
  }
  return undefined;
}

function stepOf(
  step: Extract<Do, { what: "remove" }>,
  { label }: Target,
): { readonly is: "step"; readonly step: Step<Do> } {
  const what = step.isSecret ? "secret" : "variable";
  const message = `Remove the ${what} ${step.name} of application ${label}.`;
  return {
    is: "step",
    step: { repeat: "safe", op: step.isSecret ? "deleteSecret" : "deleteVariable", do: step, message },
  };
}

/**
 * The entry that we created under this name, and that still has it, if it is still there and can be removed through the
 * application.
 */
function removable({ supports }: SetContext, target: Target, key: string): Listed | undefined {
  const entry = createdEntry(target, key);
  if (isUnproven(target) || entry === undefined) return undefined;
  if (supports(entry.isSecret ? "deleteSecret" : "deleteVariable") === "Unsupported") return undefined;
  return isOfApplication(entry) ? entry : undefined;
}

function isUnproven({ sight }: Target): boolean {
  return sight?.is === "shown" && sight.isUnproven === true;
}

function createdEntry({ known, sight }: Target, key: string): Listed | undefined {
  const id = known.variables?.find((one) => one.key === key && one.created === true)?.id;
  if (sight?.is !== "shown" || id === undefined) return undefined;
  return sight.entries.find((one) => one.id === id && one.key === key);
}

/** What we created, is not wanted any more, and stays: no deletion on this surface, or none through the application. */
export function unprunable(context: SetContext, target: Target): readonly string[] {
  const { sight } = target;
  return leftovers(target, context.inputs)
    .filter(({ key }) => {
      if (sight?.is !== "shown") return sight?.is !== "missing";
      return createdEntry(target, key) !== undefined && removable(context, target, key) === undefined;
    })
    .map(({ key }) => key);
}

/** What has to be remembered of what is not in the spec any more: that which we created and which is still there. */
export function remembered(context: SetContext, target: Target): readonly KnownVariable[] {
  const { sight } = target;
  return leftovers(target, context.inputs).filter(({ key, id }) => {
    if (sight?.is !== "shown" || id === undefined) return sight?.is !== "missing";
    return createdEntry(target, key) !== undefined;
  });
}
