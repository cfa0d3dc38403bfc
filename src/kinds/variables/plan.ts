/** Plans the requests for the variables of a resource in one application, and names what differs. Pure. */
import {
  type ConditionFact,
  type DriftField,
  isChangedAtSource,
  type Plan,
  type StatusReason,
  type Uuid,
} from "../../engine/contract/kind.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import { faultCondition } from "../shared/answers.ts";
import { safely } from "../shared/checks.ts";
import { fitText } from "../shared/text.ts";
import type { VariableComparison, ListedVariable, VariableProblem, Remedy, VariableFacts } from "./compare.ts";
import type { Wanted } from "./declared.ts";
import { ownedVariableOf } from "./owned.ts";
import type { VariableAction } from "./send.ts";

/** The variables of a resource in one application. */
export interface VariableTarget {
  readonly id: Uuid;
  /** Name or id of the application, where the resource is another one. */
  readonly label?: string | undefined;
  readonly wanted: Wanted;
  readonly facts: VariableFacts;
}

type Check = () => Plan<VariableAction> | undefined;

/**
 * Returns the checks of some applications, in order: what the spec asks for goes before the correction of what others
 * changed, and removals that make room go before imports. The step of a check is the first of several; its message and
 * its changes tell all.
 */
export function variableChecks(targets: readonly VariableTarget[]): readonly Check[] {
  const leftovers = targets.flatMap((target) =>
    target.facts.leftovers.flatMap(({ entry }) => (entry === undefined ? [] : removal(target, entry))),
  );
  return [...checksOf(targets, false), ...removalChecks(leftovers, false), ...checksOf(targets, true)];
}

/** A request that is due. */
interface DueRequest {
  readonly target: VariableTarget;
  readonly action: VariableAction;
  /** What it does, e.g. "create the variables A, B of application web". */
  readonly text: string;
  readonly changes: readonly DriftField[];
}

/** @param corrects whether the requests revert what others changed */
function checksOf(targets: readonly VariableTarget[], corrects: boolean): readonly Check[] {
  const due = targets.flatMap((target) =>
    target.facts.comparisons
      .filter(({ drift }) => (drift !== undefined) === corrects)
      .map((comparison) => ({ target, comparison })),
  );
  const by = (remedy: Remedy) => due.filter(({ comparison }) => comparison.remedy === remedy);
  const removals = by("remove").flatMap(({ target, comparison: { shown } }) =>
    "entry" in shown ? removal(target, shown.entry) : [],
  );
  const imports = targets.flatMap((target) =>
    importsOf(
      target,
      by("import").flatMap((one) => (one.target === target ? [one.comparison] : [])),
    ),
  );
  const replacements = by("updateSecret").flatMap(({ target, comparison }) => replacement(target, comparison));
  return [
    ...removalChecks(removals, corrects),
    () => firstStep("importVariables", imports, corrects),
    () => firstStep("updateSecret", replacements, corrects),
  ];
}

function removalChecks(removals: readonly DueRequest[], corrects: boolean): readonly Check[] {
  const of = (isSecret: boolean) =>
    removals.filter(({ action }) => action.what !== "import" && action.isSecret === isSecret);
  return [false, true].map((isSecret) => () => firstStep(removalOf(isSecret), of(isSecret), corrects));
}

/** Returns the first of some requests as a step. */
function firstStep(
  operation: OperationName,
  some: readonly DueRequest[],
  corrects: boolean,
): Plan<VariableAction> | undefined {
  const [first] = some;
  if (first === undefined) return undefined;
  const shown = some.slice(0, NAMED).map(({ text }) => text);
  const more = some.length > NAMED ? ` and ${some.length - NAMED} more` : "";
  const text = `${shown.join("; ")}${more}`;
  return safely<VariableAction>(operation, first.action, {
    message: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
    changes: some.flatMap(({ changes }) => changes),
    corrects,
    follows: !corrects && isChangedAtSource(first.target.facts.owned.written, first.target.wanted.fingerprint),
  });
}

