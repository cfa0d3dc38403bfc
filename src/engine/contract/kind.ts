/**
 * The interface between the engine and the kinds (docs/project/architecture.md §3). The engine knows nothing else of a kind.
 */
import type { Reason } from "../../api/reasons.ts";
import type { Resource } from "../../api/resource.ts";
import type { Json, JsonObject } from "../../kube/api/types.ts";
import type { Output, WrittenOutput } from "../../kube/write/outputs.ts";
import type { Fingerprint } from "./fingerprint.ts";

export type { Json, JsonObject } from "../../kube/api/types.ts";
export { type Fingerprint, isChangedAtSource, refreshed, sameContent } from "./fingerprint.ts";

export type Ms = number;
export type Uuid = string;

/** "stopped" is the goal of a deletion under deletionPolicy Stop. */
export type Goal = "present" | "absent" | "stopped";

/** What a list shows of an object: "Shown"; "Missing", where the list is complete; "Unclear", where it may not be. */
export type ListEvidence = "Shown" | "Missing" | "Unclear";

/**
 * Whether an object exists: "Unconfirmed" until a list has lacked it for long enough, "Unproven" where no list can
 * prove that it is gone.
 */
export type Presence = "Present" | "Unconfirmed" | "Unproven" | "Gone";

/**
 * What a platform offers: the operations of the specification, or the platform's whole API (docs/project/architecture.md §9).
 */
export type Surface = "Documented" | "Full";

/** A reason, and a message that does not change while the facts do not: without times, counters or request ids. */
export interface StatusReason {
  readonly reason: Reason;
  readonly message: string;
}

/**
 * Where an id comes from: "recorded" by the operator in the status, or in a signed annotation of this resource;
 * "claimed" by an annotation without a valid signature, or by an unsigned entry of the orphan ledger;
 * "given" by the user in spec.externalId; "orphaned" where an earlier resource of the same key left the object, as a
 * signed entry of the orphan ledger or the signed annotation of a backup proves. The last three are verified, then
 * adopted. Where the surface has no proof of an orphaned id, the signature is enough.
 */
export type IdentitySource = "recorded" | "claimed" | "given" | "orphaned";

export interface ConditionFact {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** A Reason, or a state of the platform verbatim. */
  readonly reason: string;
  readonly message: string;
}

export type DriftField = {
  readonly path: string;
  readonly desired: string;
  readonly observed: string;
};

/** A reference to another custom resource, or to an object of the platform by its id. Exactly one of name and id. */
export interface Reference {
  /** E.g. "spec.projectRef". */
  readonly field: string;
  /** The kind that is referred to, e.g. "PlatformProject". */
  readonly kind: string;
  readonly name: string | undefined;
  readonly externalId: Uuid | undefined;
  /** Only the id is needed: whether it is Ready does not matter. */
  readonly idOnly?: true;
  /**
   * Does not block the reconcile: the kind reports a target that does not exist or has no id yet. The target need not
   * be Ready and is not the parent.
   */
  readonly optional?: true;
}

/** One value, or all values, of a Secret or a ConfigMap in the same namespace. */
export interface ValueRequest {
  /** E.g. "spec.variables[DATABASE_URL]". */
  readonly field: string;
  readonly from: "Secret" | "ConfigMap";
  readonly name: string;
  /** Absent: all keys. */
  readonly key?: string;
  /** Of all keys, those whose values are used: a key that is not may hold bytes that are no text. Absent: all. */
  readonly takes?: (key: string) => boolean;
}

export interface ResolvedNeeds {
  /** The id behind a reference. @throws RangeError for a field that was not asked for. */
  id(field: string): Uuid;
  /** The same for an optional reference; undefined while there is none. */
  idIfAny(field: string): Uuid | undefined;
  /** The value behind a request. @throws RangeError for a field that was not asked for. */
  value(field: string): string;
  /** The values behind a request without a key, by their keys; "" for bytes that it does not take. @throws RangeError for a field that was not asked for */
  all(field: string): ReadonlyMap<string, string>;
  /** Returns the fingerprint of the content and the sources that it came from. */
  readonly fingerprint: (content: Json) => Fingerprint;
  /** Returns where the operator receives deliveries for this resource. */
  readonly receiver: () => Receiver;
}

/** What has to be resolved before a kind can observe. */
export interface Needs<In> {
  /** The first one is the parent, whose connection is inherited and, unless it is optional, whose id is recorded. */
  readonly references: readonly Reference[];
  readonly values: readonly ValueRequest[];
  /** Builds the kind's inputs from the resolved references and values. Pure. */
  inputs(resolved: ResolvedNeeds): In;
}

