/**
 * Shares reads. Equal reads in flight are one request, and answers are cached for a while, as far as the memory that
 * all clients share allows.
 */
import { operationEntry, type OperationName } from "../codec/operations.ts";
import type { Clock } from "../transport/clock.ts";

/** A cache of answers whose size counts in a CacheBudget. */
interface BudgetedCache {
  /** Removes the oldest answer that is counted. */
  readonly evictOldest: () => void;
}

export type CacheBudget = ReturnType<typeof createCacheBudget>;

/** The size of the bodies of all cached answers, in UTF-16 units; decoded, they take several times as much. */
const MAX_CACHED = 16 * 1024 * 1024;

/**
 * Creates the budget that the caches of all clients share, so that no platform fills the heap of the process.
 * @param limit the size of all cached answers, in UTF-16 units
 */
export function createCacheBudget(limit = MAX_CACHED) {
  const sizes = new Map<BudgetedCache, number>();
  let total = 0;
  const isFull = (): boolean => total > limit;
  const largest = (): BudgetedCache | undefined =>
    [...sizes].reduce<readonly [BudgetedCache | undefined, number]>(
      (best, next) => (next[1] > best[1] ? next : best),
      [undefined, 0],
    )[0];
  return {
    /**
     * Counts an answer that a cache has added, or, with a negative size, removed. While all exceed the limit, the
     * largest cache evicts: a platform with long answers evicts no answer of another platform.
     */
    count: (cache: BudgetedCache, size: number): void => {
      const now = (sizes.get(cache) ?? 0) + size;
      if (now > 0) sizes.set(cache, now);
      else sizes.delete(cache);
      total += size;
      while (isFull()) largest()?.evictOldest();
    },
    /** Returns the size of all cached answers. */
    total: (): number => total,
  };
}

export interface ReadKey {
  readonly operation: OperationName;
  readonly ids: Readonly<Record<string, string>>;
  /** The encoded query, "" for none. */
  readonly query: string;
  /** The lane of the reader. Lanes share no reads in flight: the gate may admit the read of another lane much later. */
  readonly lane?: string;
}

/** An answer, and the size of its body. */
export interface Loaded<T> {
  readonly value: T;
  readonly size: number;
}

interface Entry {
  readonly key: ReadKey;
  readonly value: Promise<unknown>;
  /** What it counts in the budget: 0 while the read is in flight. */
  readonly size: number;
  /** When the read began, on the monotonic clock: the answer is not older. */
  readonly askedAt: number;
}

const MAX_ENTRIES = 512;

/** Creates the cache of one client. @param budget that of all clients */
export function createReadCache(clock: Clock, budget: CacheBudget) {
  const entries = new Map<string, Entry>();

  const drop = (name: string): void => {
    const size = entries.get(name)?.size ?? 0;
    entries.delete(name);
    if (size > 0) budget.count(cache, -size);
  };
  const cache: BudgetedCache = {
    evictOldest: () => {
      const [oldest] = [...entries].find(([, { size }]) => size > 0) ?? [];
      if (oldest !== undefined) drop(oldest);
    },
  };

  const start = <T>(key: ReadKey, load: () => Promise<Loaded<T>>): Promise<T> => {
    const loaded = load();
    const value = loaded.then((answer) => answer.value);
    const name = inFlight(key);
    const entry = { key, value, size: 0, askedAt: clock.monotonic() };
    entries.set(name, entry);
    const isCurrent = () => entries.get(name) === entry;
    void loaded.then(
      ({ size }) => {
        if (!isCurrent()) return;
        entries.delete(name);
        store({ ...entry, size });
        for (const oldest of entries.keys()) {
          if (entries.size <= MAX_ENTRIES) break;
          drop(oldest);
        }
      },
      () => {
        if (isCurrent()) entries.delete(name);
      },
    );
    return value;
  };

  const store = (entry: Entry): void => {
    const name = nameOf(entry.key);
    if ((entries.get(name)?.askedAt ?? -Infinity) > entry.askedAt) return;
    drop(name); // re-inserted at the end: evictions begin at the front
    entries.set(name, entry);
    if (entry.size > 0) budget.count(cache, entry.size);
  };

  return {
    /**
     * Returns a cached answer that is at most `maxAgeMs` old, else joins an equal read in flight in its lane, else
     * calls `load`. Failures are shared with the callers that wait, and never cached.
     */
    get: <T>(key: ReadKey, maxAgeMs: number, load: () => Promise<Loaded<T>>): Promise<T> => {
      const known = entries.get(nameOf(key));
      const isFresh = known !== undefined && clock.monotonic() - known.askedAt < maxAgeMs;
      const usable = isFresh ? known : entries.get(inFlight(key));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one operation always has one type of answer.
      return usable === undefined ? start(key, load) : (usable.value as Promise<T>);
    },
    /**
     * Drops, before and after a write, the reads that it makes stale: those of `operations[…].invalidates` whose ids do
     * not contradict the write's. A read in flight still answers the callers that wait for it, and is not cached.
     */
    invalidate: (write: OperationName, ids: ReadKey["ids"]): void => {
      const stale = operationEntry(write).invalidates ?? [];
      for (const [name, { key }] of entries) {
        if (stale.includes(key.operation) && agrees(key.ids, ids)) drop(name);
      }
    },
    /** Drops all reads, after a report that the platform has changed. */
    clear: (): void => {
      for (const name of entries.keys()) drop(name);
    },
  };
}

function nameOf({ operation: read, ids, query }: ReadKey): string {
  return JSON.stringify([read, ids, query]);
}

function inFlight(key: ReadKey): string {
  return `${nameOf(key)} in flight for ${key.lane ?? ""}`;
}

function agrees(read: Readonly<Record<string, string>>, write: Readonly<Record<string, string>>): boolean {
  return Object.entries(write).every(([name, id]) => read[name] === undefined || read[name] === id);
}
