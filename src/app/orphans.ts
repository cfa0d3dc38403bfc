/** Where the orphan ledger is kept, and what is told of it beside the change log. */
import type { Orphan } from "../engine/orphans/orphan.ts";
import { createShards } from "../kube/shards.ts";
import type { KubeClient } from "../kube/transport.ts";
import type { EventInput, Shards } from "../kube/types.ts";
import { OPERATOR, ORPHAN_SHARDS, ORPHANS, ORPHANS_LABEL } from "./rbac.ts";

/** @returns the ConfigMaps of the orphan ledger in the operator's namespace */
export function orphanShards(client: KubeClient, namespace: string): Shards {
  const labels = { "app.kubernetes.io/managed-by": OPERATOR, [ORPHANS_LABEL.name]: ORPHANS_LABEL.value };
  return createShards({ client, namespace, prefix: ORPHANS, count: ORPHAN_SHARDS, labels });
}

/** The event on the ledger for an entry that went for want of room: its resource is gone. */
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
