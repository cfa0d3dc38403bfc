import { backoffDelay } from "./backoff.ts";
import type { Clock } from "./types.ts";

/** The order in which waiting keys are taken: changes by users, progress of what runs, sweeps over what rests. */
export type Priority = "high" | "normal" | "low";

const PRIORITIES: readonly Priority[] = ["high", "normal", "low"];
/** Every so many takes the key that waited longest is taken, whatever its priority: nothing starves. */
const FAIR_EVERY = 5;

/** What the queue tells while it works; the names are those of controller-runtime's `workqueue_*` metrics. */
export interface QueueMetrics {
  /** workqueue_adds_total */
  added(): void;
  /** workqueue_retries_total */
  retried(): void;
  /** workqueue_queue_duration_seconds */
  waited(seconds: number): void;
  /** workqueue_work_duration_seconds */
  worked(seconds: number): void;
}

export interface QueueOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Of the backoff per key after failures; 1 s and 5 min unless told. */
  readonly baseMs?: number;
  readonly capMs?: number;
  readonly metrics?: QueueMetrics;
}

/** Keys that wait for work. A key is worked on by one worker at a time and waits at most once. */
export interface WorkQueue {
  /** Makes the key wait now; one that is being worked on waits again when that work is done. */
  add(key: string, priority?: Priority): void;
  /** Makes the key wait in `ms`. Of several delays for a key the earliest holds; an `add` meanwhile leaves it. */
  addAfter(key: string, ms: number, priority?: Priority): void;
  /** Makes the key wait after its backoff, and no sooner than in `leastMs`. */
  retry(key: string, leastMs?: number): void;
  /** Ends the key's row of failures. */
  forget(key: string): void;
  /** Resolves with the next key, or with undefined once the queue is shut down. */
  get(): Promise<string | undefined>;
  /** Must be called once for each key that `get` gave. */
  done(key: string): void;
  /** Lets go of everything that waits and of every delay. Keys being worked on are the workers' affair. */
  shutdown(): void;
  /** How many keys wait, of one priority or of all: workqueue_depth. */
  depth(priority?: Priority): number;
  /** Sum over the keys being worked on: workqueue_unfinished_work_seconds. */
  unfinishedSeconds(): number;
  /** workqueue_longest_running_processor_seconds */
  longestRunningSeconds(): number;
}

interface Delayed {
  readonly at: number;
  readonly priority: Priority;
  readonly cancel: () => void;
}

/** @returns an empty queue. */
export function createWorkQueue(options: QueueOptions): WorkQueue {
  const { clock, metrics, random, baseMs = 1_000, capMs = 300_000 } = options;
  /** Key → since when, in the order of arrival. */
  const waiting: Readonly<Record<Priority, Map<string, number>>> = {
    high: new Map(),
    normal: new Map(),
    low: new Map(),
  };
  const processing = new Map<string, number>();
  const dirty = new Map<string, Priority>();
  const delayed = new Map<string, Delayed>();
  const failures = new Map<string, number>();
  const takers: ((key: string | undefined) => void)[] = [];
  let taken = 0;
  let open = true;

  const waitingAs = (key: string): Priority | undefined => PRIORITIES.find((priority) => waiting[priority].has(key));

  const enqueue = (key: string, priority: Priority, since: number): void => {
    waiting[priority].set(key, since);
    const taker = takers.shift();
    if (taker !== undefined) taker(take());
  };

  const add = (key: string, priority: Priority = "normal"): void => {
    if (!open) return;
    if (processing.has(key)) {
      const before = dirty.get(key);
      if (before === undefined) metrics?.added();
      if (before === undefined || isHigher(priority, before)) dirty.set(key, priority);
      return;
    }
    const before = waitingAs(key);
    if (before === undefined) {
      metrics?.added();
      enqueue(key, priority, clock.monotonic());
    } else if (isHigher(priority, before)) {
      const since = waiting[before].get(key) ?? clock.monotonic();
      waiting[before].delete(key);
      waiting[priority].set(key, since);
    }
  };

  const addAfter = (key: string, ms: number, priority: Priority = "normal"): void => {
    if (!open) return;
    if (!(ms > 0)) {
      add(key, priority);
      return;
    }
    const at = clock.monotonic() + ms;
    const before = delayed.get(key);
    if (before !== undefined && before.at <= at) return;
    before?.cancel();
    const cancel = clock.after(ms, () => {
      delayed.delete(key);
      add(key, priority);
    });
    delayed.set(key, { at, priority, cancel });
  };

  const chosen = (): Priority | undefined => {
    const filled = PRIORITIES.filter((priority) => waiting[priority].size > 0);
    if (taken % FAIR_EVERY !== 0) return filled[0];
    return filled.toSorted((a, b) => headSince(a) - headSince(b))[0];
  };

  const headSince = (priority: Priority): number => waiting[priority].values().next().value ?? 0;

  const take = (): string | undefined => {
    taken += 1;
    const priority = chosen();
    const [key, since] = (priority === undefined ? undefined : waiting[priority].entries().next().value) ?? [];
    if (priority === undefined || key === undefined || since === undefined) return undefined;
    waiting[priority].delete(key);
    // The pass that begins now is the one that was put off; it says itself when the next one is due.
    delayed.get(key)?.cancel();
    delayed.delete(key);
    const now = clock.monotonic();
    processing.set(key, now);
    metrics?.waited((now - since) / 1_000);
    return key;
  };

  const running = (): readonly number[] => [...processing.values()].map((at) => (clock.monotonic() - at) / 1_000);

  return {
    add,
    addAfter,
    retry: (key, leastMs = 0) => {
      const attempt = failures.get(key) ?? 0;
      failures.set(key, attempt + 1);
      metrics?.retried();
      addAfter(key, Math.max(leastMs, backoffDelay(attempt, { baseMs, capMs, random })));
    },
    forget: (key) => {
      failures.delete(key);
    },
    get: () => {
      if (!open) return Promise.resolve(undefined);
      if (PRIORITIES.some((priority) => waiting[priority].size > 0)) return Promise.resolve(take());
      return new Promise((resolve) => {
        takers.push(resolve);
      });
    },
    done: (key) => {
      const since = processing.get(key);
      if (since === undefined) return;
      processing.delete(key);
      metrics?.worked((clock.monotonic() - since) / 1_000);
      const again = dirty.get(key);
      dirty.delete(key);
      if (again !== undefined) enqueue(key, again, clock.monotonic());
    },
    shutdown: () => {
      open = false;
      for (const { cancel } of delayed.values()) cancel();
      for (const map of [delayed, dirty, ...Object.values(waiting)]) map.clear();
      for (const taker of takers.splice(0)) taker(undefined);
    },
    depth: (priority) =>
      (priority === undefined ? PRIORITIES : [priority]).reduce((sum, each) => sum + waiting[each].size, 0),
    unfinishedSeconds: () => running().reduce((sum, seconds) => sum + seconds, 0),
    longestRunningSeconds: () => Math.max(0, ...running()),
  };
}

function isHigher(a: Priority, b: Priority): boolean {
  return PRIORITIES.indexOf(a) < PRIORITIES.indexOf(b);
}