/** Returns the imports of all that is due in an application: one of what replaces, and one of what does not. */
function importsOf(target: VariableTarget, due: readonly VariableComparison[]): readonly DueRequest[] {
  const mayReplace = ({ variable }: VariableComparison): boolean =>
    target.wanted.overwrite || ownedVariableOf(target.facts.owned, variable.name)?.digest !== undefined;
  return [true, false].flatMap((overwrite) => {
    const some = due.filter((one) => mayReplace(one) === overwrite);
    if (some.length === 0) return [];
    const names = some.map(({ variable }) => variable.name);
    const action = { what: "import", id: target.id, overwrite, names } as const;
    return [{ target, action, text: `${importText(some)}${where(target)}`, changes: some.map(changeOf(target)) }];
  });
}

/** E.g. "create the variables A, B and change the variable C". */
function importText(some: readonly VariableComparison[]): string {
  const groups = [
    ["create", some.filter(({ shown }) => shown.is === "absent")],
    ["change", some.filter(({ shown }) => "entry" in shown)],
    ["import", some.filter(({ shown }) => shown.is === "unread")],
  ] as const;
  const parts = groups.flatMap(([verb, group]) => {
    if (group.length === 0) return [];
    const names = listed(group.map(({ variable }) => variable.name));
    return [`${verb} the variable${group.length === 1 ? "" : "s"} ${names}`];
  });
  return parts.join(" and ");
}

function replacement(target: VariableTarget, comparison: VariableComparison): readonly DueRequest[] {
  const { shown, variable } = comparison;
  if (!("entry" in shown) || shown.entry.id === undefined) return [];
  const { name } = variable;
  const action = { what: "updateSecret", id: target.id, name, entryId: shown.entry.id, isSecret: true } as const;
  const text = `change the secret ${listed([name])}${where(target)}`;
  return [{ target, action, text, changes: [changeOf(target)(comparison)] }];
}

function removal(target: VariableTarget, { key: name, id: entryId, isSecret }: ListedVariable): readonly DueRequest[] {
  if (entryId === undefined) return [];
  const noun = isSecret ? "secret" : "variable";
  const action = { what: "removeVariable", id: target.id, name, entryId, isSecret } as const;
  const text = `remove the ${noun} ${listed([name])}${where(target)}`;
  return [
    { target, action, text, changes: [{ path: pathOf(target, name), desired: "absent", observed: `a ${noun}` }] },
  ];
}

/** Returns the operation that removes an entry. */
export function removalOf(isSecret: boolean): OperationName & ("deleteSecret" | "deleteVariable") {
  return isSecret ? "deleteSecret" : "deleteVariable";
}

function changeOf(target: VariableTarget): (comparison: VariableComparison) => DriftField {
  return ({ variable, shown, drift }) => {
    const observed = drift ?? ("entry" in shown ? "another value" : "missing");
    return { path: pathOf(target, variable.name), desired: declared(variable), observed };
  };
}

function declared({ isSecret }: VariableComparison["variable"]): string {
  return isSecret ? "the secret of the spec" : "the value of the spec";
}

function pathOf({ label }: Pick<VariableTarget, "label">, name: string): string {
  const path = `variables[${name}]`;
  return label === undefined ? `spec.${path}` : `spec.targets[${fitText(label, 64)}].${path}`;
}

/** Returns what others changed. Values are not told. */
export function variableDrift(target: VariableTarget): readonly DriftField[] {
  return target.facts.comparisons.flatMap((one) => {
    if (one.drift === undefined) return [];
    return [{ path: pathOf(target, one.variable.name), desired: declared(one.variable), observed: one.drift }];
  });
}

/** The largest number of names in one sentence. */
const NAMED = 5;
const NAME_LENGTH = 40;

/** Returns names for a message, e.g. "A, B and 3 more". */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).map((name) => fitText(name, NAME_LENGTH));
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `${shown.join(", ")}${more}`;
}

function where({ label }: Pick<VariableTarget, "label">): string {
  return label === undefined ? "" : ` of application ${label}`;
}

/** What is wrong with variables, by problem. */
const CAUSES: Readonly<Record<Exclude<VariableProblem, "changed" | "stuck">, string>> = {
  kept: "exists there and spec.overwrite is false",
  fixed:
    "was changed by others, and the platform's surface does not replace secrets; remove it there, and it is sent again",
  altered: "is stored with another value than was sent; declare the value as the platform stores it",
  refused:
    "was sent several times and the platform did not take it; find the reason there, then request another import with the annotation platform-operator.io/reconcile-requested-at",
  later: "was not taken by the platform and is sent again",
  unsent: "is not sent yet",
};

