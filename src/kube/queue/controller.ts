import { KubeError } from "../api/errors.ts";
import type { QueuePriority, WorkQueue } from "./workqueue.ts";

/** The result of reconciling one object. */
export interface Result {
  /** When to reconcile again, in milliseconds; if absent, only an event triggers it. */
  readonly requeueAfterMs?: number;
  /** "normal" by default. */
  readonly priority?: QueuePriority;
}

export interface ControllerOptions {
  readonly queue: WorkQueue;
  /** The number of keys that are reconciled at once. */
  readonly workers: number;
  /** Reconciles one object. If it throws, the key waits for its backoff, and no other key is affected. */
  readonly reconcile: (key: string) => Promise<Result>;
}

/** @returns a controller, workers over a queue, that is not started */
export function createController({ queue, workers: count, reconcile }: ControllerOptions) {
  let workers: readonly Promise<void>[] | undefined;

  const process = async (key: string): Promise<void> => {
    try {
      const { requeueAfterMs, priority } = await reconcile(key);
      queue.forget(key);
      if (requeueAfterMs !== undefined) queue.addAfter(key, requeueAfterMs, priority);
    } catch (error) {
      queue.retry(key, error instanceof KubeError ? error.retryAfterMs : undefined);
    }
  };

  const work = async (): Promise<void> => {
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      await process(key);
      queue.done(key);
    }
  };

  return {
    /** Starts the workers; a second call does nothing. */
    start: (): void => {
      workers ??= Array.from({ length: count }, work);
    },
    /** Shuts the queue down and resolves when the running reconciles have ended. */
    stop: async (): Promise<void> => {
      queue.shutdown();
      await Promise.all(workers ?? []);
    },
  };
}
