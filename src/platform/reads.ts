/** Reads that several objects share: equal ones in flight are one request, and answers may be used again for a while. */
import type { Clock } from "./clock.ts";
import { operation } from "./operations.ts";
import type { OperationName } from "./operations.ts";

export interface ReadKey {
  readonly operation: OperationName;
  readonly ids: Readonly<Record<string, string>>;
  /** The encoded query, "" for none. */
  readonly query: string;
}

export interface SharedReads {
  /**
   * Answers from memory what is at most `maxAgeMs` old, else joins an equal read in flight, else calls `load`.
   * Failures are shared with those who wait, and never remembered.
   */
  get<T>(key: ReadKey, maxAgeMs: number, load: () => Promise<T>): Promise<T>;
  /**
   * Forgets, before and after a write, the reads that it makes stale: those of `operations[…].stale` whose ids do
   * not contradict the write's. One that is in flight still answers those who wait, but nobody else.
   */
  forget(write: OperationName, ids: Readonly<Record<string, string>>): void;
  /** Forgets all reads, as the platform was heard to have changed. Those in flight answer those who wait. */
  forgetAll(): void;
}

interface Entry {
  readonly key: ReadKey;
  readonly value: Promise<unknown>;
  /** When the answer was asked for: it is at least as fresh as that. */
  readonly askedAt: number;
  readonly settled: boolean;
}

const MAX_ENTRIES = 512;

export function createSharedReads(clock: Clock): SharedReads {
  const entries = new Map<string, Entry>();

  const start = <T>(name: string, key: ReadKey, load: () => Promise<T>): Promise<T> => {
    const value = load();
    const entry = { key, value, askedAt: clock.monotonic(), settled: false };
    entries.set(name, entry);
    const isCurrent = () => entries.get(name) === entry;
    void value.then(
      () => {
        if (!isCurrent()) return;
        entries.delete(name); // to the end: the oldest go first
        entries.set(name, { ...entry, settled: true });
        for (const oldest of entries.keys()) if (entries.size > MAX_ENTRIES) entries.delete(oldest);
      },
      () => {
        if (isCurrent()) entries.delete(name);
      },
    );
    return value;
  };

  return {
    get: <T>(key: ReadKey, maxAgeMs: number, load: () => Promise<T>): Promise<T> => {
      const name = nameOf(key);
      const entry = entries.get(name);
      const usable = entry !== undefined && (!entry.settled || clock.monotonic() - entry.askedAt < maxAgeMs);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one operation always has one type of answer.
      return usable ? (entry.value as Promise<T>) : start(name, key, load);
    },
    forget: (write, ids) => {
      const stale = operation(write).stale ?? [];
      for (const [name, { key }] of entries) {
        if (stale.includes(key.operation) && agrees(key.ids, ids)) entries.delete(name);
      }
    },
    forgetAll: () => {
      entries.clear();
    },
  };
}

function nameOf({ operation: read, ids, query }: ReadKey): string {
  return JSON.stringify([read, ids, query]);
}

function agrees(read: Readonly<Record<string, string>>, write: Readonly<Record<string, string>>): boolean {
  return Object.entries(write).every(([name, id]) => read[name] === undefined || read[name] === id);
}
