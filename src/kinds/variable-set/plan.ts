/** Plans a variable set: a list of checks, of which the first difference wins. Pure. */
import { fieldKey, isChangedAtSource, type Ms, type Plan, type StatusReason } from "../../engine/contract/kind.ts";
import { firstOf, safely } from "../shared/checks.ts";
import { hasOperation } from "../shared/surface.ts";
import { isOfApplication } from "../variables/declared.ts";
import type { KnownVariable } from "./crd.ts";
import { type Judged, judgeVariables, type Verdict } from "./judge.ts";
import {
  beyondReach,
  changedSecrets,
  conflict,
  left,
  missingTargets,
  numbered,
  type Outlook,
  READ_BACK,
  tooMany,
  troubleOf,
  unsynced,
} from "./messages.ts";
import { type Action, type Import, type ListedVariable, type Observed, sentKey, type SetContext } from "./model.ts";
import { isCreated, isFixed, leftovers, type SetTarget, targetsOf } from "./target.ts";

type Check = Plan<Action> | undefined;

/** How often a set that waits for an application is reconciled. A change of the application's resource requeues it. */
const LOOK_MS = 300_000;

/** Returns the next step. */
export function plan(context: SetContext, observed: Observed): Plan<Action> {
  const targets = targetsOf(context, observed);
  if (context.goal !== "present") return planRemoval(context, observed, targets);
  const refused = tooMany(context) ?? conflictOf(context);
  if (refused !== undefined) return { is: "stalled", why: refused };
  const outlook = outlookOf(context, observed, targets);
  return firstOf(context, [
    () => imports(context, observed, outlook, "send"),
    () => replacements(context, observed, outlook, "send"),
    () => removals(context, observed, targets),
    () => imports(context, observed, outlook, "restore"),
    () => replacements(context, observed, outlook, "restore"),
    // The next reconcile reads what the requests of this one created.
    () => waiting(observed.sent.size > 0 ? READ_BACK : undefined, 0),
    () => stalled(troubleOf(targets)),
    () => (context.policies.corrects === "Nothing" ? undefined : stalled(changedSecrets(outlook))),
    () => unfinished(outlook),
    () => waiting(missingTargets(context), LOOK_MS),
  ]);
}

/** Returns the applications of the spec that are shown, with the verdict on each variable. */
export function outlookOf(context: SetContext, observed: Observed, targets: readonly SetTarget[]): readonly Outlook[] {
  return targets
    .filter(({ wanted, state }) => wanted && state?.is === "shown")
    .map((target) => ({ target, judged: judgeVariables(context, observed, target) }));
}

const waiting = (why: StatusReason | undefined, again: Ms): Check => why && { is: "waiting", why, again };
const stalled = (why: StatusReason | undefined): Check => why && { is: "stalled", why };

/** Waits while variables that the platform did not take are sent again, and stalls after that. */
function unfinished(outlook: readonly Outlook[]): Check {
  // A policy holds back what is to be sent and was not; the engine reports that.
  const why = unsynced(outlook, ["send"]);
  const isTried = outlook.some(({ judged }) => judged.some(({ verdict }) => verdict === "later"));
  return why && { is: isTried ? "waiting" : "stalled", why };
}

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

/**
 * Returns the next import: all that is due in one application. Variables that the set created may always be replaced.
 */
function imports(context: SetContext, observed: Observed, outlook: readonly Outlook[], verdict: Verdict): Check {
  const steps = outlook.flatMap(({ target, judged }) => {
    const due = judged.filter((one) => one.verdict === verdict && isImportable(context, one));
    const mayReplace = ({ own }: Judged): boolean => context.inputs.overwrite || isCreated(target.known, own);
    return [true, false]
      .map((overwrite): Import => {
        const some = due.filter((one) => mayReplace(one) === overwrite);
        return { what: "import", id: target.id, overwrite, names: some.map(({ variable }) => variable.name) };
      })
      .filter((step) => step.names.length > 0 && !observed.sent.has(sentKey(step)))
      .map((step) => ({ target, step }));
  });
  const [first] = steps;
  if (first === undefined) return undefined;
  const variables = numbered(steps.flatMap(({ step }) => step.names).length, "variable");
  const applications = numbered(new Set(steps.map(({ step }) => step.id)).size, "application");
  const message = `Import ${variables} into ${applications}.`;
  return safely<Action>("importVariables", first.step, { message, ...causeOf(context, first.target, verdict) });
}

