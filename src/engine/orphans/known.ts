/** The entries of the orphan ledger in memory, by object and by resource. */
import { createHash } from "node:crypto";

import { tenantOf } from "../ownership/tenant.ts";
import { orphanKeyText, readOrphan, type Orphan, type OrphanKey } from "./orphan.ts";

/** Identifies the object of an entry. */
export type OrphanId = Pick<Orphan, "id" | "kind" | "installation" | "host" | "organizationId">;

/** What an entry is stored under. An id means something in its tenant alone, and two kinds may stand for one object. */
export function dataKey(of: OrphanId): string {
  const place = createHash("sha256")
    .update(`${of.installation} ${tenantOf(of)}`)
    .digest("hex")
    .slice(0, 16);
  return `${of.id}.${of.kind}.${place}`;
}

export interface OrphanIndex {
  /** Takes what is stored under a key in place of what was there; what is no entry is left out. */
  put(key: string, text: string): void;
  /** @returns the entry that was there */
  remove(key: string): Orphan | undefined;
  get(key: string): Orphan | undefined;
  /** The newest entry of a resource. */
  find(of: OrphanKey): Orphan | undefined;
  size(): number;
  counts(): ReadonlyMap<string, number>;
}

export function createIndex(): OrphanIndex {
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
    put: (key: string, text: string): void => {
      remove(key);
      const orphan = readOrphan(text);
      if (orphan === undefined || dataKey(orphan) !== key) return;
      entries.set(key, orphan);
      const resource = orphanKeyText(orphan);
      byResource.set(resource, (byResource.get(resource) ?? new Set()).add(key));
    },
    remove,
    get: (key: string): Orphan | undefined => entries.get(key),
    find: (of: OrphanKey): Orphan | undefined => {
      if (entries.size === 0) return undefined;
      const keys = [...(byResource.get(orphanKeyText(of)) ?? [])];
      const found = keys.flatMap((key) => entries.get(key) ?? []);
      return found.toSorted((left, right) => (left.at > right.at ? -1 : 1))[0];
    },
    size: () => entries.size,
    counts: (): ReadonlyMap<string, number> => {
      const counts = new Map<string, number>();
      for (const { kind } of entries.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return counts;
    },
  };
}
