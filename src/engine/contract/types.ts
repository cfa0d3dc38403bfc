/** The words of the seam: what engine and kinds say to each other beside the interface `Kind` itself. */
import type { Reason } from "../../api/reasons.ts";
import type { Json } from "../../kube/api/types.ts";
import type { Fingerprint } from "./fingerprint.ts";

export type Ms = number;
export type Uuid = string;

/** "stopped" is what deletionPolicy Stop asks for before the object goes. */
export type Goal = "present" | "absent" | "stopped";

/** Whether the platform offers an operation of its API; Unknown until it has answered one. */
export type Support = "Supported" | "Unsupported" | "Unknown";

/** @param operation by its name, e.g. "updateProject". Those of the specification are always Supported. */
export type Supports = (operation: string) => Support;

/**
 * What a list says of an object: it shows it, it holds all there is and does not, or it does not and may not hold all
 * there is.
 */
export type Sight = "Shown" | "Missing" | "Unclear";

/**
 * What follows from it: "Unconfirmed" until a list has lacked it for long enough, "Unproven" where no list can prove that
 * it is gone.
 */
export type Presence = "Present" | "Unconfirmed" | "Unproven" | "Gone";

/** What is known of all operations beyond the specification, in a word. It decides nothing. */
export type Surface = "Documented" | "Partial" | "Full";

/** A reason and a sentence that never changes while the facts do not: no times, counters or request ids in it. */
export interface Why {
  readonly reason: Reason;
  readonly message: string;
}

/**
 * Where an id comes from: "recorded" in status by us; "claimed" by the annotation alone, as after a loss of status;
 * "given" by the user in spec.externalId; "orphaned", as an earlier resource of the same key left it on the platform
 * and an entry with our signature says so. The last three are verified, then adopted; what is orphaned needs no proof
 * beside the signature where the surface gives none.
 */
export type IdentitySource = "recorded" | "claimed" | "given" | "orphaned";

export interface ConditionFact {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** A Reason, or a state of the platform verbatim. */
  readonly reason: string;
  readonly message: string;
}

export interface DriftField {
  readonly path: string;
  readonly desired: string;
  readonly observed: string;
}

/**
 * That a resource wrote into an object of the platform, and when, by the platform's clock (ISO 8601). With an action:
 * that it requested one, and when, by the operator's clock.
 */
export interface ExternalWrite {
  readonly id: Uuid;
  readonly at: string;
  readonly action?: RequestedAction;
}

/** An action that a resource requested for an object of the platform, and what is known of it. */
export interface RequestedAction {
  /** The operation of the platform's API. */
  readonly op: string;
  /** What the platform answered, where the answer tells it. */
  readonly state?: string | undefined;
  readonly requestId?: Uuid | undefined;
  readonly commit?: string | undefined;
  /** How it ended, once it has; "Accepted" where its end is not observed. */
  readonly result?: "Completed" | "Accepted" | "Failed" | "Unknown" | undefined;
}

/** The same for those that stand for the object. */
export interface ExternalAction extends RequestedAction {
  /** The resource that requested it, as "namespace/name". */
  readonly by: string;
  /** When it was requested, by the operator's clock. */
  readonly at: string;
}

/** A reference to another custom resource, or to an object of the platform by its id. Exactly one of name and id. */
export interface Reference {
  /** E.g. "spec.projectRef". */
  readonly field: string;
  /** The kind that is referred to, e.g. "PlatformProject". */
  readonly kind: string;
  readonly name: string | undefined;
  readonly externalId: Uuid | undefined;
  /** Only its id is needed: whether it is Ready does not matter. */
  readonly idOnly?: true;
  /** Holds nothing up: what does not exist or has no id yet is for the kind to tell. An id is enough, it is no parent. */
  readonly optional?: true;
}

/** A value from a Secret or a ConfigMap of the same namespace, or all of them. */
export interface ValueRequest {
  /** E.g. "spec.variables[DATABASE_URL]". */
  readonly field: string;
  readonly from: "Secret" | "ConfigMap";
  readonly name: string;
  /** Absent: every key that there is. */
  readonly key?: string;
}

