/** The entries of the orphan ledger in memory, by object and by resource, and the ConfigMaps that they are stored in. */
import { createHash } from "node:crypto";

import type { ConfigMapEntries } from "../../kube/api/types.ts";
import { tenantOf } from "../contract/keys.ts";
import { type Orphan, type OrphanKey, orphanKeyText, readOrphan } from "./orphan.ts";

/** Identifies the object of an entry. */
export type OrphanId = Pick<Orphan, "id" | "kind" | "installation" | "host" | "organizationId">;

/** Returns the key of a stored entry. An id is unique only in its tenant, and two kinds may represent one object. */
export function dataKey(of: OrphanId): string {
  const part = createHash("sha256")
    .update(`${of.installation} ${tenantOf(of)}`)
    .digest("hex")
    .slice(0, 16);
  return `${of.id}.${of.kind}.${part}`;
}

/** The entries in memory, by object and by resource. */
export function createIndex() {
  const entries = new Map<string, Orphan>();
  const byResource = new Map<string, Set<string>>();
  const remove = (key: string): Orphan | undefined => {
    const orphan = entries.get(key);
    if (orphan === undefined) return undefined;
    entries.delete(key);
    const resource = orphanKeyText(orphan);
    byResource.get(resource)?.delete(key);
    if (byResource.get(resource)?.size === 0) byResource.delete(resource);
    return orphan;
  };
  return {
    /** Replaces the entry of a key by the one in the text; removes it if the text has no entry of this key. */
    put: (key: string, text: string): void => {
      remove(key);
      const orphan = readOrphan(text);
      if (orphan === undefined || dataKey(orphan) !== key) return;
      entries.set(key, orphan);
      const resource = orphanKeyText(orphan);
      byResource.set(resource, (byResource.get(resource) ?? new Set()).add(key));
    },
    /** Removes the entry of a key. @returns the removed entry */
    remove,
    get: (key: string): Orphan | undefined => entries.get(key),
    /** Returns the newest entry of a resource. */
    find: (of: OrphanKey): Orphan | undefined => {
      if (entries.size === 0) return undefined;
      const keys = [...(byResource.get(orphanKeyText(of)) ?? [])];
      const found = keys.flatMap((key) => entries.get(key) ?? []);
      return found.toSorted((left, right) => (left.at > right.at ? -1 : 1))[0];
    },
    size: () => entries.size,
    all: (): readonly Orphan[] => [...entries.values()],
  };
}

/**
 * The largest size of a ConfigMap, in bytes. The API server refuses an object of 1 MiB, and stores a whole object at
 * every write.
 */
const CONFIG_MAP_BYTES = 256 * 1_024;

/** Entries by the key that they are stored under; null removes one. */
export type Changes = ReadonlyMap<string, string | null>;

interface StoredPart {
  readonly data: Map<string, string>;
  readonly changes: Map<string, string | null>;
  bytes: number;
}

/**
 * Distributes changes over the ConfigMaps. A known entry is replaced or removed in its ConfigMap. A new one goes into a
 * ConfigMap that has room; where none has, the oldest entries are removed.
 * @param limit the largest size of a ConfigMap, in bytes
 * @returns the changes to write, by the number of the ConfigMap
 */
export function arrange(
  stored: readonly ConfigMapEntries[],
  changes: Changes,
  limit: number = CONFIG_MAP_BYTES,
): ReadonlyMap<number, Changes> {
  const parts = stored.map(({ data }): StoredPart => ({
    data: new Map(data),
    changes: new Map(),
    bytes: [...data].reduce((total, entry) => total + bytesOf(entry), 0),
  }));
  const set = (part: StoredPart, key: string, text: string | null): void => {
    const old = part.data.get(key);
    if (old !== undefined) part.bytes -= bytesOf([key, old]);
    if (text === null) part.data.delete(key);
    else {
      part.data.set(key, text);
      part.bytes += bytesOf([key, text]);
    }
    part.changes.set(key, text);
  };
  for (const [key, text] of changes) {
    const held = parts.find(({ data }) => data.has(key));
    if (held === undefined && text === null) continue;
    if (held !== undefined && held.data.get(key) === text) continue;
    const withSpace = (): StoredPart | undefined =>
      parts.find(({ bytes }) => text === null || bytes + bytesOf([key, text]) <= limit);
    const target = held ?? withSpace() ?? evictOldest(parts, changes, withSpace, set);
    if (target !== undefined) set(target, key, text);
  }
  return new Map(parts.flatMap(({ changes: made }, index) => (made.size === 0 ? [] : [[index, made] as const])));
}

/** @returns the first part that has room once the oldest entries are removed; undefined where none may be removed */
function evictOldest(
  parts: readonly StoredPart[],
  kept: Changes,
  withSpace: () => StoredPart | undefined,
  set: (part: StoredPart, key: string, text: null) => void,
): StoredPart | undefined {
  // Unreadable entries go first.
  const entries = parts.flatMap((part) =>
    [...part.data].flatMap(([key, text]) => (kept.has(key) ? [] : [{ part, key, at: readOrphan(text)?.at ?? "" }])),
  );
  for (const { part, key } of entries.toSorted((left, right) => (left.at < right.at ? -1 : 1))) {
    set(part, key, null);
    const found = withSpace();
    if (found !== undefined) return found;
  }
  return undefined;
}

function bytesOf([key, text]: readonly [string, string]): number {
  return Buffer.byteLength(key) + Buffer.byteLength(text);
}
