import { isKube, KubeError } from "../api/errors.ts";
import { listMember, member, stringMember } from "../api/json.ts";
import { apiVersionOf, collectionPath, CONFIG_MAP, objectPath, SECRET } from "../api/paths.ts";
import { FIELD_MANAGER, type KubeClient, mergePatch, readOptional, STRICT } from "../api/transport.ts";
import type { Json, JsonObject, KubeObject, ResourceType } from "../api/types.ts";
import { diffMerge } from "./merge-patch.ts";

/** The ConfigMaps and Secrets that the operator writes as outputs, owned by a custom resource. */
export type Outputs = ReturnType<typeof createOutputs>;

/** @returns the writer of output ConfigMaps and Secrets */
export function createOutputs(client: KubeClient) {
  return {
    /**
     * Makes the ConfigMap hold exactly `data`, with an ownerReference to `owner`; writes nothing when it already does.
     * @throws KubeError "Conflict" when a ConfigMap of that name exists and is not owned by `owner`
     */
    configMap: (owner: KubeObject, name: string, data: Readonly<Record<string, string>>): Promise<void> =>
      write(client, CONFIG_MAP, owner, name, data),
    /**
     * Makes the Secret hold exactly `data`, as `configMap` does. Its values reach no log and no error.
     * @throws KubeError "Conflict" as `configMap`, "Forbidden" where the operator may not write Secrets
     */
    secret: (owner: KubeObject, name: string, data: Readonly<Record<string, string>>): Promise<void> =>
      write(client, SECRET, owner, name, encoded(data)),
  };
}

/** The `data` of a Secret holds base64. */
function encoded(data: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
}

async function write(
  client: KubeClient,
  type: ResourceType,
  owner: KubeObject,
  name: string,
  data: JsonObject,
): Promise<void> {
  const { namespace = "" } = owner.metadata;
  const path = objectPath(type, { namespace, name });
  const held = await readOptional(client, path);
  if (held === undefined) {
    const labels = { "app.kubernetes.io/managed-by": FIELD_MANAGER };
    // If another client is faster, the next reconcile checks the owner of the object.
    await createOnce(client, type, { name, namespace, labels, ownerReferences: [referenceTo(owner)] }, data);
    return;
  }
  if (!isOwnedBy(held, owner)) {
    throw new KubeError("Conflict", 409, `${type.kind} ${name} exists and is not owned by this object`);
  }
  const binary = member(held, "binaryData") === undefined ? {} : { binaryData: null };
  const difference = diffMerge(member(held, "data") ?? {}, data);
  if (difference === undefined && !("binaryData" in binary)) return;
  const resourceVersion = stringMember(member(held, "metadata"), "resourceVersion");
  await client.request(mergePatch(path, { metadata: { resourceVersion }, ...binary, data: difference }));
}

/** Creates a Secret or a ConfigMap. @throws KubeError "Conflict" where another client was faster */
export async function createOnce(
  client: KubeClient,
  type: ResourceType,
  metadata: JsonObject & { readonly name: string; readonly namespace: string },
  data: JsonObject,
): Promise<Json> {
  try {
    const body = { apiVersion: apiVersionOf(type), kind: type.kind, metadata, data };
    return await client.request({
      method: "POST",
      path: collectionPath(type, metadata.namespace),
      query: STRICT,
      body,
    });
  } catch (error) {
    if (!isKube(error, "AlreadyExists")) throw error;
    throw new KubeError("Conflict", 409, `${type.kind} ${metadata.name} was just created`);
  }
}

function referenceTo(owner: KubeObject): JsonObject {
  const { name, uid } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true };
}

function isOwnedBy(held: Json, owner: KubeObject): boolean {
  const references = listMember(member(held, "metadata"), "ownerReferences");
  return references.some((reference) => member(reference, "uid") === owner.metadata.uid);
}
