/**
 * The interface between the engine and the kinds (docs/architecture.md §3). The engine knows nothing else of a kind.
 */
import type { Resource } from "../../api/resource.ts";
import type { Json, JsonObject } from "../../kube/api/types.ts";
import type { KindTypes, ReconcileContext } from "./context.ts";
import type { KindOperations, ConditionFact, DriftField, FieldClaim, Ms, Needs, Uuid, StatusReason } from "./types.ts";

export type { Json, JsonObject } from "../../kube/api/types.ts";
export { fieldKey, isChangedAtSource, refreshed, sameContent } from "./types.ts";
export type * from "./context.ts";
export type * from "./types.ts";

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
  /** Absent where nothing can be compared: then there is no Drifted condition. */
  readonly drift?: readonly DriftField[];
  /** A ConfigMap to write beside the object. */
  readonly output?: { readonly name: string; readonly data: Readonly<Record<string, string>> };
  /** A Secret to write beside the object. `status` has the members of status to set once the Secret is written. */
  readonly secret?: {
    readonly name: string;
    readonly data: Readonly<Record<string, string>>;
    readonly status: JsonObject;
  };
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
