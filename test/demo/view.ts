/** A cache of the custom resources, updated by watches. */
import { RESOURCES } from "../../src/kinds/index.ts";
import { createKubeClient } from "../../src/kube/api/client.ts";
import { systemClock } from "../../src/kube/api/clock.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import type { StoreChange } from "../../src/kube/watch/store.ts";
import { createCaches } from "../../src/operator/config/caches.ts";

export interface View {
  /** @returns all objects, by kind */
  objects(): readonly KubeObject[];
  /** @returns the object of that kind and name in the namespace of the quickstart */
  get(kind: string, name: string): KubeObject | undefined;
  subscribe(listener: (change: StoreChange) => void): () => void;
  /**
   * Resolves when `holds` returns true; it is called at once and after every change.
   * @throws Error with `what` when that takes longer than `ms`, or the signal's reason when it fires
   */
  until(what: string, holds: () => boolean, ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** The namespace of examples/quickstart. */
export const NAMESPACE = "shop";

/** Starts the watches as the kubeconfig's user. `signal` ends every wait. Resolves after the first lists. */
export async function startView(kubeconfigPath: string, signal: AbortSignal): Promise<View> {
  const clock = systemClock();
  const client = createKubeClient({
    config: { from: "file", path: kubeconfigPath },
    userAgent: "platform-operator-demo",
    clock,
  });
  const synced = Promise.withResolvers<void>();
  const caches = createCaches({
    client,
    namespaces: [],
    clock,
    random: Math.random,
    observer: {},
    onListenerError: (error) => {
      throw error;
    },
    onSynced: synced.resolve,
  });
  caches.start();
  await synced.promise;
  const { store } = caches;
  return {
    objects: () => RESOURCES.flatMap(({ kind }) => store.list(kind)),
    get: (kind, name) => store.get({ kind, namespace: NAMESPACE, name }),
    subscribe: (listener) => store.subscribe(listener),
    until: async (what, holds, ms) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const check = (): void => {
        if (holds()) resolve();
      };
      const giveUp = (): void => {
        reject(signal.reason);
      };
      const unsubscribe = store.subscribe(check);
      const timer = setTimeout(() => {
        reject(new Error(`within ${Math.round(ms / 1_000)} s this did not come: ${what}`));
      }, ms);
      signal.addEventListener("abort", giveUp);
      if (signal.aborted) giveUp();
      check();
      try {
        await promise;
      } finally {
        unsubscribe();
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
      }
    },
    stop: async () => {
      await caches.stop();
      await client.close();
    },
  };
}
