/** The caches of the custom resources: one store, and a reflector for each kind and watched namespace. */
import { GROUP, VERSION } from "../../api/names.ts";
import { RESOURCES } from "../../kinds/index.ts";
import type { ResourceType } from "../../kube/api/types.ts";
import {
  createReflector,
  type Reflector,
  type ReflectorObserver,
  type ReflectorOptions,
} from "../../kube/watch/reflector.ts";
import { createStore } from "../../kube/watch/store.ts";

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
  const { types = TYPES, namespaces, observer } = options;
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
        observer: { ...observer, listed },
      }),
    }));
  });

  return {
    store,
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
