/** Limits the changes of one connection that no user caused (docs/project/architecture.md §7). */
import type { Clock } from "../../kube/api/types.ts";

/** The time for which a changed object counts. */
const MASS_CHANGE_WINDOW_MS = 600_000;

export type MassChangeLimit = ReturnType<typeof createMassChangeLimit>;

export function createMassChangeLimit(clock: Clock) {
  /** When each object was changed first, by key, on the monotonic clock. */
  const changed = new Map<string, number>();
  /** When a user last caused a change of each object, by key, on the monotonic clock. */
  const caused = new Map<string, number>();
  /** When the current hold began, and the last one. */
  let heldAt: Date | undefined;
  let last = 0;
  return {
    /**
     * Reports whether an object may be written to now, and counts it. An object counts once, however many requests its
     * change needs.
     * @param key of the resource
     * @param objects how many objects the connection has
     * @param isCaused whether a user caused the write: neither it nor further writes to the object within 10 minutes
     * count
     * @returns false if max(10, 5 % of the objects) other objects were changed in the last 10 minutes: the limit then holds
     * all writes that no user caused until it is released
     */
    take: (key: string, objects: number, isCaused = false): boolean => {
      const now = clock.monotonic();
      for (const times of [changed, caused]) dropOld(times, now);
      if (isCaused) {
        caused.delete(key);
        caused.set(key, now);
      }
      if (caused.has(key)) return true;
      if (heldAt !== undefined) return false;
      if (changed.has(key)) return true;
      if (changed.size >= Math.max(10, Math.ceil(objects * 0.05))) {
        // The time names the hold, in whole seconds, so no two holds have the same.
        last = Math.max(Math.floor(clock.now().getTime() / 1_000) * 1_000, last + 1_000);
        heldAt = new Date(last);
        return false;
      }
      changed.set(key, now);
      return true;
    },
    /** Returns since when the limit holds, in whole seconds. */
    heldSince: (): Date | undefined => heldAt,
    /** Holds all further writes that no user caused, as the limit did before the process started. */
    hold: (since: Date): void => {
      heldAt = since;
      last = since.getTime();
    },
    release: (): void => {
      heldAt = undefined;
      changed.clear();
    },
  };
}

/** Drops the entries that do not count any more. @param times in their order */
function dropOld(times: Map<string, number>, now: number): void {
  for (const [key, at] of times) {
    if (now - at < MASS_CHANGE_WINDOW_MS) return;
    times.delete(key);
  }
}
