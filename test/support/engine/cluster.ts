import { KubeError } from "../../../src/kube/api/errors.ts";
import { isObject } from "../../../src/kube/api/json.ts";
import { keyOf } from "../../../src/kube/api/objects.ts";
import type {
  Cache,
  Json,
  JsonObject,
  KeyValues,
  KubeObject,
  ObjectKey,
  ObjectMeta,
} from "../../../src/kube/api/types.ts";
import type { StoreChange } from "../../../src/kube/watch/store.ts";
import { diffMerge, equalJson } from "../../../src/kube/write/merge-patch.ts";
import type { Writer } from "../../../src/kube/write/writer.ts";

/** A write of the operator as the API server saw it. */
export interface Write {
  readonly what: "checked" | "outcome" | "status" | "delete";
  readonly key: string;
  readonly body: JsonObject;
}

/** Called around every write; may hang, as a killed process does, or throw a KubeError. */
export interface WriteHooks {
  before(write: Write): Promise<void>;
  after(write: Write): Promise<void>;
}

/**
 * Custom resources as an API server keeps them: resourceVersions, generations, uid preconditions, finalizers, merge
 * patches. The operator's cache is the server's own state, which is what every answer makes of it.
 */
export interface MemoryCluster {
  readonly cache: Cache;
  readonly writer: Writer;
  readonly secrets: Map<string, KeyValues>;
  /** All writes of the operator that were stored, oldest first. */
  readonly writes: Write[];
  hooks: WriteHooks;
  onChange: (change: StoreChange) => void;
  get(kind: string, name: string): KubeObject;
  find(kind: string, name: string): KubeObject | undefined;
  all(): readonly KubeObject[];
  /** What a user does. */
  create(kind: string, name: string, spec: Json, more?: Partial<ObjectMeta>): KubeObject;
  spec(kind: string, name: string, spec: Json): void;
  annotate(kind: string, name: string, annotations: Readonly<Record<string, string | null>>): void;
  /** Replaces the whole status, as a backup or a hostile hand does. */
  status(kind: string, name: string, status: Json | undefined): void;
  remove(kind: string, name: string): void;
  /** Puts an object in place whole, as it was stored once: what a restore brings back. */
  restore(object: KubeObject): void;
  secret(name: string, data: Readonly<Record<string, string>> | undefined): void;
}

export const NAMESPACE = "team";

