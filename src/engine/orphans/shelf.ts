/** Where entries lie in the shards, and which give way when there is no room left. Pure. */
import type { Shard } from "../../kube/api/types.ts";
import { readOrphan } from "./orphan.ts";

/** What a shard may hold, in bytes: an object of 1 MiB is refused by the API server, and every write rewrites all of it. */
const SHARD_BYTES = 256 * 1_024;

/** Entries by the key that they are stored under; null removes one. */
export type Changes = ReadonlyMap<string, string | null>;

interface Place {
  readonly data: Map<string, string>;
  readonly changes: Map<string, string | null>;
  bytes: number;
}

/**
 * Puts new entries where there is room, and takes the oldest out where there is none; replaces and removes in place.
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

/** @returns the first place that has room once the oldest entries are gone; undefined where nothing may go */
function emptied(
  places: readonly Place[],
  kept: Changes,
  roomy: () => Place | undefined,
  set: (place: Place, key: string, text: null) => void,
): Place | undefined {
  // What cannot be read goes first.
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
