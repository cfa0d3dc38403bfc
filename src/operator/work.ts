/** Runs the engine: changes of the cache become keys in the queue, and workers reconcile them. */
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";

import { TYPES } from "../config/kinds.ts";
import type { BoundKinds } from "../engine/bind.ts";
import { keyText, parseKey } from "../engine/contract/keys.ts";
import { createEngine, type EngineDeps } from "../engine/engine.ts";
import { priorityOf, type ReconcilePriority } from "../engine/triggers.ts";
import { platformWebhook } from "../kinds/webhook/crd.ts";
import { abortableSleep, createBackoff } from "../kube/api/clock.ts";
import { isKube, KubeError } from "../kube/api/errors.ts";
import { member } from "../kube/api/json.ts";
import { keyOf } from "../kube/api/objects.ts";
import type { Clock, ObjectKey } from "../kube/api/types.ts";
import { createController, type Result } from "../kube/queue/controller.ts";
import type { WorkQueue } from "../kube/queue/workqueue.ts";
import type { Store, StoreChange } from "../kube/watch/store.ts";
import type { Logger } from "../observability/logger.ts";
import type { ReconcileMetrics, ResultLabel } from "../observability/metrics/controller-runtime.ts";
import type { ReconcileTracker } from "../observability/reconcile-tracker.ts";
import { fieldsOfKey } from "../observability/telemetry.ts";
import type { Platform } from "../platform/index.ts";
import type { DeliveryProof } from "../webhooks/delivery.ts";

/** A reconcile that takes longer may never end: each of its calls has a deadline of seconds. */
export const LONG_RECONCILE_MS = 60_000;

/** The number of objects of the first lists that the engine takes before other work has a turn. */
const LOADED_AT_ONCE = 50;

export interface WorkOptions {
  readonly store: Store;
  readonly queue: WorkQueue;
  readonly workers: number;
  readonly clock: Clock;
  readonly kinds: BoundKinds<Platform>;
  /** The engine's dependencies except the cache, the clock and the queue. */
  readonly engine: Omit<EngineDeps<Platform>, "cache" | "enqueue" | "clock">;
  readonly tracker: ReconcileTracker;
  readonly metrics: ReconcileMetrics;
  readonly log: Logger;
}

export type Work = ReturnType<typeof createWork>;

