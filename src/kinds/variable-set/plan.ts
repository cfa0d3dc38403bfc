/** What a variable set does next: a list of checks, the first difference wins. Pure. */
import { entryOf, type Plan, type Step, type Why } from "../../engine/contract/kind.ts";
import { firstOf } from "../shared/checks.ts";
import type { KnownVariable } from "./crd.ts";
import { judge, type Judged, type Verdict } from "./judge.ts";
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
import { type Do, type Listed, type Seen, sentKey, type SetContext } from "./model.ts";
import { isCreated, isFixed, isOfApplication, leftovers, type Target, targetsOf } from "./target.ts";

type Check = Plan<Do> | undefined;

/** An application that comes to exist wakes the set; until then only the platform may change. */
const LOOK_MS = 300_000;

export function plan(context: SetContext, seen: Seen): Plan<Do> {
  const targets = targetsOf(context, seen);
  if (context.goal !== "present") return planRemoval(context, seen, targets);
  const refused = tooMany(context) ?? conflictOf(context);
  if (refused !== undefined) return { is: "stalled", why: refused };
  const outlook = outlookOf(context, seen, targets);
  return firstOf(context, [
    () => imports(context, seen, outlook, "send"),
    () => replacements(context, seen, outlook, "send"),
    () => removals(context, seen, targets),
    () => imports(context, seen, outlook, "restore"),
    () => replacements(context, seen, outlook, "restore"),
    // The next pass reads what the requests of this one have made.
    () => (seen.sent.size > 0 ? { is: "waiting", why: READ_BACK, again: 0 } : undefined),
    () => stalled(troubleOf(targets)),
    () => (context.policies.corrects === "Nothing" ? undefined : stalled(changedSecrets(outlook))),
    () => unfinished(outlook),
    () => absent(missingTargets(context)),
  ]);
}

/** The applications of the spec that were seen, and how each variable stands there. */
export function outlookOf(context: SetContext, seen: Seen, targets: readonly Target[]): readonly Outlook[] {
  return targets
    .filter(({ wanted, sight }) => wanted && sight?.is === "shown")
    .map((target) => ({ target, judged: judge(context, seen, target) }));
}

const stalled = (why: Why | undefined): Check => why && { is: "stalled", why };
const absent = (why: Why | undefined): Check => why && { is: "waiting", why, again: LOOK_MS };

/** What was not taken over is waited for while it is tried again, and else told. */
function unfinished(outlook: readonly Outlook[]): Check {
  // What is to be sent and was not, a policy holds back: that is for the engine to tell.
  const why = unsynced(outlook, ["send"]);
  const isTried = outlook.some(({ judged }) => judged.some(({ verdict }) => verdict === "later"));
  return why && { is: isTried ? "waiting" : "stalled", why };
}

/** Another resource writes the same variable of the same application: each would undo the other. */
function conflictOf({ inputs, records: { holderOf } }: SetContext): Why | undefined {
  if (!inputs.overwrite) return undefined;
  const entries = writtenEntries(inputs);
  for (const { entry, name, label } of entries) {
    const holder = holderOf(entry);
    if (holder !== undefined) return conflict(name, label, holder);
  }
  return undefined;
}

/** What the set writes into applications. Only what is in an application's own scope can be told from other things. */
export function writtenEntries({ targets, variables }: Pick<SetContext["inputs"], "targets" | "variables">) {
  const own = variables.filter(({ scope }) => scope === undefined || scope === "APPLICATION");
  return targets.flatMap(({ id, name: resource }) =>
    id === undefined ? [] : own.map(({ name }) => ({ entry: entryOf(id, name), name, label: resource ?? id })),
  );
}

/** One request for one application: all that is due there. What the set created may be replaced in any case. */
function imports(context: SetContext, seen: Seen, outlook: readonly Outlook[], verdict: Verdict): Check {
  const steps = outlook.flatMap(({ target, judged }): readonly Do[] => {
    const due = judged.filter((one) => one.verdict === verdict && isImportable(context, one));
    const mayReplace = ({ own }: Judged): boolean => context.inputs.overwrite || isCreated(target.known, own);
    return [due.filter(mayReplace), due.filter((one) => !mayReplace(one))]
      .map((some, index): Do => {
        const names = some.map(({ variable }) => variable.name);
        return { what: "import", id: target.id, overwrite: index === 0, names };
      })
      .filter((step) => step.what === "import" && step.names.length > 0 && !seen.sent.has(sentKey(step)));
  });
  return stepOf("importVariables", steps[0], verdict, `Import ${imported(steps)}.`);
}

/** Some platforms replace no secret by an import; where its id can be used it is not tried. */
function isImportable(context: SetContext, { own }: Judged): boolean {
  return own?.isSecret !== true || isFixed(context, own);
}

function imported(steps: readonly Do[]): string {
  const names = steps.flatMap((step) => (step.what === "import" ? step.names : []));
  return `${numbered(names.length, "variable")} into ${numbered(new Set(steps.map(({ id }) => id)).size, "application")}`;
}

/** Secrets that are there are replaced by their id, on the full surface. One that is to be none has to go first. */
function replacements(context: SetContext, seen: Seen, outlook: readonly Outlook[], verdict: Verdict): Check {
  for (const { target, judged } of outlook) {
    for (const { variable, own, verdict: mine } of judged) {
      if (mine !== verdict || own === undefined || isImportable(context, { variable, own, verdict })) continue;
      const { name, isSecret } = variable;
      const at = { id: target.id, name, entryId: own.id };
      const step: Do = isSecret ? { what: "updateSecret", ...at } : { what: "remove", ...at, isSecret: true };
      if (seen.sent.has(sentKey(step))) continue;
      const how = isSecret ? "Replace" : "Remove";
      return stepOf(
        isSecret ? "updateSecret" : "deleteSecret",
        step,
        verdict,
        `${how} the secret ${name} of application ${target.label}.`,
      );
    }
  }
  return undefined;
}

function stepOf(op: string, what: Do | undefined, verdict: Verdict, message: string): Check {
  if (what === undefined) return undefined;
  const corrects = verdict === "restore" && { corrects: true };
  const step: Step<Do> = { repeat: "safe", op, do: what, message, ...corrects };
  return { is: "step", step };
}

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
      const plan = removalStep(step, target);
      if (!seen.sent.has(sentKey(step)) && !context.policies.blockedOperations.has(plan.step.op)) return plan;
    }
  }
  return undefined;
}

function removalStep(
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
