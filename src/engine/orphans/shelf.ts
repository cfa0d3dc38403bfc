/** Places entries in shards, and removes the oldest when there is no room. Pure. */
import type { Shard } from "../../kube/api/types.ts";
import { readOrphan } from "./orphan.ts";

/**
 * The size of a shard, in bytes. The API server refuses an object of 1 MiB, and every write rewrites the whole shard.
 */
const SHARD_BYTES = 256 * 1_024;

/** Entries by the key that they are stored under; null removes one. */
export type Changes = ReadonlyMap<string, string | null>;

interface Place {
  readonly data: Map<string, string>;
  readonly changes: Map<string, string | null>;
  bytes: number;
}

/**
 * Places new entries where there is room, and removes the oldest where there is none; replaces and removes in place.
 * @returns what is to be written, by the number of the shard
 */
export function arrange(
  shards: readonly Shard[],
  changes: Changes,
  limit: number = SHARD_BYTES,
): ReadonlyMap<number, Changes> {
  const places = shards.map(({ data }): Place => ({
    data: new Map(data),
    changes: new Map(),
    bytes: sum([...data].map(bytesOf)),
  }));
  const set = (place: Place, key: string, text: string | null): void => {
    const old = place.data.get(key);
    if (old !== undefined) place.bytes -= bytesOf([key, old]);
    if (text === null) place.data.delete(key);
    else {
      place.data.set(key, text);
      place.bytes += bytesOf([key, text]);
    }
    place.changes.set(key, text);
  };
  for (const [key, text] of changes) {
    const held = places.find(({ data }) => data.has(key));
    if (held === undefined && text === null) continue;
    if (held !== undefined && held.data.get(key) === text) continue;
    const roomy = (): Place | undefined =>
      places.find(({ bytes }) => text === null || bytes + bytesOf([key, text]) <= limit);
    const target = held ?? roomy() ?? emptied(places, changes, roomy, set);
    if (target !== undefined) set(target, key, text);
  }
  return new Map(places.flatMap(({ changes: made }, index) => (made.size === 0 ? [] : [[index, made] as const])));
}

/** @returns the first place that has room once the oldest entries are removed; undefined where none may be removed */
function emptied(
  places: readonly Place[],
  kept: Changes,
  roomy: () => Place | undefined,
  set: (place: Place, key: string, text: null) => void,
): Place | undefined {
  // Unreadable entries go first.
  const entries = places.flatMap((place) =>
    [...place.data].flatMap(([key, text]) => (kept.has(key) ? [] : [{ place, key, at: readOrphan(text)?.at ?? "" }])),
  );
  for (const { place, key } of entries.toSorted((left, right) => (left.at < right.at ? -1 : 1))) {
    set(place, key, null);
    const found = roomy();
    if (found !== undefined) return found;
  }
  return undefined;
}

function bytesOf([key, text]: readonly [string, string]): number {
  return Buffer.byteLength(key) + Buffer.byteLength(text);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
