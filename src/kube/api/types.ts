/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

export type JsonObject = { readonly [key: string]: Json | undefined };

/** The identity of a resource type, as it appears in API paths. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Lower-case plural, the path segment. */
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  /** Opaque; compared only for equality, or as a decimal number (KEP-5504) between versions of one object. */
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** An object as the API server stores it, without `metadata.managedFields`. Never mutated. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: Json | undefined;
  readonly status?: Json | undefined;
}

/** Identifies one object of one type; `namespace` is "" for cluster-scoped ones. */
export interface ObjectKey {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** An injected clock: production has one, tests have another. */
export interface Clock {
  /** Returns the wall-clock time, for conditions and events. */
  now(): Date;
  /** Returns milliseconds on a clock that never jumps, for durations. */
  monotonic(): number;
  /** Calls `run` once after `ms` (clamped to 2^31-1); the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The failures of an exchange with the API server. */
export type KubeFailure =
  | "NotFound"
  | "Conflict"
  | "AlreadyExists"
  | "Gone"
  | "Invalid"
  | "Unauthorized"
  | "Forbidden"
  | "TooManyRequests"
  | "Server"
  | "Unreachable"
  | "Timeout"
  | "BadResponse";

/** Reads of the informers' cache. All are synchronous and return the last observed state. */
export interface Cache {
  get(key: ObjectKey): KubeObject | undefined;
  /** All objects of a kind, or those of one namespace. */
  list(kind: string, namespace?: string): readonly KubeObject[];
}

/** A Secret or a ConfigMap, decoded. Values are never logged. */
export interface KeyValues {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly data: ReadonlyMap<string, string>;
}

/** The one writer of the operator's custom resources. Every answer enters the cache before the promise resolves. */
export interface Writer {
  /**
   * Merge-patches metadata of the main resource, checked against `object.metadata.resourceVersion`.
   * Used for intents and finalizers. `null` deletes an annotation.
   * @throws KubeError "Conflict" when the object changed meanwhile, "NotFound" when it is gone.
   */
  patchChecked(
    object: KubeObject,
    change: {
      readonly annotations?: Readonly<Record<string, string | null>>;
      readonly finalizers?: readonly string[];
    },
  ): Promise<KubeObject>;
  /**
   * Merge-patches annotations of the main resource with `metadata.uid` and no resourceVersion, and retries until the
   * API server has stored it, the object is gone (resolves with undefined) or `signal` fires (rejects).
   * @throws KubeError "Invalid" or "Forbidden" when it was refused several times: a policy forbids it, or the
   * annotations of the object leave no room
   */
  storeOutcome(
    object: KubeObject,
    annotations: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
  ): Promise<KubeObject | undefined>;
  /**
   * Makes `.status` equal to `status` by a merge patch with `metadata.resourceVersion`; removed keys are sent as null.
   * Sends nothing and returns `object` when nothing differs.
   * @throws KubeError "Conflict" when the object changed meanwhile, "NotFound" when it is gone
   */
  patchStatus(object: KubeObject, status: JsonObject): Promise<KubeObject>;
  /**
   * Reads the object from the API server, past every cache; not if `object` is an answer of the last second itself.
   * @throws KubeError "Conflict" when it has another version, "NotFound" when it is gone or another object has its name
   */
  confirm(object: KubeObject): Promise<void>;
  /**
   * Deletes this very object, never another one of its name; what it owns is deleted in the background.
   * @throws KubeError, but not where the object is gone already
   */
  delete(object: KubeObject): Promise<void>;
}

/** Reads of Secrets and ConfigMaps by name; there is no list and no watch of them. */
export interface Reader {
  /** @returns undefined when it does not exist. `maxAgeMs` allows a cached answer that is at most so old. */
  secret(namespace: string, name: string, maxAgeMs: number): Promise<KeyValues | undefined>;
  configMap(namespace: string, name: string, maxAgeMs: number): Promise<KeyValues | undefined>;
  /** Drops the cached Secret, so that the next read is fresh. */
  forget(namespace: string, name: string): void;
}

export interface EventInput {
  readonly regarding: KubeObject;
  readonly type: "Normal" | "Warning";
  /** CamelCase, at most 128 characters. */
  readonly reason: string;
  /** What was done, e.g. "Reconcile", "Create", "Delete". */
  readonly action: string;
  /** At most 1,024 characters after cleaning; no secrets. */
  readonly note: string;
}

/** Records events (events.k8s.io/v1). Never throws, never blocks; the same event within 10 min is aggregated. */
export interface EventRecorder {
  record(event: EventInput): void;
}

/** The ConfigMaps and Secrets that the operator writes as outputs, owned by a custom resource. */
export interface Outputs {
  /**
   * Makes the ConfigMap hold exactly `data`, with an ownerReference to `owner`; writes nothing when it already does.
   * @throws KubeError "Conflict" when a ConfigMap of that name exists and is not owned by `owner`
   */
  configMap(owner: KubeObject, name: string, data: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Does the same for a Secret. Its values reach no log and no error.
   * @throws KubeError "Conflict" as above, "Forbidden" where the operator may not write Secrets
   */
  secret(owner: KubeObject, name: string, data: Readonly<Record<string, string>>): Promise<void>;
}

/** Reports whether a write to the platform may start now. */
export interface Fence {
  /**
   * True while this process is leader and the lease outlasts the longest platform write (docs/architecture.md §10:
   * renewal + 15 s − 8 s).
   */
  mayWrite(): boolean;
}

/** The facts of a namespace that the operator uses. */
export interface NamespaceFacts {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly terminating: boolean;
}

/** Reads of namespaces by name, cached for up to `maxAgeMs`. */
export interface Namespaces {
  get(name: string, maxAgeMs: number): Promise<NamespaceFacts | undefined>;
}

/** The content of one of several ConfigMaps that share the entries of one record. */
export interface Shard {
  /** undefined while it does not exist. */
  readonly resourceVersion: string | undefined;
  readonly data: ReadonlyMap<string, string>;
}

/** Entries by key, kept in ConfigMaps of the operator's namespace that are numbered from 0. */
export interface Shards {
  /** The largest number of shards. */
  readonly count: number;
  /** Returns the name of a shard for messages. */
  name(index: number): string;
  /** Reads one from the API server. @throws KubeError */
  read(index: number): Promise<Shard>;
  /**
   * Changes entries of a shard that is as `shard` describes, and creates it where it does not exist yet; null removes
   * an entry.
   * @returns the new shard
   * @throws KubeError "Conflict" when it has another version
   */
  write(index: number, shard: Shard, changes: ReadonlyMap<string, string | null>): Promise<Shard>;
}
