/** The caches of the custom resources: one store, and a reflector for each kind and watched namespace. */
import { TYPES } from "../config/kinds.ts";
import { isKube } from "../kube/api/errors.ts";
import type { ResourceType } from "../kube/api/types.ts";
import {
  createReflector,
  type Reflector,
  type ReflectorObserver,
  type ReflectorOptions,
} from "../kube/watch/reflector.ts";
import { createStore } from "../kube/watch/store.ts";

/** After a 410 each reflector lists at a random time; those of all watches take this time each, in milliseconds. */
const RELIST_MS = 80;

export interface CachesOptions extends Pick<ReflectorOptions, "client" | "clock" | "random"> {
  /** All kinds if absent. */
  readonly types?: readonly ResourceType[];
  /** Empty for all. */
  readonly namespaces: readonly string[];
  /**
   * Whether the objects of each namespace in `namespaces` enter the store together, once every kind is listed: so no
   * parent is seen without its children. A namespace whose lists are forbidden is then not served, and does not keep
   * the other namespaces waiting.
   */
  readonly perNamespace?: {
    /** Called when the API server forbids the first list of a namespace, and when the namespace is served later. */
    readonly onServed: (namespace: string, isServed: boolean) => void;
  };
  readonly observer: ReflectorObserver;
  /** Called with an error that a listener of the store threw. */
  readonly onListenerError: (error: unknown) => void;
  /** Called when every first list is in the store, except those of namespaces that are not served. */
  readonly onSynced: () => void;
}

export type Caches = ReturnType<typeof createCaches>;

/** The reflectors of one namespace; of the whole cluster without one. */
interface Scope {
  readonly namespace: string | undefined;
  readonly watched: readonly { readonly kind: string; readonly reflector: Reflector }[];
  /** Whether the API server forbade a first list, and not every kind is listed yet. */
  isForbidden: boolean;
}

/** @returns caches that are not started */
export function createCaches(options: CachesOptions) {
  const { types = TYPES, namespaces, perNamespace } = options;
  const store = createStore(options.onListenerError);
  const ofCluster = types.filter(({ namespaced }) => !namespaced || namespaces.length === 0);
  const namespaced = types.filter(({ namespaced: isNamespaced }) => isNamespaced);
  const relistSpreadMs = RELIST_MS * (ofCluster.length + namespaces.length * namespaced.length);
  let isSynced = false;
  let isStopped = false;

  const watch = (type: ResourceType, more: Partial<ReflectorOptions>): Scope["watched"][number] => ({
    kind: type.kind,
    reflector: createReflector({ ...options, store, type, relistSpreadMs, ...more }),
  });

  const missing = (): readonly string[] => {
    const served = scopes.filter(({ isForbidden }) => !isForbidden);
    // Where no namespace is served, the right itself is missing: then the caches wait for it.
    const counted = served.some(({ namespace }) => namespace !== undefined) ? served : scopes;
    const unlisted = counted.flatMap(({ watched }) => watched.filter(({ reflector }) => !reflector.synced()));
    return [...new Set(unlisted.map(({ kind }) => kind))];
  };
  const settle = (): void => {
    if (isSynced || missing().length > 0) return;
    isSynced = true;
    options.onSynced();
  };
  const observer = (of: () => Scope): ReflectorObserver => ({
    ...options.observer,
    listed: (kind, objects) => {
      options.observer.listed?.(kind, objects);
      const scope = of();
      const isServed = scope.watched.every(({ reflector }) => reflector.synced());
      if (isServed && scope.isForbidden) {
        scope.isForbidden = false;
        if (scope.namespace !== undefined) perNamespace?.onServed(scope.namespace, true);
      }
      settle();
    },
    failed: (kind, error, retryInMs) => {
      options.observer.failed?.(kind, error, retryInMs);
      const scope = of();
      const { namespace } = scope;
      if (perNamespace === undefined || namespace === undefined || scope.isForbidden) return;
      // Every other failure may be over at the next attempt, so it keeps everything waiting.
      if (!isKube(error, "Forbidden") || scope.watched.every(({ reflector }) => reflector.synced())) return;
      scope.isForbidden = true;
      perNamespace.onServed(namespace, false);
      settle();
    },
  });

  const scopeOf = (namespace: string | undefined, of: readonly ResourceType[]): Scope => {
    const waiting: (() => void)[] = [];
    const admit = (put: () => void): void => {
      waiting.push(put);
      if (waiting.length === of.length) for (const store of waiting) store();
      // The first kind has shown that the namespace can be read.
      else if (waiting.length === 1 && !isStopped) for (const { reflector } of scope.watched) reflector.start();
    };
    const more = {
      ...(namespace !== undefined && { namespace }),
      ...(namespace !== undefined && perNamespace !== undefined && { admit }),
      observer: observer(() => scope),
    };
    const scope: Scope = { namespace, watched: of.map((type) => watch(type, more)), isForbidden: false };
    return scope;
  };
  const scopes = [scopeOf(undefined, ofCluster), ...namespaces.map((namespace) => scopeOf(namespace, namespaced))];

  return {
    store,
    /** Returns the kinds whose first list is not in the store yet; namespaces that are not served do not count. */
    missing,
    /** The number of namespaces whose lists the API server has forbidden since the start. */
    notServed: (): number => scopes.filter(({ isForbidden }) => isForbidden).length,
    start: () => {
      for (const { namespace, watched } of scopes) {
        const first = perNamespace === undefined || namespace === undefined ? watched : watched.slice(0, 1);
        for (const { reflector } of first) reflector.start();
      }
    },
    /** Resolves when nothing enters the store any more. */
    stop: async () => {
      isStopped = true;
      await Promise.all(scopes.flatMap(({ watched }) => watched.map(({ reflector }) => reflector.stop())));
    },
    /**
     * Kind → milliseconds since the last activity of the watch of this kind that has been silent longest. Namespaces
     * that are not served do not count.
     */
    silentMs: (): ReadonlyMap<string, number> => {
      const silent = new Map<string, number>();
      for (const { isForbidden, watched } of scopes) {
        for (const { kind, reflector } of isForbidden ? [] : watched) {
          silent.set(kind, Math.max(silent.get(kind) ?? 0, reflector.silentMs()));
        }
      }
      return silent;
    },
  };
}
