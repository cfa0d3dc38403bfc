/**
 * The orphan ledger: which objects stay on the platform after their resources are deleted. It is kept in memory and in
 * ConfigMaps of the operator's namespace. The leader writes it. Changes by another client, e.g. the command line, take effect
 * with the next read.
 */
import { isKube, KubeError } from "../../kube/api/errors.ts";
import type { Clock, ConfigMapEntries } from "../../kube/api/types.ts";
import type { ConfigMaps } from "../../kube/write/config-maps.ts";
import { backoff } from "../contract/requeue.ts";
import type { Windows } from "../contract/windows.ts";
import { createIndex, dataKey, type OrphanId, arrange, type Changes } from "./known.ts";
import { readOrphan, writeOrphan, type Orphan, type OrphanKey } from "./orphan.ts";

/**
 * What happened to an entry: it was "recorded", "found" again by a resource, "dropped" for lack of room, or
 * "forgotten": somebody else, usually a person, removed it from the stored ledger.
 */
export interface OrphanChange {
  readonly is: "recorded" | "found" | "dropped" | "forgotten";
  readonly orphan: Orphan;
}

export type Orphans = ReturnType<typeof createOrphans>;

export interface OrphansDeps {
  readonly configMaps: ConfigMaps;
  readonly clock: Clock;
  readonly random: () => number;
  readonly windows: Windows;
  readonly report: (change: OrphanChange) => void;
}

/** The largest number of changes that wait to be stored. */
const PENDING = 1_000;
/** How often a write is tried while another client writes the same ConfigMap. */
const CONFLICTS = 5;

