/** Plans a variable set: a list of checks, of which the first difference wins. Pure. */
import { fieldKey, type Ms, type Plan, type StatusReason } from "../../engine/contract/kind.ts";
import { firstOf } from "../shared/checks.ts";
import { isOfApplication } from "../variables/compare.ts";
import { planUnsynced, variableChecks, variablesLeft } from "../variables/plan.ts";
import type { VariableAction } from "../variables/send.ts";
import { beyondReach, conflict, missingTargets, tooMany, troubleOf } from "./messages.ts";
import type { Observed, SetContext } from "./model.ts";
import { type SetTarget, shownTargets, targetsOf } from "./target.ts";

type Check = Plan<VariableAction> | undefined;

/** How often a set that waits for an application is reconciled. A change of the application's resource requeues it. */
const LOOK_MS = 300_000;

/** Returns the next step. */
export function plan(context: SetContext, observed: Observed): Plan<VariableAction> {
  const targets = targetsOf(context, observed);
  if (context.goal !== "present") return planRemoval(context, targets);
  const refused = tooMany(context) ?? conflictOf(context);
  if (refused !== undefined) return { is: "stalled", why: refused };
  const shown = shownTargets(targets);
  return firstOf(context, [
    ...variableChecks(changeable([...shown, ...targets.filter(({ isWanted }) => !isWanted)])),
    () => stalled(troubleOf(targets)),
    () => planUnsynced(shown),
    () => waiting(missingTargets(context), LOOK_MS),
  ]);
}

const waiting = (why: StatusReason | undefined, again: Ms): Check => why && { is: "waiting", why, again };
const stalled = (why: StatusReason | undefined): Check => why && { is: "stalled", why };

/** Returns the conflict with a resource that writes the same variable: each would undo the writes of the other. */
function conflictOf({ inputs, records: { holderOf } }: SetContext): StatusReason | undefined {
  if (!inputs.overwrite) return undefined;
  for (const { id, field, label } of claimedFields(inputs)) {
    const holder = holderOf(fieldKey(id, field));
    if (holder !== undefined) return conflict(field, label, holder);
  }
  return undefined;
}

/** Returns the fields that the set writes. Only variables in an application's own scope can be distinguished. */
export function claimedFields({ targets, variables }: Pick<SetContext["inputs"], "targets" | "variables">) {
  const own = variables.filter(isOfApplication);
  return targets.flatMap(({ id, name: resource }) =>
    id === undefined ? [] : own.map(({ name }) => ({ id, field: name, label: resource ?? id })),
  );
}

/** Returns the applications without leftovers where those may belong to others: nothing is removed there. */
function changeable(targets: readonly SetTarget[]): readonly SetTarget[] {
  return targets.map((target) => {
    const { state, facts } = target;
    const isUnproven = state?.is === "shown" && state.isUnproven === true;
    return isUnproven ? { ...target, facts: { ...facts, leftovers: [] } } : target;
  });
}

/** Returns the plan for the deletion of the resource. */
function planRemoval(context: SetContext, targets: readonly SetTarget[]): Plan<VariableAction> {
  const step = firstOf(context, variableChecks(changeable(targets)));
  if (step.is !== "settled") return step;
  for (const target of targets) {
    const why = target.facts.leftovers.length > 0 ? beyondReach(context, target) : undefined;
    if (why !== undefined) return { is: "stalled", why };
  }
  const left = variablesLeft(targets);
  return left === undefined
    ? { is: "settled" }
    : { is: "stalled", why: { reason: "DeleteNotSupported", message: left.message } };
}
