/** What all clients together may remember of the platforms' answers, so that no platform fills the heap of all. */

/** A client that remembers answers. */
export interface Holder {
  /** Forgets the oldest answer that it has counted. */
  readonly forgetOldest: () => void;
}

export type Memory = ReturnType<typeof createMemory>;

/** The size of the bodies of all remembered answers, in UTF-16 units; decoded, they take several times as much. */
const MOST = 16 * 1024 * 1024;

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
