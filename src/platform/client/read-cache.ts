/**
 * Shares reads. Equal reads in flight are one request, and answers are cached for a while, as far as the memory that all
 * clients share allows.
 */
import { operationEntry, type OperationName } from "../codec/operations.ts";
import type { Clock } from "../transport/clock.ts";

/** A client that remembers answers. */
export interface Holder {
  /** Forgets the oldest answer that it has counted. */
  readonly forgetOldest: () => void;
}

export type Memory = ReturnType<typeof createMemory>;

/** The size of the bodies of all remembered answers, in UTF-16 units; decoded, they take several times as much. */
const MOST = 16 * 1024 * 1024;

/** What all clients together may remember of the platforms' answers, so that no platform fills the heap of all. */
export function createMemory(most = MOST) {
  const held = new Map<Holder, number>();
  let total = 0;
  const isFull = (): boolean => total > most;
  const largest = (): Holder | undefined =>
    [...held].reduce<readonly [Holder | undefined, number]>(
      (one, other) => (other[1] > one[1] ? other : one),
      [undefined, 0],
    )[0];
  return {
    /**
     * Counts an answer that a holder remembers, or, with a negative size, has forgotten. While all exceed the limit, the
     * holder that has most forgets: a platform with long answers costs the others none of theirs.
     */
    count: (holder: Holder, size: number): void => {
      const now = (held.get(holder) ?? 0) + size;
      if (now > 0) held.set(holder, now);
      else held.delete(holder);
      total += size;
      while (isFull()) largest()?.forgetOldest();
    },
    /** The size of what all holders remember. */
    total: (): number => total,
  };
}

export interface ReadKey {
  readonly operation: OperationName;
  readonly ids: Readonly<Record<string, string>>;
  /** The encoded query, "" for none. */
  readonly query: string;
  /** The lane of the reader. Lanes share no reads in flight: the gate may admit that of another lane much later. */
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
  /** What it counts in the memory: 0 while the read is in flight. */
  readonly size: number;
  /** When the read began: the answer is not older than that. */
  readonly askedAt: number;
}

const MAX_ENTRIES = 512;

export function createSharedReads(clock: Clock, memory: Memory) {
  const entries = new Map<string, Entry>();

  const drop = (name: string): void => {
    const size = entries.get(name)?.size ?? 0;
    entries.delete(name);
    if (size > 0) memory.count(holder, -size);
  };
  const holder: Holder = {
    forgetOldest: () => {
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
        remember({ ...entry, size });
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

  const remember = (entry: Entry): void => {
    const name = nameOf(entry.key);
    if ((entries.get(name)?.askedAt ?? -Infinity) > entry.askedAt) return;
    drop(name); // to the end: the oldest go first
    entries.set(name, entry);
    if (entry.size > 0) memory.count(holder, entry.size);
  };

  return {
    /**
     * Returns a cached answer that is at most `maxAgeMs` old, else joins an equal read in flight in its lane, else
     * calls `load`. Failures are shared with those who wait, and never cached.
     */
    get: <T>(key: ReadKey, maxAgeMs: number, load: () => Promise<Loaded<T>>): Promise<T> => {
      const known = entries.get(nameOf(key));
      const isFresh = known !== undefined && clock.monotonic() - known.askedAt < maxAgeMs;
      const usable = isFresh ? known : entries.get(inFlight(key));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one operation always has one type of answer.
      return usable === undefined ? start(key, load) : (usable.value as Promise<T>);
    },
    /**
     * Forgets, before and after a write, the reads that it makes stale: those of `operations[…].stale` whose ids do not
     * contradict the write's. A read in flight still answers those who wait, but nobody else.
     */
    forget: (write: OperationName, ids: ReadKey["ids"]): void => {
      const stale = operationEntry(write).stale ?? [];
      for (const [name, { key }] of entries) {
        if (stale.includes(key.operation) && agrees(key.ids, ids)) drop(name);
      }
    },
    /** Forgets all reads, after a report that the platform has changed. Reads in flight still answer those who wait. */
    forgetAll: (): void => {
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
