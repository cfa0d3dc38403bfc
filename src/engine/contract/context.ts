/** The types of a kind, and what its pure code sees of one reconcile. */
import type { JsonObject } from "../../kube/api/types.ts";
import type { Goal, Ms, Presence, IdentitySource, RatedApi, Sight, Supports, Uuid } from "./types.ts";

/** The types that a kind is made of. */
export interface KindTypes {
  readonly spec: unknown;
  /** What the references and values of the spec resolve to (`Needs.inputs`). */
  readonly inputs: unknown;
  /** What was read from the platform. */
  readonly observed: unknown;
  /** What the status remembers. */
  readonly memory: JsonObject;
  /** What a step does. */
  readonly action: unknown;
  /** The client of the platform's API. */
  readonly api: RatedApi;
}

/** The types that a kind's pure code works with. */
export type ContextTypes = Pick<KindTypes, "spec" | "inputs" | "memory">;

/** All that a kind's pure code may see. */
export interface ReconcileContext<K extends ContextTypes> {
  /** Of the custom resource. */
  readonly name: string;
  readonly spec: K["spec"];
  readonly inputs: K["inputs"];
  readonly goal: Goal;
  readonly now: Date;
  /** The id of the object on the platform, and where it comes from. */
  readonly id: Uuid | undefined;
  readonly proof: IdentitySource | undefined;
  readonly memory: K["memory"];
  readonly supports: Supports;
  readonly generation: number;
  /** `adopt` is whether an object of the same name may be taken over (adoptionPolicy after defaults). */
  readonly adoption: "Never" | "IfUniqueName" | "Required";
  /** The user's reconcile-requested-at token while it is not handled yet: a failed deploy may be retried once. */
  readonly requested: string | undefined;
  /**
   * Names the custom resource ("namespace/name") that holds this id already, if it is another one; for an entry (see
   * `Kind.entries`), the one that writes it, with its kind.
   */
  readonly holderOf: (id: Uuid) => string | undefined;
  /** Whether the connection lets ids stand that the surface gives no proof for. */
  readonly allowUnverifiedIds: boolean;
  /** Where the connection is limited to some projects, their ids. */
  readonly allowedProjects: readonly Uuid[] | undefined;
  /** Operations that a policy forbids now: the plan is made as if they could not be done. */
  readonly blockedOperations: ReadonlySet<string>;
  /** Those of them that only wait, for approval or a window: what follows from them belongs into the plan as well. */
  readonly pendingOperations: ReadonlySet<string>;
  /** Whether what provably is not on the platform any more may be created anew (lifecycle.onMissing). */
  readonly onMissing: "Fail" | "Recreate";
  /** What others changed on the platform is undone: never, settings only, or deployments and run states as well. */
  readonly corrects: "Nothing" | "Settings" | "Everything";
  /** How often, and how long after its failure was seen, a failed deployment is started again. */
  readonly retry: { readonly limit: number; readonly backoffMs: Ms } | undefined;
  /** When another resource last wrote into the object, by the platform's clock (see `Kind.imprints`). */
  readonly writtenAt: string | undefined;
  /** The same for any object of the platform. */
  readonly writtenInto: (id: Uuid) => string | undefined;
  /** Notes what a list that was just read says of the object with this id, and judges whether it is there. */
  readonly presence: (sight: Sight) => Presence;
  /** When a task has to be over. */
  readonly deadline?: Date | undefined;
  /** Whether a task was begun, or something `untold` was done, by an annotation that outlives the status. */
  readonly begun?: boolean;
  /** The id that was given answers what became of an unconfirmed create of this resource: nothing was done since then. */
  readonly confirmedByUser?: boolean;
}