/** @returns a ledger that has not read anything yet */
export function createOrphans(deps: OrphansDeps) {
  const { configMaps, clock, report } = deps;
  const index = createIndex();
  const pending = new Map<string, string | null>();
  const stored: ConfigMapEntries[] = Array.from({ length: configMaps.count }, () => ({
    resourceVersion: undefined,
    data: new Map(),
  }));
  const coming = new Set<Promise<void>>();
  const timers = new Map<"retry" | "refresh", () => void>();
  let tail: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  let failures = 0;
  let isClosed = false;

  /** Runs reads and writes one after the other: a read must not undo what a write has just stored. */
  const exclusive = <T>(work: () => Promise<T>): Promise<T> => {
    const done = tail.then(work);
    tail = done.catch(() => undefined);
    return done;
  };

  const later = (what: "retry" | "refresh", ms: number, work: () => Promise<unknown>): void => {
    if (isClosed || timers.has(what)) return;
    const cancel = clock.after(ms, () => {
      timers.delete(what);
      void work().catch(() => undefined);
    });
    timers.set(what, cancel);
  };

  const gone = (key: string, is: "dropped" | "forgotten"): void => {
    const orphan = index.remove(key);
    if (orphan !== undefined) report({ is, orphan });
  };

  const read = async (at: number): Promise<void> => {
    const { data: before = new Map<string, string>() } = stored[at] ?? {};
    const entries = await configMaps.read(at);
    stored[at] = entries;
    for (const [key, text] of entries.data) if (before.get(key) !== text && !pending.has(key)) index.put(key, text);
    for (const key of before.keys()) if (!entries.data.has(key) && !pending.has(key)) gone(key, "forgotten");
  };

  const refresh = async (): Promise<void> => {
    later("refresh", deps.windows.pollMs, refresh);
    await exclusive(async () => {
      for (const [at, { resourceVersion }] of stored.entries()) if (resourceVersion !== undefined) await read(at);
    });
  };

  /** Writes one batch. @returns the number of a ConfigMap that somebody else has changed, undefined without one */
  const write = async (batch: Changes): Promise<number | undefined> => {
    for (const [at, changes] of arrange(stored, batch)) {
      const before = stored[at];
      if (before === undefined) continue;
      try {
        stored[at] = await configMaps.write(at, before, changes);
      } catch (error) {
        if (isKube(error, "Conflict")) return at;
        throw error;
      }
      for (const key of changes.keys()) if (!batch.has(key)) gone(key, "dropped");
    }
    return undefined;
  };

  const writeAll = async (batch: Changes): Promise<void> => {
    for (let tries = 0; tries < CONFLICTS; tries += 1) {
      const moved = await write(batch);
      if (moved === undefined) return;
      await read(moved);
    }
    throw new KubeError("Conflict", 409, "another client keeps writing the orphan ledger");
  };

  const commit = async (): Promise<void> => {
    const batch = new Map(pending);
    try {
      await writeAll(batch);
    } catch (error) {
      failures += 1;
      later("retry", backoff(failures, deps.windows, deps.random()), commitSoon);
      throw error;
    }
    failures = 0;
    for (const [key, text] of batch) {
      if (pending.get(key) === text) pending.delete(key);
      const orphan = text === null ? undefined : readOrphan(text);
      if (orphan !== undefined) report({ is: "recorded", orphan });
    }
  };

  /** Stores the pending changes. All changes that arrive during a write are stored together by the next one. */
  const commitSoon = (): Promise<void> => {
    next ??= exclusive(async () => {
      next = undefined;
      if (pending.size > 0) await commit();
    });
    return next;
  };

  const plan = (key: string, text: string | null): void => {
    pending.delete(key);
    pending.set(key, text);
    const [oldest] = pending.keys();
    if (pending.size <= PENDING || oldest === undefined) return;
    pending.delete(oldest);
    if (stored.every(({ data }) => !data.has(oldest))) gone(oldest, "dropped");
  };

  const add = async (orphan: Orphan): Promise<void> => {
    const key = dataKey(orphan);
    const known = index.get(key);
    if (known === undefined || !isSame(known, orphan)) {
      const text = writeOrphan(orphan);
      index.put(key, text);
      plan(key, text);
    }
    if (pending.has(key)) await commitSoon();
  };

  return {
    /** Reads all stored entries, and again at every poll interval. @throws KubeError if the first read fails */
    load: async (): Promise<void> => {
      await exclusive(async () => {
        await Promise.all(stored.map(async (_, at) => read(at)));
      });
      later("refresh", deps.windows.pollMs, refresh);
    },
    /** Returns the newest known entry of a resource. Reads nothing. */
    find: (key: OrphanKey): Orphan | undefined => index.find(key),
    /** Returns the known entry of an object. Reads nothing. */
    get: (id: OrphanId): Orphan | undefined => index.get(dataKey(id)),
    /** Returns the entry as it is stored now; undefined if it was removed meanwhile. @throws KubeError */
    confirm: (orphan: Orphan): Promise<Orphan | undefined> =>
      exclusive(async () => {
        const key = dataKey(orphan);
        const at = stored.findIndex(({ data }) => data.has(key));
        if (at >= 0 && !pending.has(key)) await read(at);
        return index.get(key);
      }),
    /**
     * Adds an entry, and resolves once it is stored together with the other pending changes. An entry that cannot be
     * stored is known nevertheless, and its write is tried again later.
     * @throws KubeError
     */
    add,
    /**
     * Adds an entry that is being made, unless the object already has one. A write that fails is repeated later and
     * causes no error.
     * @param stored called when the first write has succeeded; never if it fails
     */
    expect: (made: Promise<Orphan | undefined>, stored: (orphan: Orphan) => void): void => {
      const known = made
        .then((orphan) => {
          if (orphan === undefined || index.get(dataKey(orphan)) !== undefined) return;
          void add(orphan)
            .then(() => {
              stored(orphan);
            })
            .catch(() => undefined);
        })
        .catch(() => undefined)
        .finally(() => coming.delete(known));
      coming.add(known);
    },
    /** Returns a promise that resolves once the entries that are being made are known; undefined if there are none. */
    expected: (): Promise<void> | undefined =>
      coming.size === 0 ? undefined : Promise.all(coming).then(() => undefined),
    /** Removes the entry of an object that a resource has recorded. A write that fails is repeated later. */
    found: (id: OrphanId): void => {
      if (index.size() === 0) return;
      const key = dataKey(id);
      const orphan = index.remove(key);
      if (orphan === undefined) return;
      plan(key, null);
      report({ is: "found", orphan });
      void commitSoon().catch(() => undefined);
    },
    /** Returns all known entries. Reads nothing. */
    all: (): readonly Orphan[] => index.all(),
    /** Cancels all timers, and tries once more to store the pending changes. */
    close: async (): Promise<void> => {
      isClosed = true;
      for (const cancel of timers.values()) cancel();
      await commitSoon().catch(() => undefined);
    },
  };
}

/** Reports whether two entries are equal except for their time and signature. */
function isSame(left: Orphan, right: Orphan): boolean {
  const facts = ({ at: _at, signature: _signature, ...rest }: Orphan): string => JSON.stringify(rest);
  return facts(left) === facts(right);
}
