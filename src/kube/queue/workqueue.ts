import { backoffDelay } from "../api/clock.ts";
import type { Clock } from "../api/types.ts";
import { createLanes, type Lanes } from "./lanes.ts";

/** The order in which waiting keys are taken: changes by users, new objects, work in progress, routine checks. */
export type QueuePriority = "urgent" | "high" | "normal" | "low";

const PRIORITIES: readonly QueuePriority[] = ["urgent", "high", "normal", "low"];
/** Every fifth key taken is chosen by how long it has waited, not by its priority, so that nothing starves. */
const FAIR_EVERY = 5;
/** The backoff of one key after consecutive failures. */
const BACKOFF = { baseMs: 1_000, capMs: 300_000 } as const;

/** Receives the metrics of the queue; the names are those of controller-runtime's `workqueue_*` metrics. */
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
  readonly metrics?: QueueMetrics;
  /** Returns the lane that a key waits in; lanes of the same priority take turns. One lane by default. */
  readonly laneOf?: (key: string) => string;
  /**
   * The largest number of keys of one lane that are processed at once; unlimited by default. One urgent key may exceed
   * it.
   */
  readonly perLane?: number;
  /** The number of workers that are kept free for urgent keys; 0 by default. */
  readonly spare?: number;
  /**
   * Reports whether a key of this lane may be taken now; `resume` has to be called when that changes. Always true by
   * default.
   */
  readonly hasRoom?: (lane: string, priority: QueuePriority) => boolean;
  /** Called when a key of this lane is taken. */
  readonly taken?: (lane: string) => void;
}

/** The keys that wait to be processed. A key is processed by one worker at a time and waits at most once. */
export type WorkQueue = ReturnType<typeof createWorkQueue>;

/** The lane and priority of a key that waits, or waited before it was taken, and when its wait began. */
interface Entry {
  readonly lane: string;
  readonly priority: QueuePriority;
  readonly since: number;
}

interface Delayed {
  readonly at: number;
  readonly priority: QueuePriority;
  readonly cancel: () => void;
}

/** The next key of a priority. */
interface Head {
  readonly priority: QueuePriority;
  readonly key: string;
  readonly since: number;
}

