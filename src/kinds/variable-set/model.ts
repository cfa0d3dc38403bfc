/** What the parts of the variable set exchange. */
import type { Fingerprint, ReconcileContext, Uuid } from "../../engine/contract/kind.ts";
import type { TypesOf } from "../shared/types.ts";
import type { InputVariable } from "../variables/declared.ts";
import type { KnownTarget, platformVariableSet } from "./crd.ts";

/** An application of the spec. */
export interface TargetInput {
  /** The name of the custom resource; undefined for a target that is given by its id. */
  readonly name: string | undefined;
  /** undefined while the custom resource does not exist or has none. */
  readonly id: Uuid | undefined;
}

/** A variable, and the fingerprint of its value, visibility and scope. */
export interface SetVariable extends InputVariable {
  readonly digest: string;
}

export interface Inputs {
  /** Each application once. */
  readonly targets: readonly TargetInput[];
  /** By name, each once. */
  readonly variables: readonly SetVariable[];
  /** The fingerprint of all variables. */
  readonly fingerprint: Fingerprint;
  readonly overwrite: boolean;
  /** Keys of whole Secrets and ConfigMaps that cannot be names of variables. */
  readonly skipped: readonly string[];
}

/** A variable or secret as the platform lists it. */
export interface ListedVariable {
  readonly id: Uuid;
  readonly key: string;
  readonly isSecret: boolean;
  /** undefined where the platform does not show it: then it may be an inherited one. */
  readonly scope: string | undefined;
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
}

/** What was observed of an application. */
export type TargetState =
  /** With `isUnproven`, nothing is removed: the application may belong to others. */
  | { readonly is: "shown"; readonly entries: readonly ListedVariable[]; readonly isUnproven?: boolean }
  | { readonly is: "missing" | "forbidden" | "unproven" | "elsewhere" }
  | { readonly is: "outside"; readonly projectId: Uuid };

export interface Observed {
  readonly targets: ReadonlyMap<Uuid, TargetState>;
  /**
   * What was sent in this reconcile, by `sentKey`: it is not sent twice, and the next reconcile observes its outcome.
   */
  readonly sent: ReadonlySet<string>;
  /** The platform's clock. */
  readonly serverNow: Date | undefined;
}

/** One request for one application. */
export type Action = Import | OfEntry;

export interface Import {
  readonly what: "import";
  readonly id: Uuid;
  readonly overwrite: boolean;
  readonly names: readonly string[];
}

/** Replaces a secret, or removes a variable or a secret. */
export interface OfEntry {
  readonly what: "updateSecret" | "remove";
  readonly id: Uuid;
  readonly name: string;
  readonly entryId: Uuid;
  readonly isSecret: boolean;
}

/** The types of the kind. */
export type VariableSetTypes = TypesOf<
  typeof platformVariableSet,
  { inputs: Inputs; observed: Observed; action: Action }
>;

export type SetContext = ReconcileContext<VariableSetTypes>;

/** Returns the key of a request. */
export function sentKey(step: Action): string {
  return `${step.id} ${step.what} ${step.what === "import" ? step.overwrite : step.entryId}`;
}

/**
 * Returns the remembered applications that the spec refers to by the name of a resource without an id, e.g. one that
 * was deleted: nothing is changed in them until the resource has an id again.
 */
export function awaitedOf({ goal, inputs, memory }: SetContext): readonly KnownTarget[] {
  const isAwaited = (known: KnownTarget) =>
    inputs.targets.some(({ id, name }) => id === undefined && name === known.name);
  return goal === "present" ? (memory.targets ?? []).filter(isAwaited) : [];
}
