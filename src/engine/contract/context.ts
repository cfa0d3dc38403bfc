/** The types of a kind, and what its pure code sees of one reconcile. */
import type { JsonObject } from "../../kube/api/types.ts";
import type { Goal, IdentitySource, ListEvidence, Ms, Presence, RatedApi, Supports, Uuid } from "./types.ts";

/** The types of a kind. */
export interface KindTypes {
  readonly spec: unknown;
  /** What the references and values of the spec resolve to (`Needs.inputs`). */
  readonly inputs: unknown;
  /** What was read from the platform. */
  readonly observed: unknown;
  /** What the status keeps because the platform cannot tell it back. */
  readonly memory: JsonObject;
  /** What a step does. */
  readonly action: unknown;
  /** The client of the platform's API. */
  readonly api: RatedApi;
}

/** The types that a kind's pure code works with. */
export type ContextTypes = Pick<KindTypes, "spec" | "inputs" | "memory">;

/** What `spec.runSchedule` and the annotation run-until say now. */
export interface RunSchedule {
  /** Until when the object is to be stopped; undefined while it is to run. */
  readonly stopUntil: Date | undefined;
  /** When it is to be stopped next, after `stopUntil`. */
  readonly nextStop: Date | undefined;
}

/** What policies, the connection and the user allow and ask for. */
export interface ContextPolicies {
  /** The adoption policy after defaults. */
  readonly adoption: "Never" | "IfUniqueName" | "Required";
  /** Whether an object that is proven gone from the platform may be created again (lifecycle.onMissing). */
  readonly onMissing: "Fail" | "Recreate";
  /** Which changes that others made on the platform are reverted: none, settings, or deployments and run states too. */
  readonly corrects: "Nothing" | "Settings" | "Everything";
  /** How often a failed deployment is started again, and how long after its failure was observed. */
  readonly retry: { readonly limit: number; readonly backoffMs: Ms } | undefined;
  /** Absent without a schedule, and for an object that goes. */
  readonly runSchedule?: RunSchedule | undefined;
  /** When a one-shot operation has to be over. */
  readonly deadline?: Date | undefined;
  /** Operations that a policy forbids now. The plan treats them as impossible. */
  readonly blockedOperations: ReadonlySet<string>;
  /** The blocked operations that only wait for approval or a window. The plan includes what follows from them. */
  readonly pendingOperations: ReadonlySet<string>;
  /** The connection accepts ids that the platform does not prove. */
  readonly allowUnverifiedIds: boolean;
  /** The ids of the projects that the connection is limited to; undefined where it is not. */
  readonly allowedProjects: readonly Uuid[] | undefined;
  /** How many last lines of the log of a failed application the connection keeps; undefined: none. */
  readonly failureLogLines?: number | undefined;
}

/** What other resources, lists and annotations record of the object. */
export interface ContextRecords {
  /**
   * Returns "namespace/name" of another custom resource that holds this id. For a field (`Kind.fieldOwnership`): of the
   * resource that writes it, with its kind.
   */
  readonly holderOf: (id: Uuid) => string | undefined;
  /** Records what a list that was just read shows of the object with this id, and judges whether it exists. */
  readonly presence: (evidence: ListEvidence) => Presence;
  /** When another resource last wrote to the object, by the platform's clock (`Kind.externalWrites`). */
  readonly writtenAt: string | undefined;
  /** Returns the same for any object of the platform. */
  readonly writtenInto: (id: Uuid) => string | undefined;
  /** The object was Ready when it was last reconciled, and its spec changed since: this is the first look at it. */
  readonly wasReady: boolean;
  /** Returns the text with every value masked that the operator read from a Secret of the object's namespace. */
  readonly withoutSecrets: (text: string) => string;
  /** An annotation, which outlives the status, says that the operation was started (`Kind.notObservableAfterwards`). */
  readonly started?: boolean;
  /** A user confirmed the id after an unconfirmed create of this resource. Nothing was done since then. */
  readonly confirmedByUser?: boolean;
}

/** Everything that a kind's pure code sees of one reconcile. */
export interface ReconcileContext<K extends ContextTypes = KindTypes> {
  /** The custom resource. */
  readonly resource: { readonly name: string; readonly generation: number };
  readonly spec: K["spec"];
  readonly inputs: K["inputs"];
  readonly memory: K["memory"];
  readonly goal: Goal;
  readonly now: Date;
  /** The id of the object on the platform, and how it is known. */
  readonly id: Uuid | undefined;
  readonly identitySource: IdentitySource | undefined;
  readonly supports: Supports;
  /**
   * The value of the annotation reconcile-requested-at until it is handled. It allows one retry of a failed deployment.
   */
  readonly requested: string | undefined;
  readonly policies: ContextPolicies;
  readonly records: ContextRecords;
}
