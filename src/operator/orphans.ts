/** Stores the orphan ledger, and makes its event. */
import { readOrphan, type Orphan } from "../engine/orphans/orphan.ts";
import { isKube } from "../kube/api/errors.ts";
import type { KubeClient } from "../kube/api/transport.ts";
import type { EventInput } from "../kube/api/types.ts";
import { createShards, type Shards } from "../kube/write/shards.ts";
import { OPERATOR, ORPHAN_SHARDS, ORPHANS, ORPHANS_LABEL } from "./config/names.ts";

/** @returns the ConfigMaps of the orphan ledger in the operator's namespace */
export function orphanShards(client: KubeClient, namespace: string): Shards {
  const labels = { "app.kubernetes.io/managed-by": OPERATOR, [ORPHANS_LABEL.name]: ORPHANS_LABEL.value };
  return createShards({ client, namespace, prefix: ORPHANS, count: ORPHAN_SHARDS, labels });
}

/** Returns the event for an entry that was dropped for lack of room. It regards the ledger, as the resource is gone. */
export function droppedOrphan(namespace: string, { kind, namespace: own, name, id }: Orphan): EventInput {
  const metadata = { name: `${ORPHANS}-0`, namespace, uid: "", resourceVersion: "" };
  return {
    regarding: { apiVersion: "v1", kind: "ConfigMap", metadata },
    type: "Warning",
    reason: "OrphanDropped",
    action: "Record",
    note: `The orphan ledger is full. Its oldest entry is dropped: ${kind} "${own}/${name}" left ${id} on the platform.`,
  };
}

/** Returns all stored entries with their places, the newest first. @throws KubeError */
export async function storedOrphans(shards: Shards) {
  const all = await Promise.all(
    Array.from({ length: shards.count }, async (_, shard) => {
      const { data } = await shards.read(shard);
      return [...data].flatMap(([key, text]) => {
        const orphan = readOrphan(text);
        return orphan === undefined ? [] : [{ shard, key, orphan }];
      });
    }),
  );
  return all.flat().toSorted((left, right) => (left.orphan.at > right.orphan.at ? -1 : 1));
}

/** How often a conflict with the operator's own writes is retried. */
const TRIES = 5;

/** Removes the entries of an object from the ledger. @returns how many there were. @throws KubeError */
export async function forgetOrphans(shards: Shards, id: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const found = (await storedOrphans(shards)).filter(({ orphan }) => orphan.id === id);
    try {
      for (const [shard, entries] of Map.groupBy(found, (entry) => entry.shard)) {
        await shards.write(shard, await shards.read(shard), new Map(entries.map(({ key }) => [key, null])));
      }
      return found.length;
    } catch (error) {
      if (!isKube(error, "Conflict") || tries === TRIES) throw error;
    }
  }
}