export interface ResolvedNeeds {
  /** The id behind a reference. @throws RangeError for a field that was not asked for. */
  id(field: string): Uuid;
  /** The same for an optional reference; undefined while there is none. */
  idIfAny(field: string): Uuid | undefined;
  /** The value behind a request. @throws RangeError for a field that was not asked for. */
  value(field: string): string;
  /** The values behind a request without a key, by their keys. @throws RangeError for a field that was not asked for */
  all(field: string): ReadonlyMap<string, string>;
  /** Stands for this content and the sources that it came from. */
  fingerprint(content: Json): Fingerprint;
}

/** What has to be there before a kind can be observed. */
export interface Needs<In> {
  /** The first one is the parent, whose connection is inherited and, unless it is optional, whose id is pinned. */
  readonly references: readonly Reference[];
  readonly values: readonly ValueRequest[];
  /** Pure: builds the kind's inputs of what was resolved. */
  inputs(resolved: ResolvedNeeds): In;
}

/** What a connection says for its objects: the members of spec.lifecycle, and how often they are looked at. */
export interface PolicyDefaults {
  readonly lifecycle: Readonly<Record<string, unknown>>;
  /** As a user writes it, e.g. "15m". */
  readonly pollInterval: string | undefined;
}

/** What a connection kind tells the engine about itself. */
export interface ConnectionSettings {
  readonly baseUrl: string;
  readonly pathPrefix: string;
  readonly organizationId: Uuid;
  readonly scheme: "Token" | "Bearer";
  readonly tokenSecret: { readonly name: string; readonly key: string };
  readonly requestsPerSecond: number | undefined;
  readonly burst: number | undefined;
  readonly surface: "Auto" | "Documented" | "Full";
  readonly allowUnverifiedIds: boolean;
  readonly allowedProjects: readonly Uuid[] | undefined;
  /** What counts where an object says nothing itself. */
  readonly defaults: PolicyDefaults;
  /** Present where the platform is to tell the operator what happens. */
  readonly receiver?: ReceiverSettings | undefined;
  /** Only of a cluster-scoped connection: who may use it. undefined: nobody. */
  readonly allowedNamespaces:
    | { readonly names: readonly string[]; readonly matchLabels: Readonly<Record<string, string>> | undefined }
    | undefined;
}

/** Where the platform reaches the operator's receiver of deliveries, and the Secret that proves that one is genuine. */
export interface ReceiverSettings {
  readonly url: string;
  readonly secret: { readonly name: string; readonly key: string };
}

/** What is known when the receiver of a connection is registered. */
export interface ReceiverInputs {
  /** With the path that nobody can guess. */
  readonly url: string;
  /** What the platform is asked to send with every delivery, where it can. */
  readonly secret: string;
  /** Stands for both. */
  readonly registered: Fingerprint;
  /** The user asked for another registration, whatever became of the one before. */
  readonly anew: boolean;
}

/** @returns the name of an entry in another object (see `Kind.entries`) */
export function entryOf(id: Uuid, name: string): string {
  return `${id}/${name}`;
}

/** An operation that is needed, or several of which one is enough. */
export type Need = string | readonly string[];

/**
 * The operations of the platform without which what a kind stands for is not changed, stopped or deleted. Empty: no
 * platform has one; absent: the kind never does it.
 */
export interface KindOperations {
  readonly update?: readonly Need[];
  readonly stop?: readonly Need[];
  readonly delete?: readonly Need[];
  /** Whether the spec itself asks for the stop, beside deletionPolicy Stop. */
  readonly isStopWanted?: boolean;
}

/** What the engine itself needs of a platform client. */
export interface RatedApi {
  /** Takes the rate token of the next write. @throws ApiError RateLimited or OverBudget */
  reserve(): Promise<void>;
  readonly capabilities: {
    readonly supports: Supports;
    /** The same for what is told: it does not change because an answer was long ago. */
    readonly learned: Supports;
    /** The operation was answered 404 for an object that the platform showed in the same reconcile. */
    missing(operation: string): void;
    /** undefined while nothing is known. */
    summary(): Surface | undefined;
  };
  /** For how long the platform has refused requests (429), and when the next may be sent; undefined while it does not. */
  limited(): { readonly sinceMs: Ms; readonly leftMs: Ms } | undefined;
  /** Has reads answered by the platform alone, not from what it said before. */
  refresh(): void;
  close(): Promise<void>;
}
