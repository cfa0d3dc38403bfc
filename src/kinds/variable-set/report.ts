/** Builds the report of a variable set, with names, ids and times, never values. Pure. */
import type { Report, StatusReason } from "../../engine/contract/kind.ts";
import { variableDrift, variablesCondition } from "../variables/plan.ts";
import { MAX_NAMES, MAX_TARGETS, type KnownTarget } from "./crd.ts";
import { missingTargets, numbered, troubleOf } from "./messages.ts";
import { awaitedOf, ownedByApplication, type Observed, type SetContext } from "./model.ts";
import { type SetTarget, shownTargets, targetsOf } from "./target.ts";

export function report(context: SetContext, observed: Observed): Report {
  const targets = targetsOf(context, observed);
  const shown = shownTargets(targets);
  const done = shown.filter(({ facts }) => facts.comparisons.every(({ problem }) => problem === undefined));
  const { skipped, targets: declared } = context.inputs;
  const trouble = troubleOf(targets) ?? missingTargets(context);
  const known = targets.filter(({ isWanted, facts }) => isWanted || facts.leftovers.length > 0);
  const written = known.map(({ id, facts }) => ({ id, owned: facts.owned }));
  return {
    ready: ready(context, shown),
    conditions: variablesCondition(
      targets.filter(({ isWanted, state }) => !isWanted || state?.is === "shown"),
      undefined,
      trouble,
    ),
    status: {
      targets: [...known.map(targetStatus), ...awaitedOf(context)].slice(0, MAX_TARGETS),
      owned: ownedByApplication(context, written)?.slice(0, MAX_TARGETS),
      targetsSynced: `${done.length}/${declared.length}`,
      skippedKeys: skipped.length === 0 ? undefined : skipped.slice(0, MAX_NAMES),
    },
    drift: shown.flatMap(variableDrift),
  };
}

function targetStatus({ id: applicationId, name, isWanted, state, facts }: SetTarget): KnownTarget {
  const { comparisons, leftovers } = facts;
  const isShown = isWanted && state?.is === "shown";
  const open = comparisons.filter(({ problem }) => problem !== undefined);
  const failed = open.filter(({ problem }) => problem !== "unsent").map(({ variable }) => variable.name);
  const left = leftovers.filter(({ entry }) => entry === undefined).map(({ known }) => known.key);
  return {
    applicationId,
    name,
    ...(isShown && { total: comparisons.length, imported: comparisons.length - open.length, failed: named(failed) }),
    left: named(left),
  };
}

function named(names: readonly string[]): string[] | undefined {
  return names.length === 0 ? undefined : names.slice(0, MAX_NAMES);
}

function ready({ inputs }: SetContext, shown: readonly SetTarget[]): StatusReason {
  const all = shown.flatMap(({ facts }) => facts.comparisons);
  const open = all.filter(({ problem }) => problem !== undefined).length;
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
