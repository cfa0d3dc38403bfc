/** A cache of the custom resources, updated by watches. */
import { setTimeout as sleep } from "node:timers/promises";

import { RESOURCES } from "../../src/kinds/index.ts";
import { systemClock } from "../../src/kube/api/clock.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import type { StoreChange } from "../../src/kube/watch/store.ts";
import { createCaches } from "../../src/operator/caches.ts";
import { clientAt } from "../support/env/cluster.ts";

export type View = Awaited<ReturnType<typeof startView>>;

const POLL_MS = 50;
/** The namespace of examples/quickstart. */
export const NAMESPACE = "shop";

/** Starts the watches as the kubeconfig's user. `signal` ends every wait. Resolves after the first lists. */
export async function startView(kubeconfigPath: string, signal: AbortSignal) {
  const clock = systemClock();
  const client = clientAt(kubeconfigPath, "platform-operator-demo", clock);
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
    objects: (): readonly KubeObject[] => RESOURCES.flatMap(({ kind }) => store.list(kind)),
    /** @returns the object of that kind and name in the namespace of the quickstart */
    get: (kind: string, name: string) => store.get({ kind, namespace: NAMESPACE, name }),
    subscribe: (listener: (change: StoreChange) => void) => store.subscribe(listener),
    /**
     * Resolves when `holds` returns true.
     * @throws Error with `what` when that takes longer than `ms`, or the signal's reason when it fires
     */
    until: async (what: string, holds: () => boolean, ms: number): Promise<void> => {
      const end = performance.now() + ms;
      while (!holds()) {
        signal.throwIfAborted();
        if (performance.now() > end) throw new Error(`within ${Math.round(ms / 1_000)} s this did not come: ${what}`);
        await sleep(POLL_MS);
      }
    },
    stop: async (): Promise<void> => {
      await caches.stop();
      await client.close();
    },
  };
}