/** Where the operator receives the platform's deliveries for one resource, and what proves them. */
export interface Receiver {
  /** The whole URL, which ends with `path`; or why there is none. */
  readonly url: string | StatusReason;
  /** The unguessable end of the URL, without a slash before it. */
  readonly path: string;
  /** The value that the platform sends with every delivery, where it can. */
  readonly secret: string;
}

/** A field of an object of the platform that a resource writes. */
export interface FieldClaim {
  /** The object that has the field. */
  readonly id: Uuid;
  /** Absent where the resource wrote to the object and holds no field of it any more. */
  readonly field?: string;
  /**
   * When the resource last wrote to the object, by the platform's clock (ISO 8601). The engine reconciles the resource
   * that represents the object, where that is another one.
   */
  readonly writtenAt?: string | undefined;
}

/** Returns the key of a field of an object of the platform, as `ContextRecords.holderOf` takes it. */
export function fieldKey(id: Uuid, field: string): string {
  return `${id}/${field}`;
}

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
  /** Returns the name of the resource of this kind in the object's namespace that recorded the id. */
  readonly nameOf: (kind: string, id: Uuid) => string | undefined;
  /** Records what a list that was just read shows of the object with this id, and returns whether the object exists. */
  readonly presence: (evidence: ListEvidence) => Presence;
  /**
   * Records that a read beyond the specification was answered with this HTTP status, and that what it would show stays
   * unknown. The condition Capabilities names the operation.
   */
  readonly unread: (operation: string, status: number) => void;
  /** When another resource last wrote to the object, by the platform's clock (`FieldClaim.writtenAt`). */
  readonly writtenAt: string | undefined;
  /** Returns when any resource, this one included, last wrote to an object of the platform. Current at each call. */
  readonly writtenInto: (id: Uuid) => string | undefined;
  /** Returns the text with every value masked that the operator read from a Secret of the object's namespace. */
  readonly withoutSecrets: (text: string) => string;
  /** Returns the fingerprint of content that was read from the platform and may hold secrets. */
  readonly fingerprint: ResolvedNeeds["fingerprint"];
  /** Somebody changed or deleted the Secret that the status records (`Kind.writtenSecret`). */
  readonly isSecretChanged: boolean;
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
  /** Whether the platform offers its whole API; false also while that is undecided (docs/project/architecture.md §9). */
  readonly isFull: boolean;
  /**
   * The value of the annotation reconcile-requested-at until it is handled. It allows one retry of a failed deployment.
   */
  readonly requested: string | undefined;
  readonly policies: ContextPolicies;
  readonly records: ContextRecords;
}

/** What the engine needs of a client of the platform. */
export interface RatedApi {
  /** Takes the rate token of the next write. @throws ApiError RateLimited or OverBudget */
  reserve(): Promise<void>;
  /**
   * Returns the time since the rate gate closed, and the time until it opens; undefined once the platform has accepted
   * a request again.
   */
  limited(): { readonly sinceMs: Ms; readonly leftMs: Ms } | undefined;
  /** Makes reads ask the platform again instead of sharing earlier answers. */
  refresh(): void;
  close(): Promise<void>;
}

interface StepFacts<Action> {
  /** The operation of the platform's API, e.g. "updateProject". */
  readonly op: string;
  readonly action: Action;
  /** The step only reverts what others changed on the platform. Under driftPolicy Report it is reported instead. */
  readonly corrects?: boolean;
  /** The step starts a failed deployment again (spec.lifecycle.retry). */
  readonly retries?: boolean;
  /** The step stops or starts the object because of spec.runSchedule. */
  readonly scheduled?: boolean;
  /**
   * A user changed, outside of the spec, what the object is to get: a value of a Secret or ConfigMap, or another
   * resource, which then wrote to the object. The limit of mass changes does not count the step, whatever else it sends.
   */
  readonly follows?: boolean;
  /** The value of the annotation redeploy-requested-at that the step answers. */
  readonly redeploys?: string | undefined;
  /** What the step changes, for a plan; without secret values. */
  readonly changes?: readonly DriftField[];
  /**
   * The platform does not show afterwards that the step was executed. The engine then sets the started marker as soon as
   * the step has succeeded, so that it is not repeated if the status is lost (`ContextRecords.started`).
   */
  readonly notObservableAfterwards?: boolean;
}

