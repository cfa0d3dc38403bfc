/** PlatformVariableSet: variables and secrets imported into applications, and removed where the set created them. */
import { entryOf } from "../../engine/kind.ts";
import { platformVariableSet, type VariableSetMemory, type VariableSetSpec } from "../../resources/variable-set.ts";
import type { PlatformKind } from "../kind.ts";
import { act } from "./act.ts";
import { needs } from "./inputs.ts";
import type { Do, Inputs, Seen } from "./model.ts";
import { observe } from "./observe.ts";
import { plan, writtenEntries } from "./plan.ts";
import { report } from "./report.ts";

export const variableSet: PlatformKind<VariableSetSpec, Inputs, Seen, VariableSetMemory, Do> = {
  resource: platformVariableSet,
  lives: "InOthers",
  claim: () => undefined,
  listable: () => false,
  needs,
  entries: ({ memory, inputs }) => {
    // One that overwrites nothing stands in nobody's way before it has written.
    if (inputs !== undefined) return inputs.overwrite ? writtenEntries(inputs).map(({ entry }) => entry) : [];
    return (memory.targets ?? []).flatMap(({ applicationId, variables }) =>
      (variables ?? []).flatMap(({ key, digest }) => (digest === undefined ? [] : [entryOf(applicationId, key)])),
    );
  },
  imprints: ({ targets }) =>
    (targets ?? []).flatMap(({ applicationId: id, writtenAt: at }) => (at === undefined ? [] : [{ id, at }])),
  observe,
  plan,
  act: (step, pass, seen, api) => act(step.do, pass, seen, api),
  trace: () => Promise.resolve({ is: "absent" }),
  report,
};
