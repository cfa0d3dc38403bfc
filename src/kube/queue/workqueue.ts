import { backoffDelay } from "../api/backoff.ts";
import type { Clock } from "../api/types.ts";
import { createLanes, type Lanes } from "./lanes.ts";

/** The order in which waiting keys are taken: what users change, new objects, work under way, routine checks. */
export type Priority = "urgent" | "high" | "normal" | "low";

const PRIORITIES: readonly Priority[] = ["urgent", "high", "normal", "low"];
/** Every so many takes the key that waited longest is taken, whatever its priority and lane: nothing starves. */
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
  /** The lane that a key waits in; lanes of the same priority take turns. One for all unless told. */
  readonly laneOf?: (key: string) => string;
  /** How many keys of one lane may be worked on at once; any number unless told. An urgent one may be one more. */
  readonly perLane?: number;
  /** How many workers are kept free for urgent keys; none unless told. */
  readonly spare?: number;
  /** Whether a key of this lane may be taken now; `resume` has to be called when that changes. Always unless told. */
  readonly hasRoom?: (lane: string, priority: Priority) => boolean;
  /** A key of this lane is taken. */
  readonly taken?: (lane: string) => void;
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
  /** Has the workers look again at the keys for which there was no room. */
  resume(): void;
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

/** A key whose turn it is. */
interface Head {
  readonly priority: Priority;
  readonly key: string;
  readonly since: number;
}

/** @returns an empty queue. */
export function createWorkQueue(options: QueueOptions): WorkQueue {
  const { clock, metrics, random, baseMs = 1_000, capMs = 300_000 } = options;
  const { perLane = Number.POSITIVE_INFINITY, spare = 0, hasRoom = () => true } = options;
  /** Key → the lane that it waits or is worked on in. */
  const laneByKey = new Map<string, string>();
  const laneOf = (key: string): string => laneByKey.get(key) ?? "";
  const waiting: Readonly<Record<Priority, Lanes>> = {
    urgent: createLanes(laneOf),
    high: createLanes(laneOf),
    normal: createLanes(laneOf),
    low: createLanes(laneOf),
  };
  const processing = new Map<string, number>();
  /** Lane → how many of its keys are worked on. */
  const busy = new Map<string, number>();
  const dirty = new Map<string, Priority>();
  const delayed = new Map<string, Delayed>();
  const failures = new Map<string, number>();
  const takers: ((key: string | undefined) => void)[] = [];
  let taken = 0;
  let open = true;

  const waitingAs = (key: string): Priority | undefined =>
    PRIORITIES.find((priority) => waiting[priority].since(key) !== undefined);

  const currentLane = (key: string): string => options.laneOf?.(key) ?? "";

  const enqueue = (key: string, priority: Priority, since: number): void => {
    laneByKey.set(key, currentLane(key));
    waiting[priority].add(key, since);
    serve();
  };

  /** Gives what may be worked on to whoever waits for work. */
  const serve = (): void => {
    while (takers.length > 0) {
      const key = take();
      if (key === undefined) return;
      takers.shift()?.(key);
    }
  };

  /** A key that is worked on waits again when that is done. */
  const addDirty = (key: string, priority: Priority): void => {
    const before = dirty.get(key);
    if (before === undefined) metrics?.added();
    if (before === undefined || isHigher(priority, before)) dirty.set(key, priority);
  };

  /** A key that waits goes on waiting, with the higher priority, in the lane where it belongs now. */
  const move = (key: string, before: Priority, priority: Priority): void => {
    if (!isHigher(priority, before) && laneOf(key) === currentLane(key)) return;
    const since = waiting[before].since(key) ?? clock.monotonic();
    waiting[before].delete(key);
    enqueue(key, isHigher(priority, before) ? priority : before, since);
  };

  const add = (key: string, priority: Priority = "normal"): void => {
    if (!open) return;
    if (processing.has(key)) {
      addDirty(key, priority);
      return;
    }
    const before = waitingAs(key);
    if (before !== undefined) {
      move(key, before, priority);
      return;
    }
    metrics?.added();
    enqueue(key, priority, clock.monotonic());
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

  const isFull = (lane: string, priority: Priority): boolean =>
    (busy.get(lane) ?? 0) >= perLane + (priority === "urgent" ? 1 : 0) || !hasRoom(lane, priority);

  /** Of each priority the key whose turn it is. @param isOut lanes that are passed over */
  const heads = (isOut: (lane: string, priority: Priority) => boolean): readonly Head[] =>
    PRIORITIES.flatMap((priority) => {
      if (priority !== "urgent" && takers.length <= spare) return [];
      const head = waiting[priority].head((lane) => isOut(lane, priority));
      return head === undefined ? [] : [{ priority, key: head[0], since: head[1] }];
    });

  /** The key that waited longest, of another lane than the one whose turn it is if there is any. */
  const fairest = (first: Head): Head => {
    const others = heads((lane, priority) => lane === laneOf(first.key) || isFull(lane, priority));
    const fair = others.length > 0 ? others : heads(isFull);
    return fair.reduce((oldest, next) => (next.since < oldest.since ? next : oldest), fair[0] ?? first);
  };

  const take = (): string | undefined => {
    const [first] = heads(isFull);
    if (first === undefined) return undefined;
    taken += 1;
    const { priority, key, since } = taken % FAIR_EVERY === 0 ? fairest(first) : first;
    waiting[priority].take(key);
    occupy(key, 1);
    options.taken?.(laneOf(key));
    // The pass that begins now is the one that was put off; it says itself when the next one is due.
    delayed.get(key)?.cancel();
    delayed.delete(key);
    const now = clock.monotonic();
    processing.set(key, now);
    metrics?.waited((now - since) / 1_000);
    return key;
  };

  const occupy = (key: string, more: 1 | -1): void => {
    const lane = laneOf(key);
    const now = (busy.get(lane) ?? 0) + more;
    if (now > 0) busy.set(lane, now);
    else busy.delete(lane);
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
      return new Promise((resolve) => {
        takers.push(resolve);
        serve();
      });
    },
    resume: serve,
    done: (key) => {
      const since = processing.get(key);
      if (since === undefined) return;
      processing.delete(key);
      occupy(key, -1);
      laneByKey.delete(key);
      metrics?.worked((clock.monotonic() - since) / 1_000);
      const again = dirty.get(key);
      dirty.delete(key);
      if (again !== undefined) enqueue(key, again, clock.monotonic());
      else serve();
    },
    shutdown: () => {
      open = false;
      for (const { cancel } of delayed.values()) cancel();
      for (const map of [delayed, dirty, laneByKey, ...Object.values(waiting)]) map.clear();
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