export type Step<Action = unknown> =
  /** A PUT, an import or a DELETE: it may be repeated and needs no ledger. `message` describes it in a plan. */
  | (StepFacts<Action> & { readonly repeat: "safe"; readonly message?: string })
  /**
   * POST: an intent is written first. `mark` is the baseline that a later trace compares with, `why` what the status
   * says while it is under way.
   */
  | (StepFacts<Action> & {
      readonly repeat: "once";
      readonly creates: boolean;
      readonly mark: Json;
      readonly why: StatusReason;
      readonly name?: string;
      readonly commit?: string;
    });

export type Plan<Action = unknown> =
  | { readonly is: "settled"; readonly again?: Ms }
  | { readonly is: "waiting" | "stalled"; readonly why: StatusReason; readonly again?: Ms }
  /**
   * The operator cannot observe whether the object works. `condition` names the reported condition that has been
   * Unknown since then; it is absent where no list shows the object (`ContextRecords.presence`).
   */
  | { readonly is: "unknown"; readonly why: StatusReason; readonly condition?: string }
  /**
   * Adopt the existing object with this id. The engine records it like the outcome of a create.
   * `notObservableAfterwards`: the platform may not show what was done to the object before. If an earlier resource left
   * the object and its memory is lost, the engine sets the started marker.
   */
  | { readonly is: "adopt"; readonly id: Uuid; readonly notObservableAfterwards?: true }
  /** The recorded object is proven gone and a new one is wanted: the engine drops its records. */
  | { readonly is: "forget"; readonly why: StatusReason }
  | { readonly is: "step"; readonly step: Step<Action> };

/** What is known after a step or a trace. */
export interface ActionResult<Observed = unknown, Mem extends JsonObject = JsonObject> {
  readonly observed: Observed;
  readonly memory: Mem;
  readonly id?: Uuid;
}

export type Trace<Observed = unknown, Mem extends JsonObject = JsonObject> =
  /** With several results the engine stalls. */
  | { readonly is: "landed"; readonly known: readonly ActionResult<Observed, Mem>[] }
  /** `memory` is the memory to keep once the absence is certain. */
  | { readonly is: "absent"; readonly memory?: Mem }
  /** `repeatable`: a repetition of the action changes nothing on the platform if the action was executed. */
  | { readonly is: "unknowable"; readonly why: StatusReason; readonly repeatable?: boolean }
  /** The read that shows the result failed, and a later one may succeed. */
  | { readonly is: "unread"; readonly why: StatusReason };

/** The action that an earlier reconcile, perhaps of another process, was about to request. */
export interface OpenIntent {
  readonly op: string;
  readonly creates: boolean;
  readonly parentId?: Uuid | undefined;
  readonly name?: string | undefined;
  readonly id?: Uuid | undefined;
  readonly commit?: string | undefined;
  readonly mark: Json;
  /** For a create that the platform accepted without an id: what the kind keeps of the answer (`Kind.keep`). */
  readonly accepted?: JsonObject | undefined;
  /** It was the second attempt of an action that was not confirmed. */
  readonly repetition?: true | undefined;
}

/**
 * The report of a kind on what it observed. `ready` is the reason of Ready while the plan is settled: True needs a
 * state that was observed, or an object that has none; the reason NotObservable makes it Unknown.
 */
export interface Report {
  readonly ready: StatusReason;
  readonly conditions: readonly ConditionFact[];
  /** The kind's own members of status. The engine adds the memory. */
  readonly status: JsonObject;
  /**
   * The text of the event of Ready=True, with details that change from call to call; absent: the message of `ready`.
   */
  readonly note?: string | undefined;
  /** Why the object is not deployed again, although the annotation redeploy-requested-at requests it. */
  readonly redeployRefusal?: string | undefined;
  /** Absent where nothing can be compared: then Drifted is Unknown, or absent where the spec may want nothing. */
  readonly drift?: readonly DriftField[];
  /** A ConfigMap to write beside the object. */
  readonly output?: Output;
  /** A Secret to write beside the object. `status` returns the members of status to set once it is written. */
  readonly secret?: Output & { readonly status: (resourceVersion: string) => JsonObject };
  /**
   * Members of `status` that no later reconcile can find out. They are kept while the write of the status is delayed.
   */
  readonly learned?: JsonObject | undefined;
  /** Requeue within so many milliseconds, however long the poll interval is. */
  readonly lookWithin?: Ms;
  /**
   * The memory records an action that the platform does not show. The engine keeps the started marker of such an
   * object, e.g. after a replace removed it.
   */
  readonly notObservableAfterwards?: boolean;
}

