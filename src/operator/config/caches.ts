/** The caches of the custom resources: one store, and a reflector for each kind and watched namespace. */
import { GROUP, VERSION } from "../../api/names.ts";
import type { Bound } from "../../engine/reconcile/bind.ts";
import { RESOURCES } from "../../kinds/index.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject, ResourceType } from "../../kube/api/types.ts";
import { type Assignment, UNDIVIDED } from "../../kube/watch/assignment.ts";
import {
  createReflector,
  type Reflector,
  type ReflectorObserver,
  type ReflectorOptions,
} from "../../kube/watch/reflector.ts";
import { createStore, type Store } from "../../kube/watch/store.ts";
import type { Platform } from "../../platform/index.ts";

/** The types of the custom resources, parents first. */
export const TYPES: readonly ResourceType[] = RESOURCES.map(({ kind, plural, scope }) => ({
  group: GROUP,
  version: VERSION,
  kind,
  plural,
  namespaced: scope === "Namespaced",
}));

export interface CachesOptions extends Pick<ReflectorOptions, "client" | "clock" | "random"> {
  /** All kinds if absent. */
  readonly types?: readonly ResourceType[];
  /** Empty for all. */
  readonly namespaces: readonly string[];
  /** Selects the objects that the store keeps whole; of the others it keeps only their records. */
  readonly assignment?: Assignment;
  /** The kinds, which extract the records of an object. */
  readonly kinds?: readonly Pick<Bound<Platform>, "kind" | "records">[];
  readonly observer: ReflectorObserver;
  /** Called with an error that a listener of the store threw. */
  readonly onListenerError: (error: unknown) => void;
  /** Called when every first list is in the store. */
  readonly onSynced: () => void;
}

export type Caches = ReturnType<typeof createCaches>;

interface Watched {
  readonly kind: string;
  readonly reflector: Reflector;
}

/** @returns caches that are not started */
export function createCaches(options: CachesOptions) {
  const { types = TYPES, namespaces, observer, assignment = UNDIVIDED } = options;
  const isOwn = (object: KubeObject): boolean => assignment.isOwn(keyOf(object));
  const keep = assignment.shards === 1 ? undefined : keeperOf(options.kinds ?? [], isOwn);
  const store = createStore(options.onListenerError);
  let synced = false;

  const missing = (): readonly string[] => [
    ...new Set(watched.filter(({ reflector }) => !reflector.synced()).map(({ kind }) => kind)),
  ];
  const listed: ReflectorObserver["listed"] = (kind, objects) => {
    observer.listed?.(kind, objects);
    if (synced || missing().length > 0) return;
    synced = true;
    options.onSynced();
  };
  const watched = types.flatMap((type): readonly Watched[] => {
    const everywhere = !type.namespaced || namespaces.length === 0;
    return (everywhere ? [undefined] : namespaces).map((namespace) => ({
      kind: type.kind,
      reflector: createReflector({
        ...options,
        store,
        type,
        ...(namespace === undefined ? {} : { namespace }),
        ...(keep === undefined ? {} : { keep }),
        observer: { ...observer, listed },
      }),
    }));
  });

  return {
    store,
    /** The objects that this process reports. */
    own: assignment.shards === 1 ? store : onlyOwn(store, isOwn),
    /** Returns the kinds whose first list is not in the store yet. */
    missing,
    start: () => {
      for (const { reflector } of watched) reflector.start();
    },
    /** Resolves when nothing enters the store any more. */
    stop: async () => {
      await Promise.all(watched.map(({ reflector }) => reflector.stop()));
    },
    /** Kind → milliseconds since the last activity of the watch of this kind that has been silent longest. */
    silentMs: (): ReadonlyMap<string, number> => {
      const silent = new Map<string, number>();
      for (const { kind, reflector } of watched) {
        silent.set(kind, Math.max(silent.get(kind) ?? 0, reflector.silentMs()));
      }
      return silent;
    },
  };
}

/**
 * Returns a function that selects what the store keeps of an object: all of it, or only the records if another shard
 * reconciles it.
 */
function keeperOf(
  kinds: NonNullable<CachesOptions["kinds"]>,
  isOwn: (object: KubeObject) => boolean,
): (object: KubeObject) => KubeObject {
  const byKind = new Map(kinds.map((kind) => [kind.kind, kind]));
  return (object) =>
    object.metadata.namespace === undefined || isOwn(object)
      ? object
      : (byKind.get(object.kind)?.records(object) ?? object);
}

function onlyOwn(store: Store, isOwn: (object: KubeObject) => boolean): Store {
  return {
    ...store,
    get: (key) => {
      const object = store.get(key);
      return object !== undefined && isOwn(object) ? object : undefined;
    },
    list: (kind, namespace) => store.list(kind, namespace).filter(isOwn),
  };
}
