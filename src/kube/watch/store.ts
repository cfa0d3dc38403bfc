import { isDeepStrictEqual } from "node:util";

import { keyOf } from "../api/objects.ts";
import type { KubeObject, ObjectKey } from "../api/types.ts";
import type { ObjectVersion } from "./watch-event.ts";

/**
 * The number of deleted uids that are remembered, each with the version as of which it was gone. Without them the late
 * answer to a write could bring an object back. An object that is newer than that version, or is in a list that is not
 * older than it, exists after all: a stale list or answer lacked it, or its type was not served for a while.
 */
const TOMBSTONES = 10_000;

/** A change of the cache. The same name with a new uid is reported as "deleted", then "added". */
export type StoreChange =
  | { readonly type: "added"; readonly object: KubeObject }
  | { readonly type: "updated"; readonly object: KubeObject; readonly old: KubeObject }
  | { readonly type: "deleted"; readonly object: KubeObject };

/** The result of a list: all objects of a kind, or those of one namespace. */
export interface Snapshot {
  readonly kind: string;
  /** All namespaces when left out. */
  readonly namespace?: string | undefined;
  readonly objects: readonly KubeObject[];
  /** The list's own version: an object that is newer than this and not listed was written after the snapshot. */
  readonly resourceVersion: string;
  /** The server went back in time (etcd was restored): the snapshot replaces everything that is cached. */
  readonly rewound: boolean;
}

/** The cache with its writing side: reflectors and the writer update it, controllers subscribe. */
export type Store = ReturnType<typeof createStore>;

