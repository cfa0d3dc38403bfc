import { isKube, KubeError } from "./errors.ts";
import { isObject, member, stringMember } from "./json.ts";
import { diffMerge } from "./merge-patch.ts";
import { CONFIG_MAP, objectPath, collectionPath } from "./paths.ts";
import { FIELD_MANAGER, type KubeClient } from "./transport.ts";
import type { Json, JsonObject, KubeObject, Outputs } from "./types.ts";

const QUERY = { fieldManager: FIELD_MANAGER, fieldValidation: "Strict" } as const;

/** @returns the writer of output ConfigMaps. */
export function createOutputs(client: KubeClient): Outputs {
  const read = async (path: string): Promise<Json | undefined> => {
    try {
      return await client.request({ method: "GET", path });
    } catch (error) {
      if (isKube(error, "NotFound")) return undefined;
      throw error;
    }
  };

  const create = async (owner: KubeObject, namespace: string, name: string, data: JsonObject): Promise<void> => {
    try {
      await client.request({
        method: "POST",
        path: collectionPath(CONFIG_MAP, namespace),
        query: QUERY,
        body: {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: {
            name,
            namespace,
            labels: { "app.kubernetes.io/managed-by": FIELD_MANAGER },
            ownerReferences: [referenceTo(owner)],
          },
          data,
        },
      });
    } catch (error) {
      // Somebody was faster; whose it is, the next pass finds out.
      if (isKube(error, "AlreadyExists")) throw new KubeError("Conflict", 409, `ConfigMap ${name} was just created`);
      throw error;
    }
  };

  return {
    configMap: async (owner, name, data) => {
      const namespace = owner.metadata.namespace ?? "";
      const path = objectPath(CONFIG_MAP, { namespace, name });
      const held = await read(path);
      if (held === undefined) {
        await create(owner, namespace, name, data);
        return;
      }
      if (!isOwnedBy(held, owner)) {
        throw new KubeError("Conflict", 409, `ConfigMap ${name} exists and belongs to somebody else`);
      }
      const binary = member(held, "binaryData") === undefined ? {} : { binaryData: null };
      const difference = diffMerge(member(held, "data") ?? {}, data);
      if (difference === undefined && !("binaryData" in binary)) return;
      const resourceVersion = stringMember(member(held, "metadata"), "resourceVersion");
      await client.request({
        method: "PATCH",
        path,
        query: QUERY,
        contentType: "application/merge-patch+json",
        body: { metadata: { resourceVersion }, ...binary, data: difference },
      });
    },
  };
}

function referenceTo(owner: KubeObject): JsonObject {
  const { name, uid } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true };
}

function isOwnedBy(held: Json, owner: KubeObject): boolean {
  const references = member(member(held, "metadata"), "ownerReferences");
  if (!Array.isArray(references)) return false;
  const list: readonly Json[] = references;
  return list.some((reference) => isObject(reference) && reference["uid"] === owner.metadata.uid);
}