/** @param now the wall clock. */
export function memoryCluster(now: () => Date): MemoryCluster {
  const objects = new Map<string, KubeObject>();
  let version = 0;
  const keyText = ({ kind, namespace, name }: ObjectKey): string => `${kind}/${namespace}/${name}`;
  const next = (): string => String((version += 1));
  const keyIn = (kind: string, name: string): string =>
    keyText({ kind, namespace: kind.startsWith("Cluster") ? "" : NAMESPACE, name });

  const put = (object: KubeObject, old: KubeObject | undefined): KubeObject => {
    const stored = wire({ ...object, metadata: { ...object.metadata, resourceVersion: next() } });
    const { deletionTimestamp, finalizers = [] } = stored.metadata;
    const key = keyText(keyOf(stored));
    if (deletionTimestamp !== undefined && finalizers.length === 0) {
      objects.delete(key);
      cluster.onChange({ type: "deleted", object: stored });
      return stored;
    }
    objects.set(key, stored);
    cluster.onChange(old === undefined ? { type: "added", object: stored } : { type: "updated", object: stored, old });
    return stored;
  };

  const edit = (kind: string, name: string, change: (object: KubeObject) => KubeObject): void => {
    const old = cluster.get(kind, name);
    put(change(old), old);
  };

  /** The live object of that uid. @throws KubeError as the API server answers */
  const live = (object: KubeObject, checkVersion: boolean): KubeObject => {
    const held = objects.get(keyText(keyOf(object)));
    if (held === undefined) throw new KubeError("NotFound", 404, "not found");
    if (held.metadata.uid !== object.metadata.uid) {
      throw checkVersion ? new KubeError("Conflict", 409, "conflict") : new KubeError("Invalid", 422, "uid");
    }
    if (checkVersion && held.metadata.resourceVersion !== object.metadata.resourceVersion) {
      throw new KubeError("Conflict", 409, "conflict");
    }
    return held;
  };

  const store = async (write: Write, apply: () => KubeObject): Promise<KubeObject> => {
    await cluster.hooks.before(write);
    const stored = apply();
    cluster.writes.push(write);
    await cluster.hooks.after(write);
    return stored;
  };

  const writer: Writer = {
    patchChecked: async (object, change) => {
      const key = keyText(keyOf(object));
      const annotations = changedAnnotations(object, change.annotations ?? {});
      const finalizers = equalJson(
        object.metadata.finalizers ?? [],
        change.finalizers ?? object.metadata.finalizers ?? [],
      )
        ? undefined
        : change.finalizers;
      if (annotations === undefined && finalizers === undefined) return object;
      return await store({ what: "checked", key, body: { ...annotations, finalizers } }, () => {
        const held = live(object, true);
        return put(withMeta(held, annotations ?? {}, finalizers), held);
      });
    },
    storeOutcome: async (object, annotations) => {
      const isGone = () => objects.get(keyText(keyOf(object)))?.metadata.uid !== object.metadata.uid;
      try {
        return await store({ what: "outcome", key: keyText(keyOf(object)), body: annotations }, () => {
          const held = live(object, false);
          return put(withMeta(held, annotations, undefined), held);
        });
      } catch (error) {
        if (error instanceof KubeError && isGone()) return undefined;
        throw error;
      }
    },
    patchStatus: async (object, status) => {
      const body = diffMerge(object.status, status);
      if (body === undefined) return object;
      return await store({ what: "status", key: keyText(keyOf(object)), body }, () => {
        const held = live(object, true);
        return put({ ...held, status: merged(held.status, body) }, held);
      });
    },
    confirm: async (object) => {
      live(object, true);
      return Promise.resolve();
    },
    delete: async (object) => {
      const key = keyText(keyOf(object));
      await cluster.hooks.before({ what: "delete", key, body: {} });
      if (objects.get(key)?.metadata.uid !== object.metadata.uid) return;
      objects.delete(key);
      cluster.writes.push({ what: "delete", key, body: {} });
      cluster.onChange({ type: "deleted", object });
    },
  };

  const cluster: MemoryCluster = {
    cache: {
      get: (key) => objects.get(keyText(key)),
      list: (kind) => [...objects.values()].filter((object) => object.kind === kind),
    },
    writer,
    secrets: new Map(),
    writes: [],
    hooks: { before: () => Promise.resolve(), after: () => Promise.resolve() },
    onChange: () => {},
    get: (kind, name) => {
      const object = cluster.find(kind, name);
      if (object === undefined) throw new Error(`no ${kind} ${name}`);
      return object;
    },
    find: (kind, name) => objects.get(keyIn(kind, name)),
    all: () => [...objects.values()],
    create: (kind, name, spec, more = {}) =>
      put(
        {
          apiVersion: "test/v1",
          kind,
          metadata: {
            name,
            ...(kind.startsWith("Cluster") ? {} : { namespace: NAMESPACE }),
            uid: `uid-${name}-${version}`,
            resourceVersion: "",
            generation: 1,
            creationTimestamp: `${now().toISOString().slice(0, 19)}Z`,
            ...more,
          },
          spec,
          status: { observedGeneration: -1 },
        },
        undefined,
      ),
    spec: (kind, name, spec) => {
      edit(kind, name, (old) => ({ ...bumped(old), spec }));
    },
    annotate: (kind, name, annotations) => {
      edit(kind, name, (old) => withMeta(old, annotations, undefined));
    },
    status: (kind, name, status) => {
      edit(kind, name, (old) => ({ ...old, status }));
    },
    remove: (kind, name) => {
      const old = cluster.get(kind, name);
      if (old.metadata.deletionTimestamp !== undefined) return;
      const { metadata } = bumped(old);
      put({ ...old, metadata: { ...metadata, deletionTimestamp: now().toISOString() } }, old);
    },
    restore: (object) => {
      put(object, objects.get(keyText(keyOf(object))));
    },
    secret: (name, data) => {
      if (data === undefined) cluster.secrets.delete(name);
      else {
        const uid = cluster.secrets.get(name)?.uid ?? `uid-secret-${next()}`;
        cluster.secrets.set(name, { uid, resourceVersion: next(), data: new Map(Object.entries(data)) });
      }
    },
  };
  return cluster;
}

/** The API server raises the generation with the spec and with the mark of deletion. */
function bumped(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, generation: (object.metadata.generation ?? 0) + 1 } };
}

/** As JSON travels to Go and back: without undefined members, and well-formed. */
function wire(object: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(object), (_, value: unknown) =>
    typeof value === "string" ? value.toWellFormed() : value,
  ) as KubeObject;
}

function withMeta(
  object: KubeObject,
  annotations: Readonly<Record<string, string | null>>,
  finalizers: readonly string[] | undefined,
): KubeObject {
  const next = new Map(Object.entries(object.metadata.annotations ?? {}));
  for (const [name, value] of Object.entries(annotations)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return {
    ...object,
    metadata: {
      ...object.metadata,
      annotations: Object.fromEntries(next),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
  };
}

function changedAnnotations(
  object: KubeObject,
  wanted: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string | null>> | undefined {
  const held = object.metadata.annotations ?? {};
  const changed = Object.entries(wanted).filter(([name, value]) => (held[name] ?? null) !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** A JSON merge patch (RFC 7386) applied to `target`. */
export function merged(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else if (value !== undefined) result.set(name, merged(result.get(name), value));
  }
  return Object.fromEntries(result);
}
