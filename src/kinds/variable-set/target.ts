/** The applications of a set: those of the spec, and those that still have something of the set. Pure. */
import { type Compared, compareVariables, type VariableLists } from "../variables/compare.ts";
import type { Wanted } from "../variables/declared.ts";
import type { VariableTarget } from "../variables/plan.ts";
import { awaitedOf, ownedIn, type Observed, type SetContext, type TargetState } from "./model.ts";

/** An application of the spec, or one that still has something of the set. */
export interface SetTarget extends VariableTarget {
  /** Name of the custom resource, else the id. */
  readonly label: string;
  readonly name: string | undefined;
  /** Whether the spec has it now. */
  readonly isWanted: boolean;
  readonly state: TargetState | undefined;
  readonly compared: Compared;
}

/** Returns the applications of the spec that have an id, in its order, and then those that were taken out of it. */
export function applicationsOf(context: SetContext) {
  const known = new Map((context.memory.targets ?? []).map((target) => [target.applicationId, target]));
  for (const { applicationId } of awaitedOf(context)) known.delete(applicationId);
  const wanted = (context.goal === "present" ? context.inputs.targets : []).flatMap(({ id, name }) =>
    id === undefined ? [] : [{ id, name, isWanted: true, owned: ownedIn(context.memory, id) }],
  );
  for (const { id } of wanted) known.delete(id);
  const others = [...known].map(([id, { name }]) => ({
    id,
    name,
    isWanted: false,
    owned: ownedIn(context.memory, id),
  }));
  return [...wanted, ...others];
}

/** Returns the applications with what is known of the set's variables in each. */
export function targetsOf(context: SetContext, observed: Observed): readonly SetTarget[] {
  return applicationsOf(context).map((application) => targetOf(context, application, observed));
}

/** Returns what is known of the set's variables in one application. */
export function targetOf(
  context: SetContext,
  { id, name, isWanted, owned }: ReturnType<typeof applicationsOf>[number],
  observed: Pick<Observed, "targets" | "sent" | "serverNow">,
): SetTarget {
  const state = observed.targets.get(id);
  const wanted: Wanted = isWanted ? context.inputs : { ...context.inputs, variables: [] };
  const compared: Compared = {
    wanted,
    known: owned,
    lists: listsIn(state),
    sent: observed.sent.get(id) ?? new Set(),
    isAdopted: false,
    now: observed.serverNow ?? context.now,
    lastChange: () => context.records.writtenInto(id),
  };
  const facts = compareVariables(context, compared);
  return { id, label: name ?? id, name, isWanted, state, wanted, compared, facts };
}

/** Returns the lists of an application; all are unknown where nothing shows it. */
function listsIn(state: TargetState | undefined): VariableLists {
  if (state?.is === "missing") return { plain: [], secrets: [] };
  return state?.is === "shown" ? state.lists : {};
}

/** Returns the applications of the spec that are shown, or were when they were last read. */
export function shownTargets(targets: readonly SetTarget[]): readonly SetTarget[] {
  return targets.filter(({ isWanted, state }) => isWanted && state?.is === "shown");
}