/** Reports whether an import may send a variable. A secret that can be replaced by its id is not imported. */
function isImportable(context: SetContext, { own }: Pick<Judged, "own">): boolean {
  return own?.isSecret !== true || isFixed(context, own);
}

/** Returns the next replacement of an existing secret, by its id. One that should not be secret is removed first. */
function replacements(context: SetContext, observed: Observed, outlook: readonly Outlook[], verdict: Verdict): Check {
  for (const { target, judged } of outlook) {
    for (const { variable, own, verdict: mine } of judged) {
      if (mine !== verdict || own === undefined || isImportable(context, { own })) continue;
      const { name, isSecret } = variable;
      const what = isSecret ? "updateSecret" : "remove";
      const step: Action = { what, id: target.id, name, entryId: own.id, isSecret: true };
      if (observed.sent.has(sentKey(step))) continue;
      const [op, how] = isSecret ? ["updateSecret", "Replace"] : ["deleteSecret", "Remove"];
      const message = `${how} the secret ${name} of application ${target.label}.`;
      return safely(op, step, { message, ...causeOf(context, target, verdict) });
    }
  }
  return undefined;
}

/** Returns whether a step restores what others changed, or sends what a user changed in a Secret or ConfigMap. */
function causeOf({ inputs }: SetContext, { known }: SetTarget, verdict: Verdict) {
  const corrects = verdict === "restore";
  return { corrects, follows: !corrects && isChangedAtSource(known.written, inputs.fingerprint) };
}

/** Returns the plan for the deletion of the resource. */
function planRemoval(context: SetContext, observed: Observed, targets: readonly SetTarget[]): Plan<Action> {
  const step = removals(context, observed, targets);
  if (step !== undefined) return step;
  for (const target of targets) {
    const why = leftovers(target, context.inputs).length > 0 ? beyondReach(context, target) : undefined;
    if (why !== undefined) return { is: "stalled", why };
  }
  const stuck = targets
    .map((target) => ({ target, keys: unprunable(context, target) }))
    .filter(({ keys }) => keys.length > 0);
  return stuck.length === 0 ? { is: "settled" } : { is: "stalled", why: left(stuck) };
}

/** Returns the next removal, where the surface has deletions and the policies allow it. */
function removals(context: SetContext, observed: Observed, targets: readonly SetTarget[]): Check {
  for (const target of targets) {
    for (const variable of leftovers(target, context.inputs)) {
      const entry = removable(context, target, variable);
      if (entry === undefined) continue;
      const { id: entryId, key: name, isSecret } = entry;
      const step: Action = { what: "remove", id: target.id, name, entryId, isSecret };
      const op = removalOf(isSecret);
      if (observed.sent.has(sentKey(step)) || context.policies.blockedOperations.has(op)) continue;
      const what = isSecret ? "secret" : "variable";
      const message = `Remove the ${what} ${name} of application ${target.label}.`;
      return safely(op, step, { message, ...causeOf(context, target, "send") });
    }
  }
  return undefined;
}

/** Returns the entry of a variable that the set created, if it exists and can be removed through the application. */
function removable(context: SetContext, target: SetTarget, variable: KnownVariable): ListedVariable | undefined {
  const entry = createdEntry(target, variable);
  const isUnproven = target.state?.is === "shown" && target.state.isUnproven === true;
  if (entry === undefined || isUnproven || !hasOperation(context, removalOf(entry.isSecret))) return undefined;
  return isOfApplication(entry) ? entry : undefined;
}

/** Returns the operation that removes an entry. */
export function removalOf(isSecret: boolean): "deleteSecret" | "deleteVariable" {
  return isSecret ? "deleteSecret" : "deleteVariable";
}

function createdEntry({ state }: SetTarget, { key, id }: KnownVariable): ListedVariable | undefined {
  return state?.is === "shown" ? state.entries.find((one) => one.id === id && one.key === key) : undefined;
}

/** Returns the variables to remember that are no longer in the spec: the set created them, and they may still exist. */
export function remembered({ inputs }: SetContext, target: SetTarget): readonly KnownVariable[] {
  const { state } = target;
  return leftovers(target, inputs).filter((variable) =>
    state?.is === "shown" ? createdEntry(target, variable) !== undefined : state?.is !== "missing",
  );
}

/** Returns the names of those that cannot be removed: the surface has no deletion, or none through the application. */
export function unprunable(context: SetContext, target: SetTarget): readonly string[] {
  return remembered(context, target)
    .filter((variable) => removable(context, target, variable) === undefined)
    .map(({ key }) => key);
}
