import { KubeError } from "../api/errors.ts";
import type { Clock } from "../api/types.ts";
import type { Priority, WorkQueue } from "./workqueue.ts";

/** The result of reconciling one object. */
export interface Result {
  /** When to reconcile again, in milliseconds; never without an event if absent. */
  readonly requeueAfterMs?: number;
  /** "normal" by default. */
  readonly priority?: Priority;
}

/** The outcome of a reconcile, as `controller_runtime_reconcile_total` labels it. */
export type Outcome = "success" | "error" | "requeue" | "requeue_after";

export interface ControllerOptions {
  readonly queue: WorkQueue;
  /** The number of keys that are reconciled at once. */
  readonly workers: number;
  readonly clock: Clock;
  /** Reconciles one object. If it throws, the key waits for its backoff, and no other key is affected. */
  reconcile(key: string): Promise<Result>;
  /** Called after each reconcile, for metrics. */
  finished?(outcome: Outcome, seconds: number): void;
  /** For the log. */
  failed?(key: string, error: unknown): void;
}

/** @returns a controller, workers over a queue, that is not started */
export function createController(options: ControllerOptions) {
  const { clock, queue } = options;
  let workers: readonly Promise<void>[] | undefined;
  let active = 0;

  const pass = async (key: string): Promise<Outcome> => {
    try {
      const { requeueAfterMs, priority } = await options.reconcile(key);
      queue.forget(key);
      if (requeueAfterMs === undefined) return "success";
      queue.addAfter(key, requeueAfterMs, priority);
      return requeueAfterMs > 0 ? "requeue_after" : "requeue";
    } catch (error) {
      queue.retry(key, error instanceof KubeError ? error.retryAfterMs : undefined);
      options.failed?.(key, error);
      return "error";
    }
  };

  const work = async (): Promise<void> => {
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      const startedAt = clock.monotonic();
      active += 1;
      const outcome = await pass(key);
      active -= 1;
      queue.done(key);
      options.finished?.(outcome, (clock.monotonic() - startedAt) / 1_000);
    }
  };

  return {
    /** Starts the workers; a second call does nothing. */
    start: (): void => {
      workers ??= Array.from({ length: options.workers }, work);
    },
    /** Shuts the queue down and resolves when the running reconciles have ended. */
    stop: async (): Promise<void> => {
      queue.shutdown();
      await Promise.all(workers ?? []);
    },
    /** Returns how many workers are reconciling: controller_runtime_active_workers. */
    active: (): number => active,
  };
}
