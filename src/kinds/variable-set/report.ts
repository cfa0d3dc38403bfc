/** Builds the report of a variable set, with names, ids and times, never values. Pure. */
import type { ConditionFact, DriftField, Report, StatusReason } from "../../engine/contract/kind.ts";
import { fitText } from "../shared/text.ts";
import { MAX_NAMES, MAX_TARGETS, type KnownTarget } from "./crd.ts";
import type { Judged, Verdict } from "./judge.ts";
import { missingTargets, numbered, troubleOf, unsynced, type Outlook } from "./messages.ts";
import { awaitedOf, type Observed, type SetContext } from "./model.ts";
import { outlookOf, remembered, unprunable } from "./plan.ts";
import { isFresh, targetsOf, type SetTarget } from "./target.ts";

export function report(context: SetContext, observed: Observed): Report {
  const targets = targetsOf(context, observed);
  const outlook = outlookOf(context, observed, targets);
  const shown = targets
    .map((target) => targetStatus(context, target, outlook))
    .filter(({ variables }, index) => targets[index]?.wanted === true || variables !== undefined);
  const { skipped } = context.inputs;
  return {
    ready: ready(context, outlook),
    conditions: [synced(context, targets, outlook)],
    status: {
      targets: [...shown, ...awaitedOf(context)].slice(0, MAX_TARGETS),
      targetsSynced: `${outlook.filter(({ judged }) => judged.every(isDone)).length}/${context.inputs.targets.length}`,
      skippedKeys: skipped.length === 0 ? undefined : skipped.slice(0, MAX_NAMES),
    },
    drift: outlook.flatMap((one) => (isFresh(observed, one.target.id) ? [] : drift(one))),
  };
}

const DONE: ReadonlySet<Verdict> = new Set(["fine", "restore", "changed"]);
const isDone = ({ verdict }: Judged): boolean => DONE.has(verdict);

function targetStatus(context: SetContext, target: SetTarget, outlook: readonly Outlook[]): KnownTarget {
  const { known, wanted, state } = target;
  const names = new Set(wanted && state?.is !== "missing" ? context.inputs.variables.map(({ name }) => name) : []);
  const variables = [
    ...(known.variables ?? []).filter(({ key }) => names.has(key)),
    ...remembered(context, target),
  ].toSorted((left, right) => (left.key < right.key ? -1 : 1));
  const { applicationId, name, before } = known;
  const judged = outlook.find((one) => one.target.id === target.id)?.judged;
  return {
    ...(wanted ? known : { applicationId, name, before }),
    ...(judged !== undefined && facts(judged)),
    variables: variables.length === 0 ? undefined : variables,
    unprunableKeys: listed(unprunable(context, target)),
  };
}

function facts(judged: readonly Judged[]): Partial<KnownTarget> {
  const secrets = judged.flatMap(({ own }) => (own?.isSecret === true ? [own] : []));
  return {
    total: judged.length,
    imported: judged.filter(isDone).length,
    failed: listed(judged.filter((one) => !isDone(one) && one.verdict !== "send").map(({ variable }) => variable.name)),
    secretKeys: listed(secrets.map(({ key, id, updatedAt }) => ({ key, id, updatedAt }))),
  };
}

function listed<T>(items: readonly T[]): T[] | undefined {
  return items.length === 0 ? undefined : items.slice(0, MAX_NAMES);
}

function ready({ inputs }: SetContext, outlook: readonly Outlook[]): StatusReason {
  const all = outlook.flatMap(({ judged }) => judged);
  const open = all.filter((one) => !isDone(one)).length;
  const what = numbered(inputs.variables.length, "variable");
  const where = numbered(inputs.targets.length, "application");
  const left =
    inputs.skipped.length === 0 ? "" : ` ${numbered(inputs.skipped.length, "key")} left out: see status.skippedKeys.`;
  const message =
    open === 0
      ? `${what} in place in ${where}.${left}`
      : `${all.length - open} of ${numbered(all.length, "variable")} in place; the others may not be written now.`;
  return { reason: "Available", message };
}

function synced(context: SetContext, targets: readonly SetTarget[], outlook: readonly Outlook[]): ConditionFact {
  const type = "VariablesSynced";
  const why = unsynced(outlook) ?? troubleOf(targets) ?? missingTargets(context);
  if (why !== undefined) return { type, status: "False", reason: "VariablesPending", message: why.message };
  return { type, status: "True", reason: "VariablesSynced", message: "All variables are on the platform." };
}

/** Returns the variables that others removed or changed since the import. Values are not compared. */
function drift({ target, judged }: Outlook): readonly DriftField[] {
  return judged.flatMap(({ variable, own, verdict }) => {
    if (verdict !== "restore" && verdict !== "changed") return [];
    const path = `spec.targets[${fitText(target.label, 64)}].variables[${variable.name}]`;
    return [{ path, desired: "as imported", observed: own === undefined ? "missing" : "changed by others" }];
  });
}