/** @returns an empty queue. */
export function createWorkQueue(options: QueueOptions) {
  const { clock, metrics, random } = options;
  const { perLane = Number.POSITIVE_INFINITY, spare = 0, hasRoom = () => true } = options;
  /** The entries of the keys that wait or are being processed. */
  const entries = new Map<string, Entry>();
  const laneOf = (key: string): string => entries.get(key)?.lane ?? "";
  const waiting: Readonly<Record<QueuePriority, Lanes>> = {
    urgent: createLanes(laneOf),
    high: createLanes(laneOf),
    normal: createLanes(laneOf),
    low: createLanes(laneOf),
  };
  const processing = new Map<string, number>();
  /** Lane → how many of its keys are being processed. */
  const busy = new Map<string, number>();
  const dirty = new Map<string, QueuePriority>();
  const delayed = new Map<string, Delayed>();
  const failures = new Map<string, number>();
  const idleWorkers: ((key: string | undefined) => void)[] = [];
  let taken = 0;
  let open = true;

  const currentLane = (key: string): string => options.laneOf?.(key) ?? "";

  const enqueue = (key: string, priority: QueuePriority, since: number): void => {
    entries.set(key, { lane: currentLane(key), priority, since });
    waiting[priority].add(key, since);
    serve();
  };

  /** Hands keys to waiting workers. */
  const serve = (): void => {
    while (idleWorkers.length > 0) {
      const key = take();
      if (key === undefined) return;
      idleWorkers.shift()?.(key);
    }
  };

  /** Marks a key that is being processed, so that it is queued again afterwards. */
  const addDirty = (key: string, priority: QueuePriority): void => {
    const before = dirty.get(key);
    if (before === undefined) metrics?.added();
    if (before === undefined || isHigher(priority, before)) dirty.set(key, priority);
  };

  /** Keeps a waiting key in the queue, with the higher priority, in the lane where it belongs now. */
  const move = (key: string, before: Entry, priority: QueuePriority): void => {
    const rises = isHigher(priority, before.priority);
    if (!rises && before.lane === currentLane(key)) return;
    waiting[before.priority].delete(key);
    enqueue(key, rises ? priority : before.priority, before.since);
  };

  const add = (key: string, priority: QueuePriority = "normal"): void => {
    if (!open) return;
    if (processing.has(key)) {
      addDirty(key, priority);
      return;
    }
    const before = entries.get(key);
    if (before !== undefined) {
      move(key, before, priority);
      return;
    }
    metrics?.added();
    enqueue(key, priority, clock.monotonic());
  };

  const addAfter = (key: string, ms: number, priority: QueuePriority = "normal"): void => {
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

  const isFull = (lane: string, priority: QueuePriority): boolean =>
    (busy.get(lane) ?? 0) >= perLane + (priority === "urgent" ? 1 : 0) || !hasRoom(lane, priority);

  /** Returns the next key of each priority. @param isSkipped lanes that are skipped */
  const heads = (isSkipped: (lane: string, priority: QueuePriority) => boolean): readonly Head[] =>
    PRIORITIES.flatMap((priority) => {
      if (priority !== "urgent" && idleWorkers.length <= spare) return [];
      const head = waiting[priority].head((lane) => isSkipped(lane, priority));
      return head === undefined ? [] : [{ priority, key: head[0], since: head[1] }];
    });

  /** Returns the next key that has waited longest, preferably of another lane than the lane of `first`. */
  const fairest = (first: Head): Head => {
    const otherLanes = heads((lane, priority) => lane === laneOf(first.key) || isFull(lane, priority));
    const fair = otherLanes.length > 0 ? otherLanes : heads(isFull);
    return fair.reduce((oldest, next) => (next.since < oldest.since ? next : oldest), fair[0] ?? first);
  };

  const take = (): string | undefined => {
    const [first] = heads(isFull);
    if (first === undefined) return undefined;
    taken += 1;
    const { priority, key, since } = taken % FAIR_EVERY === 0 ? fairest(first) : first;
    waiting[priority].take(key);
    countBusy(key, 1);
    options.taken?.(laneOf(key));
    // This reconcile reentries the delayed one; its result sets the next delay.
    delayed.get(key)?.cancel();
    delayed.delete(key);
    const now = clock.monotonic();
    processing.set(key, now);
    metrics?.waited((now - since) / 1_000);
    return key;
  };

  /** Counts the keys of a lane that are being processed. */
  const countBusy = (key: string, change: 1 | -1): void => {
    const lane = laneOf(key);
    const now = (busy.get(lane) ?? 0) + change;
    if (now > 0) busy.set(lane, now);
    else busy.delete(lane);
  };

  const running = (): readonly number[] => [...processing.values()].map((at) => (clock.monotonic() - at) / 1_000);

  return {
    /** Adds a key; a key that is being processed is queued again afterwards. */
    add,
    /**
     * Adds a key after `ms`. Of several delays for a key the earliest counts. An `add` does not cancel it, but a worker
     * that takes the key does.
     */
    addAfter,
    /** Adds the key after its backoff, and no sooner than after `minMs`. */
    retry: (key: string, minMs = 0): void => {
      const attempt = failures.get(key) ?? 0;
      failures.set(key, attempt + 1);
      metrics?.retried();
      addAfter(key, Math.max(minMs, backoffDelay(attempt, { ...BACKOFF, random })));
    },
    /** Resets the key's backoff. */
    forget: (key: string): void => {
      failures.delete(key);
    },
    /** Resolves with the next key, or with undefined once the queue is shut down. */
    get: (): Promise<string | undefined> => {
      if (!open) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        idleWorkers.push(resolve);
        serve();
      });
    },
    /** Checks again whether there is room for the waiting keys. */
    resume: serve,
    /** Must be called once for each key that `get` returned. */
    done: (key: string): void => {
      const since = processing.get(key);
      if (since === undefined) return;
      processing.delete(key);
      countBusy(key, -1);
      entries.delete(key);
      metrics?.worked((clock.monotonic() - since) / 1_000);
      const again = dirty.get(key);
      dirty.delete(key);
      if (again !== undefined) enqueue(key, again, clock.monotonic());
      else serve();
    },
    /** Drops everything that waits and every delay. Keys that are being processed are not affected. */
    shutdown: (): void => {
      open = false;
      for (const { cancel } of delayed.values()) cancel();
      for (const map of [delayed, dirty, entries, ...Object.values(waiting)]) map.clear();
      for (const worker of idleWorkers.splice(0)) worker(undefined);
    },
    /** Returns how many keys wait, of one priority or of all: workqueue_depth. */
    depth: (priority?: QueuePriority): number =>
      (priority === undefined ? PRIORITIES : [priority]).reduce((sum, each) => sum + waiting[each].size, 0),
    /** Returns the sum over the keys being processed: workqueue_unfinished_work_seconds. */
    unfinishedSeconds: (): number => running().reduce((sum, seconds) => sum + seconds, 0),
    /** Returns workqueue_longest_running_processor_seconds. */
    longestRunningSeconds: (): number => Math.max(0, ...running()),
  };
}

function isHigher(a: QueuePriority, b: QueuePriority): boolean {
  return PRIORITIES.indexOf(a) < PRIORITIES.indexOf(b);
}