/** @returns work that is not started. */
export function createWork(options: WorkOptions) {
  const { clock, log, metrics, queue, store } = options;
  const engine = createEngine<Platform>(
    {
      ...options.engine,
      clock,
      cache: store,
      enqueue: (key, { afterMs, urgent }) => {
        const priority = urgent ? priorityIn(store, key) : "low";
        queue.addAfter(key, afterMs, priority === "low" && urgent ? "normal" : priority);
      },
    },
    options.kinds,
  );
  const { orphans } = options.engine;
  const drained = new AbortController();
  const connectionKinds = new Set(options.kinds.connections.map(({ kind }) => kind));
  let unsubscribe = (): void => {};

  const reconcile = async (text: string): Promise<Result> => {
    const key = parseKey(text);
    const startedAt = clock.monotonic();
    const finish = (outcome: ResultLabel): void => {
      const durationMs = clock.monotonic() - startedAt;
      metrics.finished(key.kind, outcome, durationMs / 1_000);
      if (outcome !== "error")
        log.debug("reconciled", { ...fieldsOfKey(key), result: outcome, durationMs: Math.round(durationMs) });
    };
    metrics.started(key.kind);
    // The runbook of the alert PlatformOperatorReconcileStuck quotes this line. It is bound, so that the line has the
    // id of the reconcile.
    const reportLong = AsyncLocalStorage.bind(() => {
      log.warn("is still being reconciled", fieldsOfKey(key));
    });
    const cancel = clock.after(LONG_RECONCILE_MS, reportLong);
    try {
      const afterMs = await engine.reconcile(key);
      finish(outcomeOf(afterMs));
      return afterMs === undefined ? {} : { requeueAfterMs: afterMs, priority: priorityIn(store, text) };
    } catch (error) {
      const message = error instanceof KubeError ? "reconcile failed, trying again" : "reconcile failed unexpectedly";
      log.error(message, { ...fieldsOfKey(key), error });
      finish("error");
      throw error;
    } finally {
      cancel();
      // A reconcile without I/O must not keep the probes and the lease waiting.
      await setImmediate();
    }
  };
  const controller = createController({
    queue,
    workers: options.workers,
    reconcile: (key) => options.tracker.within(key, () => reconcile(key)),
  });

  return {
    /**
     * Reads the orphan ledger; then passes every object of the store and every later change to the engine, and starts
     * the workers.
     */
    start: async (): Promise<void> => {
      await loadOrphans(options, drained.signal);
      if (drained.signal.aborted) return;
      unsubscribe = await loadObjects(store, (change, initial) => engine.changed(change, initial));
      if (!drained.signal.aborted) controller.start();
    },
    /** Takes no more keys. Resolves when the running reconciles have ended and their results are recorded. */
    drain: async (): Promise<void> => {
      drained.abort();
      unsubscribe();
      await controller.stop();
      await engine.flush();
      await orphans.close();
    },
    /** The key of the connection that an object uses; undefined if it has none, or is a connection itself. */
    connectionOf: (text: string): string | undefined => {
      const object = store.get(parseKey(text));
      if (object === undefined || connectionKinds.has(object.kind)) return undefined;
      const found = engine.route(object);
      return found.is === "found" ? keyText(found.key) : undefined;
    },
    /** Ends all connections to the platform; running calls fail. */
    disconnect: (): Promise<void> => engine.connections.closeAll(),
    /** Returns what proves a delivery for a PlatformWebhook that has the operator as its receiver. */
    expected: ({ namespace, name }: Pick<ObjectKey, "namespace" | "name">): DeliveryProof | undefined => {
      const object = store.get({ kind: platformWebhook.kind, namespace, name });
      const found = object !== undefined && member(object.spec, "receiver") === true ? engine.route(object) : undefined;
      const sender = found?.is === "found" ? engine.connections.last(found.key) : undefined;
      if (object === undefined || sender === undefined) return undefined;
      const { path, secret } = options.engine.receiver(keyOf(object), sender);
      return { path, secret, connection: sender.key, sendsSecret: member(object.status, "hasSecret") === true };
    },
    enqueueDelivered: (connection: ObjectKey, ids: readonly string[]): number =>
      engine.enqueueDelivered(connection, ids),
  };
}

/**
 * Passes every object of the store to `changed`, parents first, so that their children find them; then every change
 * since the call, in order, and all later ones. The probes and the lease get a turn after each LOADED_AT_ONCE objects.
 * @returns a function that ends the subscription
 */
export async function loadObjects(store: Store, changed: (change: StoreChange, initial: boolean) => void) {
  const meanwhile: StoreChange[] = [];
  let isLoaded = false;
  const unsubscribe = store.subscribe((change) => {
    if (isLoaded) changed(change, false);
    else meanwhile.push(change);
  });
  let passed = 0;
  /** Passes a change on. @returns whether other work should get a turn */
  const pass = (change: StoreChange, initial: boolean): boolean => {
    changed(change, initial);
    passed += 1;
    return passed % LOADED_AT_ONCE === 0;
  };
  for (const object of TYPES.flatMap(({ kind }) => store.list(kind)))
    if (pass({ type: "added", object }, true)) await setImmediate();
  // The iterator of an array also reaches elements that are added while it runs.
  for (const change of meanwhile) if (pass(change, false)) await setImmediate();
  isLoaded = true;
  return unsubscribe;
}

/** Loads the orphan ledger before anything is created; continues without it only if access is forbidden. */
async function loadOrphans({ engine, clock, log }: WorkOptions, signal: AbortSignal): Promise<void> {
  const backoff = createBackoff({ baseMs: 500, capMs: 10_000, random: engine.random });
  while (!signal.aborted) {
    try {
      await engine.orphans.load();
      return;
    } catch (error) {
      const isForbidden = isKube(error, "Forbidden");
      const then = isForbidden ? "nothing in it is found again by this process" : "trying again";
      log.warn(`cannot read the orphan ledger: ${then}`, { error });
      if (isForbidden || !(await abortableSleep(clock, backoff.next(), signal))) return;
    }
  }
}

function outcomeOf(afterMs: number | undefined): ResultLabel {
  if (afterMs === undefined) return "success";
  return afterMs > 0 ? "requeue_after" : "requeue";
}

/** Returns the priority of a key, by its object in the store. */
export function priorityIn(store: Store, key: string): ReconcilePriority {
  const object = store.get(parseKey(key));
  return object === undefined ? "normal" : priorityOf(object);
}
