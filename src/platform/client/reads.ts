/**
 * Shares and repeats reads. Equal reads in flight are one request, and answers are cached for a while. A write is never
 * repeated here: only the ledger knows whether it may be.
 */
import { operationEntry, type OperationName } from "../codec/operations.ts";
import { type Clock, sleep } from "../transport/clock.ts";
import { ApiError } from "../transport/errors.ts";
import type { Holder, Memory } from "./memory.ts";

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

const MAX_ATTEMPTS = 3;
const BASE_MS = 200;

/**
 * Returns a function that runs a read up to three times while it fails with Server or Unreachable, or with a body that
 * was cut on its way, 200 and 400 ms apart ± 50 %. After three such failures in a row, of any reads, the platform counts as down: until a read gets another
 * answer, every read is sent once, so that probes do not send three requests (docs/reliability.md C2). The function
 * takes the read, which gets a function that returns the rest of `deadlineMs`, and the number of the attempt, from 1.
 * The deadline spans all attempts and the pauses between them. The function throws the ApiError of the last attempt.
 */
export function createRetry(clock: Clock, random: () => number) {
  let failures = 0; // in a row

  return async <T>(
    attempt: (remainingMs: () => number, made: number) => Promise<T>,
    deadlineMs: number,
  ): Promise<T> => {
    const endsAt = clock.monotonic() + deadlineMs;
    for (let made = 1; ; made += 1) {
      const isDown = failures >= MAX_ATTEMPTS;
      try {
        const value = await attempt(() => endsAt - clock.monotonic(), made);
        failures = 0;
        return value;
      } catch (error) {
        if (isTransient(error)) failures += 1;
        else if (error instanceof ApiError && error.status > 0) failures = 0; // an answer, if only a refusal
        const pause = BASE_MS * made * (0.5 + random());
        const isLast = isDown || made === MAX_ATTEMPTS || !isTransient(error);
        if (isLast || clock.monotonic() + pause >= endsAt) throw error;
        await sleep(clock, pause);
      }
    }
  };
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { failure } = error;
  return (
    failure.is === "Server" || failure.is === "Unreachable" || (failure.is === "BadResponse" && failure.isCut === true)
  );
}
