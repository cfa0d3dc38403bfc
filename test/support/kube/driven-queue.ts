import type { ManualClock } from "./clock.ts";

/** The number of reconciles without passing time that counts as a hot loop. */
const HOT = 60;

/**
 * A queue that a manual clock drives: it processes one key after the other, each when it is due.
 * @param pass reconciles a key; it may advance the time
 */
export function drivenQueue(clock: ManualClock, pass: (key: string) => Promise<void>) {
  const dues = new Map<string, number>();

  const first = (limit: number): string | undefined => {
    let found: string | undefined;
    for (const [key, at] of dues) {
      if (at <= limit && (found === undefined || at < (dues.get(found) ?? 0))) found = key;
    }
    return found;
  };

  return {
    enqueue: (key: string, afterMs: number): void => {
      const at = clock.monotonic() + Math.max(0, afterMs);
      dues.set(key, Math.min(dues.get(key) ?? Number.POSITIVE_INFINITY, at));
    },
    /** Runs what falls due in the next `ms`. @throws Error at a hot loop */
    run: async (ms: number): Promise<void> => {
      const until = clock.monotonic() + ms;
      let still = 0;
      for (let key = first(until); key !== undefined; key = first(until)) {
        const before = clock.monotonic();
        const wait = (dues.get(key) ?? 0) - before;
        dues.delete(key);
        if (wait > 0) await clock.advance(wait);
        await pass(key);
        still = clock.monotonic() > before ? 0 : still + 1;
        if (still > HOT + dues.size) throw new Error(`a hot loop around ${key}`);
      }
      await clock.advance(Math.max(0, until - clock.monotonic()));
    },
    due: (key: string): number | undefined => {
      const at = dues.get(key);
      return at === undefined ? undefined : at - clock.monotonic();
    },
    clear: () => {
      dues.clear();
    },
  };
}
