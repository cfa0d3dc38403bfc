/** Divides the objects among the processes of a sharded operator (docs/architecture.md §10). */
import type { ObjectKey } from "../api/types.ts";

/** Which objects this process works on. */
export interface Assignment {
  /** The number of processes that divide the objects; 1 if this process has all. */
  readonly shards: number;
  /** Reports whether this process reconciles an object and writes to it. */
  readonly isOwn: (key: ObjectKey) => boolean;
}

/** The assignment of a process without shards. */
export const UNDIVIDED: Assignment = { shards: 1, isOwn: () => true };

/** The number of names whose shard is cached. */
const KEPT = 10_000;

/**
 * Divides by namespace, so that an object and those that it names are in one shard; cluster-scoped objects by name.
 * @param index of this process, from 0 to shards − 1
 */
export function createAssignment(index: number, shards: number): Assignment {
  if (shards === 1) return UNDIVIDED;
  const known = new Map<string, boolean>();
  return {
    shards,
    isOwn: ({ namespace, name }) => {
      const text = namespace === "" ? `/${name}` : namespace;
      const before = known.get(text);
      if (before !== undefined) return before;
      if (known.size >= KEPT) known.clear();
      const isOwn = shardOf(text, shards) === index;
      known.set(text, isOwn);
      return isOwn;
    },
  };
}

/**
 * Returns the shard of a text: FNV-1a of 64 bits modulo the number of shards. Ranges of the hash, which KEP-5866 uses,
 * do not divide names that differ only in the last character: their hashes are close together
 * (docs/adr/0015-shards.md).
 */
export function shardOf(text: string, shards: number): number {
  let hash = 0xcb_f2_9c_e4_84_22_23_25n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x1_00_00_00_01_b3n);
  return Number(hash % BigInt(shards));
}