/** @returns an empty store. @param onListenerError receives what a listener threw */
export function createStore(onListenerError: (error: unknown) => void) {
  const kinds = new Map<string, Map<string, Map<string, KubeObject>>>();
  const listeners = new Set<(change: StoreChange) => void>();
  const tombstones = new Map<string, string>();

  const get = ({ kind, namespace, name }: ObjectKey): KubeObject | undefined =>
    kinds.get(kind)?.get(namespace)?.get(name);

  const list = (kind: string, namespace?: string): readonly KubeObject[] => {
    const namespaces = kinds.get(kind);
    if (namespaces === undefined) return [];
    if (namespace !== undefined) return [...(namespaces.get(namespace)?.values() ?? [])];
    return [...namespaces.values()].flatMap((objects) => [...objects.values()]);
  };

  const notify = (change: StoreChange): void => {
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        onListenerError(error);
      }
    }
  };

  const put = (object: KubeObject): void => {
    const { kind, namespace, name } = keyOf(object);
    let namespaces = kinds.get(kind);
    if (namespaces === undefined) kinds.set(kind, (namespaces = new Map<string, Map<string, KubeObject>>()));
    let objects = namespaces.get(namespace);
    if (objects === undefined) namespaces.set(namespace, (objects = new Map<string, KubeObject>()));
    objects.set(name, object);
  };

  const isTombstoned = ({ metadata: { uid, resourceVersion } }: KubeObject): boolean => {
    const goneAt = tombstones.get(uid);
    return goneAt !== undefined && !isOlder(goneAt, resourceVersion);
  };

  /** @param goneAt the version as of which it does not exist */
  const deleteCached = (object: KubeObject, goneAt: string): void => {
    const { kind, namespace, name } = keyOf(object);
    const objects = kinds.get(kind)?.get(namespace);
    objects?.delete(name);
    if (objects?.size === 0) kinds.get(kind)?.delete(namespace);
    addTombstone(object.metadata.uid, goneAt);
    notify({ type: "deleted", object });
  };

  const addTombstone = (uid: string, goneAt: string): void => {
    tombstones.set(uid, goneAt);
    for (const oldest of tombstones.keys()) {
      if (tombstones.size <= TOMBSTONES) break;
      tombstones.delete(oldest);
    }
  };

  const accept = (received: KubeObject): void => {
    const old = get(keyOf(received));
    const object = old === undefined ? received : reuseEqualParts(old, received);
    if (old !== undefined && old.metadata.uid !== object.metadata.uid)
      deleteCached(old, object.metadata.resourceVersion);
    tombstones.delete(object.metadata.uid);
    put(object);
    if (old?.metadata.uid === object.metadata.uid) notify({ type: "updated", object, old });
    else notify({ type: "added", object });
  };

  const upsert = (object: KubeObject): void => {
    const cached = get(keyOf(object))?.metadata;
    if (isTombstoned(object)) return;
    if (cached?.resourceVersion === object.metadata.resourceVersion) return;
    if (cached !== undefined && isOlder(object.metadata.resourceVersion, cached.resourceVersion)) return;
    accept(object);
  };

  return {
    get,
    list,
    /** Reports whether this version of the object is stored. */
    has: ({ key, uid, resourceVersion }: ObjectVersion): boolean => {
      const cached = get(key)?.metadata;
      return cached?.uid === uid && cached.resourceVersion === resourceVersion;
    },
    /** Stores an object of a watch or of a write's answer, unless it is deleted or the cached one is as new. */
    upsert,
    /** Removes that object; an object of the same name with another uid stays. */
    remove: (object: KubeObject): void => {
      const cached = get(keyOf(object));
      const { uid, resourceVersion } = object.metadata;
      if (cached?.metadata.uid !== uid) {
        addTombstone(uid, resourceVersion);
        return;
      }
      const cachedVersion = cached.metadata.resourceVersion;
      const goneAt = isOlder(resourceVersion, cachedVersion) ? cachedVersion : resourceVersion;
      deleteCached({ ...cached, metadata: object.metadata }, goneAt);
    },
    /**
     * Replaces the objects by a whole list. An object that the list lacks is deleted, unless it is newer than the list.
     */
    replace: (snapshot: Snapshot): void => {
      const listed = new Set(snapshot.objects.map((object) => object.metadata.uid));
      for (const cached of list(snapshot.kind, snapshot.namespace)) {
        const later = isOlder(snapshot.resourceVersion, cached.metadata.resourceVersion);
        if (!listed.has(cached.metadata.uid) && (snapshot.rewound || !later))
          deleteCached(cached, snapshot.resourceVersion);
      }
      for (const object of snapshot.objects) {
        const goneAt = tombstones.get(object.metadata.uid);
        if (goneAt !== undefined && !isOlder(snapshot.resourceVersion, goneAt)) tombstones.delete(object.metadata.uid);
        if (!snapshot.rewound) upsert(object);
        else if (get(keyOf(object))?.metadata.resourceVersion !== object.metadata.resourceVersion) accept(object);
      }
    },
    /** @returns a function that ends the subscription. A listener that throws does not affect other listeners. */
    subscribe: (listener: (change: StoreChange) => void): (() => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** Returns the object with those parts of the older one that are equal: values cached by identity stay valid. */
function reuseEqualParts(old: KubeObject, object: KubeObject): KubeObject {
  if (old.metadata.uid !== object.metadata.uid) return object;
  const isSameSpec = old.metadata.generation === object.metadata.generation && areEqual(old.spec, object.spec);
  const spec = isSameSpec ? old.spec : object.spec;
  const status = areEqual(old.status, object.status) ? old.status : object.status;
  return { ...object, spec, status };
}

/** Compares two parts. Parts that are nested too deeply to be compared count as different. */
function areEqual(one: KubeObject["spec"], other: KubeObject["spec"]): boolean {
  try {
    return isDeepStrictEqual(one, other);
  } catch {
    return false;
  }
}

const DECIMAL = /^(0|[1-9]\d*)$/;

/**
 * Reports whether `a` is certainly older than `b`: resource versions of one type are compared as decimal numbers of any
 * length (KEP-5504).
 */
export function isOlder(a: string, b: string): boolean {
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}
