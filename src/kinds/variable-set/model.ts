/** What the parts of the variable set exchange. */
import type { ReconcileContext, Uuid } from "../../engine/contract/kind.ts";
import type { TypesOf } from "../shared/types.ts";
import type { VariableLists } from "../variables/compare.ts";
import type { Wanted } from "../variables/declared.ts";
import type { Owned } from "../variables/owned.ts";
import type { VariableAction } from "../variables/send.ts";
import type { KnownTarget, platformVariableSet, VariableSetMemory } from "./crd.ts";

/** An application of the spec. */
export interface TargetInput {
  /** The name of the custom resource; undefined for a target that is given by its id. */
  readonly name: string | undefined;
  /** undefined while the custom resource does not exist or has none. */
  readonly id: Uuid | undefined;
}

export interface Inputs extends Wanted {
  /** Each application once. */
  readonly targets: readonly TargetInput[];
  /** Keys of whole Secrets and ConfigMaps that cannot be names of variables. */
  readonly skipped: readonly string[];
}

/** What was observed of an application. */
export type TargetState =
  /** With `isUnproven`, nothing is removed: the application may belong to others. */
  | { readonly is: "shown"; readonly lists: VariableLists; readonly isUnproven?: boolean }
  | { readonly is: "missing" | "forbidden" | "unproven" | "elsewhere" }
  | { readonly is: "outside"; readonly projectId: Uuid };

export interface Observed {
  readonly targets: ReadonlyMap<Uuid, TargetState>;
  /** The names of the variables that were sent in this reconcile, by application. */
  readonly sent: ReadonlyMap<Uuid, ReadonlySet<string>>;
  /** The platform's clock. */
  readonly serverNow: Date | undefined;
}

/** The types of the kind. */
export type VariableSetTypes = TypesOf<
  typeof platformVariableSet,
  { inputs: Inputs; observed: Observed; action: VariableAction }
>;

export type SetContext = ReconcileContext<VariableSetTypes>;

/**
 * Returns the remembered applications that the spec refers to by the name of a resource without an id, e.g. one that
 * was deleted: nothing is changed in them until the resource has an id again.
 */
export function awaitedOf({ goal, inputs, memory }: SetContext): readonly KnownTarget[] {
  const isAwaited = (known: KnownTarget) =>
    inputs.targets.some(({ id, name }) => id === undefined && name === known.name);
  return goal === "present" ? (memory.targets ?? []).filter(isAwaited) : [];
}

/** Returns what the set wrote into an application. */
export function ownedIn({ owned = [] }: VariableSetMemory, id: Uuid): Owned | undefined {
  const { applicationId, ...written } = owned.find((one) => one.applicationId === id) ?? {};
  return applicationId === undefined ? undefined : written;
}

/** Returns what the set wrote, by application, to remember: these, and the awaited ones. */
export function ownedByApplication(
  context: SetContext,
  targets: readonly { readonly id: Uuid; readonly owned: Owned | undefined }[],
): VariableSetMemory["owned"] {
  const awaited = awaitedOf(context).map(({ applicationId: id }) => ({ id, owned: ownedIn(context.memory, id) }));
  return [...targets, ...awaited].flatMap(({ id: applicationId, owned = {} }) =>
    Object.values(owned).some((one) => one !== undefined) ? [{ applicationId, ...owned }] : [],
  );
}
