/** Sends the request of a step, and updates what was observed by its answer. */
import type { Kind } from "../../engine/contract/kind.ts";
import type { Owned } from "../variables/owned.ts";
import { notedImport, sendVariables } from "../variables/send.ts";
import type { KnownTarget, VariableSetMemory } from "./crd.ts";
import { awaitedOf, ownedByApplication, type Observed, type SetContext, type VariableSetTypes } from "./model.ts";
import { targetsOf, type SetTarget } from "./target.ts";

/**
 * Returns the memory to store before an import. The application is deployed after the import, even if the answer is
 * lost.
 */
export const prepare: NonNullable<Kind<VariableSetTypes>["prepare"]> = ({ action: step }, context, observed) => {
  if (step.what !== "import") return undefined;
  const targets = targetsOf(context, observed);
  const target = targets.find(({ id }) => id === step.id);
  const owned = target && notedImport(step, { context, ...target }, true);
  return owned && remembering(context, targets, { ...target, owned });
};

export const act: Kind<VariableSetTypes>["act"] = async ({ action: step }, context, observed, api) => {
  const targets = targetsOf(context, observed);
  const target = targets.find(({ id }) => id === step.id);
  if (target === undefined) return { observed, memory: context.memory };
  const { owned, lists, sent } = await sendVariables(step, { context, ...target }, api);
  const state = target.state?.is === "shown" ? { ...target.state, lists } : target.state;
  const after: Observed = {
    ...observed,
    targets: new Map([...observed.targets, ...(state === undefined ? [] : [[step.id, state] as const])]),
    sent: new Map([...observed.sent, [step.id, sent]]),
  };
  return { observed: after, memory: remembering(context, targets, { ...target, owned }) };
};

/** Returns the memory with what is now known of one application. */
function remembering(
  context: SetContext,
  targets: readonly SetTarget[],
  { id: changed, owned }: Pick<SetTarget, "id"> & { readonly owned: Owned },
): VariableSetMemory {
  const known = targets.map(({ id: applicationId, name }): KnownTarget => ({ applicationId, name }));
  const written = targets.map(({ id, facts }) => ({ id, owned: id === changed ? owned : facts.owned }));
  return {
    ...context.memory,
    targets: [...known, ...awaitedOf(context)],
    owned: ownedByApplication(context, written),
  };
}
