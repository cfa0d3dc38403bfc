/** Finds the objects whose deletion would wait, or change the platform: those with the operator's finalizer. */
import { FINALIZER } from "../../../api/names.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import { member, stringMember } from "../../../kube/api/json.ts";
import type { KubeObject } from "../../../kube/api/types.ts";
import { TYPES } from "../../../operator/config/caches.ts";
import type { Cluster } from "../../base/cluster.ts";
import { listKind } from "../shared/listing.ts";
import { failed, ok, unknown, type Finding } from "./finding.ts";

const WHAT = "finalizers";

/** @param namespace "" for all of them @returns a finding for each object with the finalizer @throws KubeError */
export async function checkUninstall(cluster: Cluster, namespace: string): Promise<readonly Finding[]> {
  const lists = await Promise.all(TYPES.map(({ kind }) => listKind(cluster, kind, namespace)));
  const objects = lists.flatMap((list) => (list instanceof Error ? [] : list));
  const unseen = TYPES.filter((_, index) => lists[index] instanceof KubeError).map(({ plural }) => plural);
  const held = objects.filter(({ metadata }) => metadata.finalizers?.includes(FINALIZER) === true);
  if (held.length === 0 && unseen.length === 0) {
    const where = namespace === "" ? "" : ` in namespace "${namespace}"`;
    return [ok(WHAT, `none of ${objects.length} objects${where} has one: deleting them leaves the platform as it is`)];
  }
  return [
    ...held.map((object) => failed(nameOf(object), detailOf(object))),
    ...(unseen.length === 0 ? [] : [unknown(WHAT, `you may not list ${unseen.join(", ")}`)]),
  ];
}

function nameOf({ kind, metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

const EFFECTS: Readonly<Record<string, string>> = {
  Delete: "deleting it deletes it on the platform too",
  Stop: "deleting it stops it on the platform",
  Retain: "the operator has not taken the finalizer away yet",
};
const ADVICE = "Delete it while the operator runs, or set Retain.";

function detailOf({ spec, metadata }: KubeObject): string {
  const said = stringMember(member(spec, "lifecycle"), "deletionPolicy");
  const policy = said === undefined ? "deletionPolicy as its connection says" : `deletionPolicy ${said}`;
  if (metadata.deletionTimestamp !== undefined) {
    return `${policy}: it is being deleted, and waits for the operator. Its conditions say for what.`;
  }
  return `${policy}: ${EFFECTS[said ?? ""] ?? "deleting it changes the platform"}. ${ADVICE}`;
}
