/** The types of a kind, and the facts of one reconcile that its pure code sees. */
import type { JsonObject } from "../../kube/api/types.ts";
import type { Goal, IdentitySource, ListEvidence, Ms, Presence, RatedApi, ResolvedNeeds, Uuid } from "./types.ts";

/** The types of a kind. */
export interface KindTypes {
  readonly spec: unknown;
  /** What the references and values of the spec resolve to (`Needs.inputs`). */
  readonly inputs: unknown;
  /** What was read from the platform. */
  readonly observed: unknown;
  /** The members of status that the platform does not return. */
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
  /** The value of the annotation redeploy-requested-at until it is handled. It requests one more deployment. */
  readonly redeploy: string | undefined;
  /** Absent without a schedule, and while the object is being deleted. */
  readonly runSchedule?: RunSchedule | undefined;
  /** Operations that a policy forbids or delays now. The plan treats them as impossible. */
  readonly blockedOperations: ReadonlySet<string>;
  /** The blocked operations that only wait for approval or a window. The plan includes what follows from them. */
  readonly pendingOperations: ReadonlySet<string>;
  /** The managementPolicy that forbids every write to the object; undefined where writes are allowed. */
  readonly forbiddenBy: "ObserveOnly" | "CreateOnly" | undefined;
  /** Whether the connection accepts ids without a proof that they lie under its organization. */
  readonly allowUnverifiedIds: boolean;
  /** The ids of the projects that the connection is limited to; undefined where it is not. */
  readonly allowedProjects: readonly Uuid[] | undefined;
  /** How many last lines of the log of a failed application the connection keeps; undefined: none. */
  readonly failureLogLines?: number | undefined;
}

/** What other resources, lists and annotations record of the object. */
export interface ContextRecords {
  /**
   * Returns "namespace/name" of another custom resource that holds this id. For a field (`fieldKey`): of the
   * resource that writes it, with its kind.
   */
  readonly holderOf: (id: Uuid) => string | undefined;
  /** Records what a list that was just read shows of the object with this id, and returns whether the object exists. */
  readonly presence: (evidence: ListEvidence) => Presence;
  /**
   * Records that a read beyond the specification was answered with this HTTP status, and that what it would show stays
   * unknown. The condition Capabilities names the operation.
   */
  readonly unread: (operation: string, status: number) => void;
  /** When another resource last wrote to the object, by the platform's clock (`FieldClaim.writtenAt`). */
  readonly writtenAt: string | undefined;
  /** Returns `writtenAt` for any object of the platform. */
  readonly writtenInto: (id: Uuid) => string | undefined;
  /** Returns the text with every value masked that the operator read from a Secret of the object's namespace. */
  readonly withoutSecrets: (text: string) => string;
  /** Returns the fingerprint of content that was read from the platform and may hold secrets. */
  readonly fingerprint: ResolvedNeeds["fingerprint"];
  /**
   * The object has the started marker, an annotation that survives the loss of the status: an action was executed that
   * the platform does not show (`Step.notObservableAfterwards`).
   */
  readonly started: boolean;
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
  /** The id of the object on the platform, and where the id comes from. */
  readonly id: Uuid | undefined;
  readonly identitySource: IdentitySource | undefined;
  /** Whether the platform offers its whole API; false also while that is undecided (docs/architecture.md §9). */
  readonly isFull: boolean;
  /**
   * The value of the annotation reconcile-requested-at until it is handled. It allows one retry of a failed deployment.
   */
  readonly requested: string | undefined;
  readonly policies: ContextPolicies;
  readonly records: ContextRecords;
}
