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
  /** Opaque; compared only for equality, or as a decimal number (KEP-5504) with versions of the same resource type. */
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

/** Identifies one object of one type; `namespace` is "" for a cluster-scoped object. */
export interface ObjectKey {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The time, injected so that tests can set it. */
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
  readonly keys: readonly string[];
  /** Returns the value under a key, decoded now: null for bytes that are not UTF-8 text, undefined for none. */
  readonly get: (key: string) => string | null | undefined;
  /** The type of a Secret, e.g. Opaque. */
  readonly type?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface EventInput {
  readonly regarding: KubeObject;
  readonly type: "Normal" | "Warning";
  /** CamelCase, at most 128 characters. */
  readonly reason: string;
  /** What was done, e.g. "Reconcile", "Create", "Delete". */
  readonly action: string;
  /** Must hold no secrets. The recorder cleans it and cuts it to 1,024 bytes. */
  readonly note: string;
}

/** Records events (events.k8s.io/v1). Never throws, never blocks. Aggregates equal events less than 10 min apart. */
export interface EventRecorder {
  record(event: EventInput): void;
}

/** Reports whether a write to the platform may start now. */
export interface Fence {
  /**
   * True while this process is leader and the lease outlasts the longest write of the platform: until 7 s after the
   * last renewal, as the lease lasts 15 s and a write 8 s.
   */
  mayWrite(): boolean;
  /** True while this process is leader, also while it cannot renew its lease in time for a write. */
  leading(): boolean;
}

/** The facts of a namespace that the operator uses. */
export interface NamespaceFacts {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly terminating: boolean;
}

/** The content of one of several ConfigMaps that share the entries of one record. */
export interface ConfigMapEntries {
  /** undefined while it does not exist. */
  readonly resourceVersion: string | undefined;
  readonly data: ReadonlyMap<string, string>;
}