/** What others did, by what the platform shows. */
const CHANGES: Readonly<Record<NonNullable<VariableComparison["drift"]>, string>> = {
  missing: "is missing on the platform",
  "another value": "has another value on the platform",
  "a secret": "is a secret on the platform",
  "a plain variable": "is a plain variable on the platform",
  "changed by others": "was changed on the platform",
};

function causeText({ problem, drift, shown }: VariableComparison): string | undefined {
  switch (problem) {
    case undefined:
      return undefined;
    case "changed":
      return CHANGES[drift ?? "changed by others"];
    case "stuck": {
      const kind = "entry" in shown && !shown.entry.isSecret ? "a plain variable" : "a secret";
      return `exists there as ${kind}, which is not replaced; remove it on the platform, and it is sent again`;
    }
    default:
      return CAUSES[problem];
  }
}

/**
 * Returns which variables are not on the platform as declared, and why.
 * @param without problems that are not reported
 * @returns undefined when all are in place
 */
export function unsynced(
  targets: readonly VariableTarget[],
  without: readonly VariableProblem[] = [],
): StatusReason | undefined {
  const sentences = targets.flatMap((target) => {
    const byCause = new Map<string, string[]>();
    for (const one of target.facts.comparisons) {
      const cause = one.problem !== undefined && without.includes(one.problem) ? undefined : causeText(one);
      if (cause !== undefined) byCause.set(cause, [...(byCause.get(cause) ?? []), one.variable.name]);
    }
    return [...byCause].map(([cause, names]) => `${listed(names)}${where(target)}: ${cause}`);
  });
  if (sentences.length === 0) return undefined;
  const more = sentences.length > 2 ? `; and ${sentences.length - 2} more` : "";
  return { reason: "VariablesPending", message: `${sentences.slice(0, 2).join("; ")}${more}.` };
}

/** Returns why the resource waits, or needs a person, because variables are not in place; undefined when all are. */
export function planUnsynced(targets: readonly VariableTarget[]): Plan<never> | undefined {
  // The engine reports a policy that holds back what is to be sent.
  const why = unsynced(targets, ["unsent"]);
  if (why === undefined) return undefined;
  const isTried = targets.some(({ facts }) => facts.comparisons.some(({ problem }) => problem === "later"));
  return { is: isTried ? "waiting" : "stalled", why };
}

/** Returns which variables left the spec and are still on the platform; undefined when none are. */
export function variablesLeft(targets: readonly VariableTarget[]): StatusReason | undefined {
  const sentences = targets.flatMap((target) => {
    // A policy may hold back the removal of the others.
    const names = target.facts.leftovers.filter(({ entry }) => entry === undefined).map(({ known }) => known.key);
    return names.length === 0 ? [] : [`${listed(names)}${where(target)}`];
  });
  if (sentences.length === 0) return undefined;
  const more = sentences.length > 2 ? `, and more in ${sentences.length - 2} other applications` : "";
  const message = `Not declared any more, and not removed, as the platform's surface cannot: ${sentences.slice(0, 2).join("; ")}${more}. Remove them on the platform.`;
  return { reason: "VariablesLeft", message };
}

/**
 * Returns the condition VariablesSynced; none without variables.
 * @param fault why the lists could not be read
 * @param trouble what else keeps variables from the platform
 */
export function variablesCondition(
  targets: readonly VariableTarget[],
  fault?: StatusReason,
  trouble?: StatusReason,
): readonly ConditionFact[] {
  const type = "VariablesSynced";
  const why = unsynced(targets) ?? trouble;
  if (why !== undefined) return [{ type, status: "False", reason: "VariablesPending", message: why.message }];
  if (fault !== undefined) return faultCondition(type, fault);
  const left = variablesLeft(targets);
  if (left !== undefined) return [{ type, status: "False", ...left }];
  const isDeclared = targets.some(({ facts }) => facts.comparisons.length > 0);
  if (!isDeclared) return [];
  return [{ type, status: "True", reason: "VariablesSynced", message: "All variables are on the platform." }];
}
