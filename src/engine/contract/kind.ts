/** The seam between the one reconcile and the kinds. The engine knows nothing else of a kind. */
import type { Resource } from "../../api/resource.ts";
import type { Json, JsonObject } from "../../kube/api/types.ts";
import type { ApiError } from "../../platform/transport/errors.ts";
import type { KindTypes, ReconcileContext } from "./context.ts";
import type { KindOperations } from "./types.ts";
import type {
  ExternalAction,
  ConditionFact,
  ConnectionSettings,
  DriftField,
  ExternalWrite,
  Ms,
  Needs,
  ReceiverInputs,
  Supports,
  Uuid,
  Why,
} from "./types.ts";

export type { Json, JsonObject } from "../../kube/api/types.ts";
export { entryOf } from "./types.ts";
export { refreshed, sameContent, type Fingerprint } from "./fingerprint.ts";
export type * from "./context.ts";
export type * from "./types.ts";

/** The types of the registration of a connection's receiver. */
export interface ReceiverTypes<K extends KindTypes> {
  readonly spec: K["spec"];
  readonly inputs: ReceiverInputs;
  readonly observed: unknown;
  readonly memory: K["memory"];
  readonly action: unknown;
  readonly api: K["api"];
}

interface StepFacts<Do> {
  /** The operation of the platform's API, e.g. "updateProject". */
  readonly op: string;
  readonly do: Do;
  /** It only undoes what others changed on the platform: under driftPolicy Report it is reported instead. */
  readonly corrects?: boolean;
  /** It starts a failed deployment again, as spec.lifecycle.retry says. */
  readonly retries?: boolean;
  /** What it changes, for a plan. Secret values are not in it. */
  readonly changes?: readonly DriftField[];
}

export type Step<Do> =
  /** PUT, import, DELETE: may be repeated, needs no ledger. `message` is what a plan says of it. */
  | (StepFacts<Do> & { readonly repeat: "safe"; readonly message?: string })
  /**
   * POST: an intent is written first. `mark` is the baseline that a later trace compares with, `why` what the status
   * says while it is under way.
   */
  | (StepFacts<Do> & {
      readonly repeat: "once";
      readonly creates: boolean;
      readonly mark: Json;
      readonly why: Why;
      readonly name?: string;
      readonly commit?: string;
    });

export type Plan<Do> =
  | { readonly is: "settled"; readonly again?: Ms }
  | { readonly is: "waiting" | "stalled"; readonly why: Why; readonly again?: Ms }
  /**
   * Nobody can tell whether the object works. `condition` is the reported condition that is Unknown since then; absent
   * where no list shows the object (see `Pass.presence`).
   */
  | { readonly is: "unknown"; readonly why: Why; readonly condition?: string; readonly again?: Ms }
  /** Take over the existing object with this id; the engine records it like the outcome of a create. */
  | { readonly is: "adopt"; readonly id: Uuid }
  /** The recorded object provably does not exist any more and a new one is wanted: the engine drops what it knows of it. */
  | { readonly is: "forget"; readonly why: Why }
  | { readonly is: "step"; readonly step: Step<Do> };

/** What is known after a step or a trace. */
export interface Known<Seen, Mem extends JsonObject> {
  readonly seen: Seen;
  readonly memory: Mem;
  readonly id?: Uuid;
}

export type Trace<Seen, Mem extends JsonObject> =
  /** Several: the engine stalls. */
  | { readonly is: "landed"; readonly known: readonly Known<Seen, Mem>[] }
  /** `memory` is what to remember of it once it is certain. */
  | { readonly is: "absent"; readonly memory?: Mem }
  /** `repeatable`: to do it once more changes nothing on the platform, if it was done. */
  | { readonly is: "unknowable"; readonly why: Why; readonly repeatable?: boolean };

/** What an older pass, perhaps of another process, was about to do. */
export interface OpenIntent {
  readonly op: string;
  readonly creates: boolean;
  readonly parentId: Uuid | undefined;
  readonly name: string | undefined;
  readonly id: Uuid | undefined;
  readonly commit: string | undefined;
  readonly mark: Json;
  /** Of a create that the platform accepted without telling the id: what the kind keeps of the answer (`keep`). */
  readonly accepted?: JsonObject;
  /** It was the second attempt of an action that nobody confirmed. */
  readonly repetition?: true;
}

/** What a kind has to say about what was seen. `ready` is said while the plan is settled. */
export interface Report {
  readonly ready: Why;
  readonly conditions: readonly ConditionFact[];
  /** The kind's own members of status, flat; memory is added by the engine. */
  readonly status: JsonObject;
  /** undefined where nothing can be compared; then there is no Drifted condition. */
  readonly drift?: readonly DriftField[];
  /** A ConfigMap to write beside the object. */
  readonly output?: { readonly name: string; readonly data: Readonly<Record<string, string>> };
  /** A Secret to write beside the object. `status` are members of status that hold once it is written. */
  readonly secret?: {
    readonly name: string;
    readonly data: Readonly<Record<string, string>>;
    readonly status: JsonObject;
  };
  /** Look again within so many milliseconds, however long the poll interval is. */
  readonly lookWithin?: Ms;
}

