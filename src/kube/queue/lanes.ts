export type Lanes = ReturnType<typeof createLanes>;

/**
 * Keys that wait in lanes, e.g. one for each namespace. The lanes take turns, so that no lane waits for all keys of
 * another lane.
 * @param laneOf returns the lane of a key, the same one for as long as the key waits
 * @returns empty lanes
 */
export function createLanes(laneOf: (key: string) => string) {
  /** In the order of their turns; none is empty. */
  const lanes = new Map<string, Map<string, number>>();
  let size = 0;

  const remove = (key: string): void => {
    const lane = laneOf(key);
    const keys = lanes.get(lane);
    if (keys?.delete(key) !== true) return;
    size -= 1;
    if (keys.size === 0) lanes.delete(lane);
  };

  return {
    get size() {
      return size;
    },
    /** Adds a key at the end of its lane; a new lane gets its turn after all lanes. @param since when its wait began */
    add: (key: string, since: number): void => {
      const lane = laneOf(key);
      const keys = lanes.get(lane) ?? new Map<string, number>();
      lanes.set(lane, keys);
      if (!keys.has(key)) size += 1;
      keys.set(key, since);
    },
    delete: remove,
    /** Returns the next key and when its wait began. @param isFull lanes that are skipped */
    head: (isFull: (lane: string) => boolean): readonly [key: string, since: number] | undefined => {
      for (const [lane, keys] of lanes) if (!isFull(lane)) return keys.entries().next().value;
      return undefined;
    },
    /** Removes a key, and moves its lane behind all lanes. */
    take: (key: string): void => {
      remove(key);
      const lane = laneOf(key);
      const keys = lanes.get(lane);
      if (keys === undefined) return;
      lanes.delete(lane);
      lanes.set(lane, keys);
    },
    clear: (): void => {
      lanes.clear();
      size = 0;
    },
  };
}