/**
 * The operations of the platform that stopping and deleting need, all of them. Empty: no surface has one;
 * absent: the kind never does it.
 */
export interface KindOperations {
  readonly stop?: readonly string[];
  readonly delete?: readonly string[];
  /** The spec asks for the stop, beside deletionPolicy Stop. */
  readonly isStopWanted?: boolean;
}

/**
 * How an object that the operator did not create came to its resource: "Found" without a record of what was done to it;
 * "Confirmed" by a user, who named the object that an unconfirmed create made.
 */
export type Adoption = "Found" | "Confirmed";

/** How the command line reads one object by its id. */
export interface RemoteRead<Api> {
  /** The operation that reads the object; the specification does not have it. */
  readonly operation: string;
  /** @throws ApiError */
  read(api: Api, id: Uuid): Promise<object | undefined>;
  /** Reads what the specification's operations return of the object. Absent where that is nothing. @throws ApiError */
  documented?(api: Api, id: Uuid): Promise<object | undefined>;
}

/**
 * What the engine knows of a kind. The members that are optional declare capabilities that several kinds have.
 */
export interface Kind<K extends KindTypes = KindTypes> {
  readonly resource: Resource<K["spec"], K["memory"]>;
  /** The references and values that a spec needs. Pure. */
  needs(spec: K["spec"]): Needs<K["inputs"]>;
  /** Reads the platform, and nothing else. @throws ApiError */
  observe(context: ReconcileContext<K>, api: K["api"]): Promise<K["observed"]>;
  /** Decides the next step: a list of checks, of which the first difference wins. Pure. */
  plan(context: ReconcileContext<K>, observed: K["observed"]): Plan<K["action"]>;
  /** Sends one request, and returns what is known after its answer. @throws ApiError */
  act(
    step: Step<K["action"]>,
    context: ReconcileContext<K>,
    observed: K["observed"],
    api: K["api"],
  ): Promise<ActionResult<K["observed"], K["memory"]>>;
  /** Finds out whether the request of an open intent took effect. Reads only. @throws ApiError */
  trace(intent: OpenIntent, context: ReconcileContext<K>, api: K["api"]): Promise<Trace<K["observed"], K["memory"]>>;
  /** Builds conditions, members of status and outputs. Pure. */
  report(context: ReconcileContext<K>, observed: K["observed"]): Report;
  /** Returns the id of an existing object that a spec names as its own; undefined where it names none. Pure. */
  claim(spec: K["spec"]): Uuid | undefined;

  /** Reports whether the platform lists the objects by name, so that adoptionPolicy defaults to IfUniqueName. */
  listable?(isFull: boolean): boolean;
  /** Returns the operations for the condition Capabilities. Absent: specs never change, stop or delete anything. */
  operations?(spec: K["spec"]): KindOperations;
  /** Reads an object to compare it with its spec; members are spelled as in specs. Absent where no read shows it. */
  readonly remote?: RemoteRead<K["api"]>;
  /** Returns the Secret that the operator wrote beside an object. Pure. */
  writtenSecret?(memory: K["memory"]): WrittenOutput | undefined;
  /**
   * Returns the claims of a resource to fields of objects of the platform, its own object or those of other resources:
   * to the fields that its memory holds, or, with inputs, to those that it is about to write. Two resources must not
   * write the same field; `ContextRecords.holderOf` decides which one may. Pure.
   * @param of.id of the resource's own object, if it has one
   */
  fieldClaims?(of: {
    readonly id: Uuid | undefined;
    readonly memory: K["memory"];
    readonly inputs: K["inputs"] | undefined;
  }): readonly FieldClaim[];
  /**
   * Reports whether a read shows the object of a step that was answered 404. If it does, the platform does not have the
   * operation. Absent where no read shows the object.
   */
  shows?(step: Step<K["action"]>, context: ReconcileContext<K>, observed: K["observed"]): boolean;
  /** Returns the memory to store before a repeatable step is sent: after a crash it shows who sent the step. */
  prepare?(step: Step<K["action"]>, context: ReconcileContext<K>, observed: K["observed"]): K["memory"] | undefined;
  /**
   * Returns the part of the memory of a create that is stored with the record of its id, and read back if the status is
   * lost. If the answer has no id, it is stored with the intent.
   */
  keep?(memory: K["memory"]): JsonObject | undefined;
  /**
   * Returns the members of memory that an adopted object has unless they are known otherwise; undefined where there are
   * none. They distinguish the object from one whose status was lost. Pure.
   */
  adopted?(how: Adoption): K["memory"] | undefined;
}
