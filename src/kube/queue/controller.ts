import { KubeError } from "../api/errors.ts";
import type { Clock } from "../api/types.ts";
import type { Priority, WorkQueue } from "./workqueue.ts";

/** What a reconcile over one object asks for. */
export interface Result {
  /** When to look again, in milliseconds; never by itself when left out. */
  readonly requeueAfterMs?: number;
  /** "normal" unless told. */
  readonly priority?: Priority;
}

/** How a reconcile ended, in the words of `controller_runtime_reconcile_total`. */
export type Outcome = "success" | "error" | "requeue" | "requeue_after";

export interface ControllerOptions {
  readonly queue: WorkQueue;
  /** How many keys are worked on at once. */
  readonly workers: number;
  readonly clock: Clock;
  /** One pass. Whatever it throws makes the key wait for its backoff and disturbs no other key. */
  reconcile(key: string): Promise<Result>;
  /** For metrics: what each reconcile ended with and how long it took. */
  finished?(outcome: Outcome, seconds: number): void;
  /** For the log. */
  failed?(key: string, error: unknown): void;
}

/** Workers over a queue. */
export interface Controller {
  /** Starts the workers; a second call does nothing. */
  start(): void;
  /** Shuts the queue down and resolves when the passes that were under way have ended. */
  stop(): Promise<void>;
  /** How many workers are in a reconcile: controller_runtime_active_workers. */
  active(): number;
}

/** @returns a controller that is not started. */
export function createController(options: ControllerOptions): Controller {
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
    start: () => {
      workers ??= Array.from({ length: options.workers }, work);
    },
    stop: async () => {
      queue.shutdown();
      await Promise.all(workers ?? []);
    },
    active: () => active,
  };
}