/** Present on a kind whose objects do one thing and are over. */
export interface OneShot<K extends KindTypes> {
  /**
   * Whether it is over, by what its status says: then it is never looked at again, but to delete it when its time has
   * come.
   * @returns undefined while it is not over
   */
  over(memory: K["memory"]): { readonly expiresAt: Date | undefined } | undefined;
  /**
   * What is known after a request that the platform certainly did not execute.
   * @returns undefined where it is no failure of the task, but the connection's
   */
  refused(
    error: ApiError,
    context: ReconcileContext<K>,
    seen: K["observed"],
  ): Known<K["observed"], K["memory"]> | undefined;
  /** How long it may take, from the object's creation on. */
  limitMs(spec: K["spec"]): Ms;
  /**
   * The end of one whose time is over while what it needs is not there, so that no pass is made.
   * @param isSent whether its request may have been sent
   */
  overdue(
    spec: K["spec"],
    memory: K["memory"],
    how: { readonly now: Date; readonly isSent: boolean },
  ): OneShotEnd<K["memory"]>;
}

/** How a task ended. */
export interface OneShotEnd<Mem> {
  readonly memory: Mem;
  readonly report: Report;
}

/** What a connection does on the platform for itself. How it goes is told in a condition of this type. */
export interface ReceiverRegistration<K extends KindTypes> {
  readonly condition: string;
  readonly kind: Kind<ReceiverTypes<K>>;
}

/**
 * "InOthers": it has no id of its own, but writes entries into other objects and ends what it wrote. "Stays": it has no
 * id of its own either, and what it wrote stays as it is when it goes.
 */
export type ExternalLifecycle = boolean | "InOthers" | "Stays";

export interface Kind<K extends KindTypes> {
  readonly resource: Resource<K["spec"], K["memory"]>;
  /** Present on the kinds that are connections themselves: they are observed through what they describe. */
  connection?(spec: K["spec"]): ConnectionSettings;
  /** Of a connection, where it has something to do on the platform. */
  readonly receiverRegistration?: ReceiverRegistration<K>;
  /** Of a kind whose objects do one thing and are over. */
  readonly oneShot?: OneShot<K>;
  /**
   * The object of the platform that a spec lays claim to without having created it, by its id.
   * @param idOf the id behind a reference by name, as far as it is known now
   */
  claim(spec: K["spec"], idOf: (field: string) => Uuid | undefined): Uuid | undefined;
  /** Whether objects of it live on the platform: created by it, recorded by id, finalizer while a policy needs it. */
  readonly lives: ExternalLifecycle;
  /** Its objects are never created by it: one that stays when its resource goes is not left behind. */
  readonly independent?: true;
  /**
   * Whether its memory tells of something done that this platform tells nobody again. That it was is
   * noted where it outlives the status, so that it is not done again once the status is lost.
   */
  notObservableAfterwards?(memory: K["memory"], supports: Supports): boolean;
  /** Whether its steps wait for approval unless the object or its connection says otherwise. */
  readonly needsApproval?: true;
  /** What the condition Capabilities tells of; absent where its specs never ask to change, stop or delete anything. */
  operations?(spec: K["spec"]): KindOperations;
  /** Whether the platform has a list by name, and so the default adoption policy is IfUniqueName. */
  listable(supports: Supports): boolean;
  needs(spec: K["spec"]): Needs<K["inputs"]>;
  /**
   * The entries of objects of the platform ("<id>/<name>") that it writes beside what it stands for: as its memory says,
   * or, with inputs, as it is about to. Two resources must not write the same one; `Pass.holderOf` tells who goes first.
   */
  fieldOwnership?(of: {
    readonly id: Uuid | undefined;
    readonly memory: K["memory"];
    readonly inputs: K["inputs"] | undefined;
  }): readonly string[];
  /**
   * When it last wrote into objects that other resources stand for, and what it requested for them: these are looked at
   * then. @param spec undefined where it is not valid
   */
  externalWrites?(memory: K["memory"], spec: K["spec"] | undefined): readonly ExternalWrite[];
  /**
   * What is remembered of the last action that another resource requested for the recorded object; the memory itself
   * where that is known already. Pure.
   */
  learn?(action: ExternalAction, context: ReconcileContext<K>): K["memory"];
  /** Reads only. @throws ApiError */
  observe(context: ReconcileContext<K>, api: K["api"]): Promise<K["observed"]>;
  /**
   * Whether the platform shows what the step is about, as observed after the step was answered 404: then it is the
   * operation that does not exist. Absent where nothing is shown.
   */
  shows?(step: Step<K["action"]>, context: ReconcileContext<K>, seen: K["observed"]): boolean;
  /** Pure: a list of checks, the first difference wins. */
  plan(context: ReconcileContext<K>, seen: K["observed"]): Plan<K["action"]>;
  /**
   * Of a step that may be repeated: what is remembered before it is sent, where without that nobody could tell after a
   * crash that its result is ours.
   */
  prepare?(step: Step<K["action"]>, context: ReconcileContext<K>, seen: K["observed"]): K["memory"] | undefined;
  /**
   * What of the memory of a create is kept with the record of its id, and read where there is no status: what nobody
   * could tell after a crash, as `prepare`. Where the answer has no id, it is kept with the intent.
   */
  keep?(memory: K["memory"]): JsonObject | undefined;
  /** One request; its answer folded into what was seen. @throws ApiError */
  act(
    step: Step<K["action"]>,
    context: ReconcileContext<K>,
    seen: K["observed"],
    api: K["api"],
  ): Promise<Known<K["observed"], K["memory"]>>;
  /** Did an old step land? Reads only. @throws ApiError */
  trace(intent: OpenIntent, context: ReconcileContext<K>, api: K["api"]): Promise<Trace<K["observed"], K["memory"]>>;
  /** Pure. */
  report(context: ReconcileContext<K>, seen: K["observed"]): Report;
}
