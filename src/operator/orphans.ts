/** Stores the orphan ledger, and makes its event. */
import { OPERATOR, ORPHAN_CONFIG_MAPS, ORPHANS, ORPHANS_LABEL } from "../config/names.ts";
import { readOrphan, type Orphan } from "../engine/orphans/orphan.ts";
import { isKube } from "../kube/api/errors.ts";
import type { KubeClient } from "../kube/api/transport.ts";
import type { EventInput } from "../kube/api/types.ts";
import { createConfigMaps, type ConfigMaps } from "../kube/write/config-maps.ts";

/** @returns the ConfigMaps of the orphan ledger in the operator's namespace */
export function orphanConfigMaps(client: KubeClient, namespace: string): ConfigMaps {
  const labels = { "app.kubernetes.io/managed-by": OPERATOR, [ORPHANS_LABEL.name]: ORPHANS_LABEL.value };
  return createConfigMaps({ client, namespace, prefix: ORPHANS, count: ORPHAN_CONFIG_MAPS, labels });
}

/** Returns the event for an entry that was dropped for lack of room. It regards the ledger, as the resource is gone. */
export function droppedOrphan(namespace: string, { kind, namespace: ownNamespace, name, id }: Orphan): EventInput {
  const metadata = { name: `${ORPHANS}-0`, namespace, uid: "", resourceVersion: "" };
  return {
    regarding: { apiVersion: "v1", kind: "ConfigMap", metadata },
    type: "Warning",
    reason: "OrphanDropped",
    action: "Record",
    note: `The orphan ledger is full. Its oldest entry is dropped: ${kind} "${ownNamespace}/${name}" left ${id} on the platform.`,
  };
}

/** Returns all stored entries with their places, the newest first. @throws KubeError */
export async function storedOrphans(configMaps: ConfigMaps) {
  const all = await Promise.all(
    Array.from({ length: configMaps.count }, async (_, index) => {
      const { data } = await configMaps.read(index);
      return [...data].flatMap(([key, text]) => {
        const orphan = readOrphan(text);
        return orphan === undefined ? [] : [{ index, key, orphan }];
      });
    }),
  );
  return all.flat().toSorted((left, right) => (left.orphan.at > right.orphan.at ? -1 : 1));
}

/** How often a conflict with the operator's own writes is retried. */
const ATTEMPTS = 5;

/**
 * Removes the entries of an object from the ledger.
 * @param dryRun if given, the API server checks the removal and stores nothing
 * @returns their number. @throws KubeError
 */
export async function forgetOrphans(configMaps: ConfigMaps, id: string, dryRun?: "server"): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const found = (await storedOrphans(configMaps)).filter(({ orphan }) => orphan.id === id);
    try {
      for (const [index, entries] of Map.groupBy(found, (entry) => entry.index)) {
        const removed = new Map(entries.map(({ key }) => [key, null]));
        await configMaps.write(index, await configMaps.read(index), removed, dryRun);
      }
      return found.length;
    } catch (error) {
      if (!isKube(error, "Conflict") || attempt === ATTEMPTS) throw error;
    }
  }
}
