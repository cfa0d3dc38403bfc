/** Makes small changes of custom resources, with the user's rights. */
import { isObject } from "../../../kube/api/json.ts";
import { objectPath } from "../../../kube/api/paths.ts";
import type { JsonObject, KubeObject } from "../../../kube/api/types.ts";
import { typeOf, type Cluster } from "../../base/cluster.ts";

/** Merges a change into an object, unless another one of its name replaced it. @throws KubeError */
export async function edit({ client }: Cluster, { kind, metadata }: KubeObject, change: JsonObject): Promise<void> {
  const { name, namespace = "", uid } = metadata;
  const own = isObject(change["metadata"]) ? change["metadata"] : {};
  await client.request({
    method: "PATCH",
    path: objectPath(typeOf(kind), { namespace, name }),
    query: { fieldManager: "kubectl-platform" },
    body: { ...change, metadata: { ...own, uid } },
    contentType: "application/merge-patch+json",
  });
}

/** Sets annotations; null removes one. @throws KubeError */
export async function annotate(
  cluster: Cluster,
  object: KubeObject,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  await edit(cluster, object, { metadata: { annotations: { ...annotations } } });
}
