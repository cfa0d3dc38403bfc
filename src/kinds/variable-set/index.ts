/** PlatformVariableSet: variables and secrets imported into applications, and removed where the set created them. */
import { entryOf, type Kind } from "../../engine/contract/kind.ts";
import { act, prepare } from "./act.ts";
import { platformVariableSet, type VariableSetMemory } from "./crd.ts";
import { needs, removalsOf } from "./inputs.ts";
import type { Inputs, VariableSetTypes } from "./model.ts";
import { observe } from "./observe.ts";
import { plan, writtenEntries } from "./plan.ts";
import { report } from "./report.ts";
import { isVerified } from "./target.ts";

export const variableSet: Kind<VariableSetTypes> = {
  resource: platformVariableSet,
  externalLifecycle: "InOthers",
  operations: (spec) => ({ delete: removalsOf(spec) }),
  needs,
  fieldOwnership: ({ memory, inputs }) => {
    if (inputs !== undefined) return wantedEntries(inputs, memory);
    return (memory.targets ?? []).flatMap(({ applicationId, variables }) =>
      (variables ?? []).flatMap(({ key, digest }) => (digest === undefined ? [] : [entryOf(applicationId, key)])),
    );
  },
  externalWrites: ({ targets }) =>
    (targets ?? []).flatMap(({ applicationId: id, writtenAt: at }) => (at === undefined ? [] : [{ id, at }])),
  observe,
  shows: ({ do: step }, _pass, { targets }) => {
    const sight = targets.get(step.id);
    return sight?.is === "shown" && step.what !== "import" && sight.entries.some(({ id }) => id === step.entryId);
  },
  plan,
  prepare: (step, context, seen) => prepare(step.do, context, seen),
  act: (step, context, seen, api) => act(step.do, context, seen, api),
  trace: () => Promise.resolve({ is: "absent" }),
  report,
};

/**
 * Returns what a set is about to write. A set that overwrites nothing claims nothing before it has written, and neither
 * does an id that was only given: it may be another team's application.
 */
function wantedEntries(inputs: Inputs, memory: VariableSetMemory): readonly string[] {
  if (!inputs.overwrite) return [];
  const targets = inputs.targets.filter(({ id }) => id !== undefined && isVerified({ inputs, memory }, id));
  return writtenEntries({ ...inputs, targets }).map(({ entry }) => entry);
}
