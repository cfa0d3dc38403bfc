/** The types that engine and kinds exchange, beside `Kind` itself. */
import type { Reason } from "../../api/reasons.ts";
import type { Json } from "../../kube/api/types.ts";

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
 * What a platform offers: the operations of the specification, or the platform's whole API (docs/architecture.md §9).
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

/** A field of an object of the platform that a resource writes. */
export interface FieldClaim {
  /** The object that has the field. */
  readonly id: Uuid;
  /** Absent where the resource wrote to the object and holds no field of it any more. */
  readonly field?: string;
  /**
   * When the resource last wrote to the object, by the platform's clock (ISO 8601), where it is another resource's. The
   * engine then reconciles that resource.
   */
  readonly writtenAt?: string | undefined;
}

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

/** A connection's defaults for its objects: the members of spec.lifecycle, the poll interval, and spec.logs. */
export interface PolicyDefaults {
  readonly lifecycle: Readonly<Record<string, unknown>>;
  /** As a user writes it, e.g. "15m". */
  readonly pollInterval: string | undefined;
  /** How many of the last lines of the log of a failed application are kept. */
  readonly failureLogLines?: number | undefined;
}

/** The settings of a connection. */
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
  /** The labels of the Secrets that resources may take values from. undefined: of any labels. */
  readonly allowedSecrets?: Readonly<Record<string, string>> | undefined;
  /** The defaults of objects that set nothing themselves. */
  readonly defaults: PolicyDefaults;
  /** The connection's own proxy; undefined: the proxy settings that the operator was started with. */
  readonly proxy?: { readonly url: string; readonly secretName: string | undefined } | undefined;
  /** The certificate authorities that the connection trusts, from one of two sources; undefined: Node's own. */
  readonly caBundle?:
    | {
        readonly pem?: string | undefined;
        readonly configMap?: { readonly name: string; readonly key: string } | undefined;
      }
    | undefined;
  /** Only for a cluster-scoped connection: the namespaces that may use it. undefined: none. */
  readonly allowedNamespaces:
    | {
        readonly names: readonly string[];
        readonly matchLabels: Readonly<Record<string, string>> | undefined;
        /** Namespaces that may use only some projects, also where `names` or `matchLabels` select them as well. */
        readonly limited: readonly {
          readonly names: readonly string[];
          readonly matchLabels: Readonly<Record<string, string>> | undefined;
          readonly allowedProjects: readonly Uuid[];
        }[];
      }
    | undefined;
}

/** The settings that decide how the platform is reached. */
export type WaySettings = Pick<ConnectionSettings, "baseUrl" | "proxy" | "caBundle">;

/** The contents of Secrets and ConfigMaps that a connection to the platform needs. */
export interface NetworkAccess {
  /** "user:password" for the proxy. */
  readonly proxyCredentials?: string | undefined;
  /** Certificates of authorities in PEM, which replace Node's own. */
  readonly ca?: string | undefined;
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

/** Returns the key of a field of an object of the platform, as `ContextRecords.holderOf` takes it. */
export function fieldKey(id: Uuid, field: string): string {
  return `${id}/${field}`;
}

/**
 * Represents secret values in the status. Never a plain hash, which can be guessed: `digest` is keyed with the key of
 * the installation, `key` says which key that was, `sources` which versions of which objects were read.
 */
export type Fingerprint = {
  readonly key: string;
  readonly digest: string;
  readonly sources: string;
};

/**
 * Reports whether two fingerprints represent the same content. Under one key the digests decide, so a Secret that was
 * only touched is no change. Digests of two keys cannot be compared: after the loss of the installation's key, and in
 * another installation, the sources decide.
 */
export function sameContent(left: Fingerprint | undefined, right: Fingerprint | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.key === right.key ? left.digest === right.digest : left.sources === right.sources;
}

/**
 * Reports whether the content is known to differ because its sources changed. With the same sources, another version of
 * the operator made the known fingerprint.
 */
export function isChangedAtSource(known: Fingerprint | undefined, now: Fingerprint): boolean {
  return known !== undefined && known.key === now.key && known.digest !== now.digest && known.sources !== now.sources;
}

/**
 * Returns the fingerprint to remember of content that was written: the known one, or, after the loss of the key, the
 * current one while the content is the same, so that later values are compared by their digests again.
 */
export function refreshed<Known extends Fingerprint | undefined>(known: Known, now: Fingerprint): Known | Fingerprint {
  return known === undefined || known.key === now.key || !sameContent(known, now) ? known : { ...now };
}

/**
 * The operations of the platform that changing, stopping and deleting need, all of them. Empty: no surface has one;
 * absent: the kind never does it.
 */
export interface KindOperations {
  readonly update?: readonly string[];
  readonly stop?: readonly string[];
  readonly delete?: readonly string[];
  /** The spec asks for the stop, beside deletionPolicy Stop. */
  readonly isStopWanted?: boolean;
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
