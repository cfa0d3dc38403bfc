/** Connects to the user's cluster with the user's own rights. */
import { TYPES } from "../../config/kinds.ts";
import { OPERATOR_VERSION } from "../../config/names.ts";
import { createKubeClient, type ConnectedClient } from "../../kube/api/client.ts";
import { isKube, KubeError } from "../../kube/api/errors.ts";
import { isObject } from "../../kube/api/json.ts";
import { parseObject } from "../../kube/api/objects.ts";
import { collectionPath, objectPath } from "../../kube/api/paths.ts";
import { configSource, mergePatch, readOptional } from "../../kube/api/transport.ts";
import type { Clock, Json, JsonObject, KubeObject, ResourceType } from "../../kube/api/types.ts";
import { listAll } from "../../kube/watch/list.ts";
import { CliError } from "./exit.ts";
import type { SharedFlags } from "./globals.ts";

/** The field manager of users' writes with this program. */
export const USER_FIELD_MANAGER = "kubectl-platform";

export type ClusterClient = ReturnType<typeof openCluster>;

/**
 * Connects as kubectl does; sends nothing yet.
 * @throws CliError when there is no usable kubeconfig
 */
export function openCluster(flags: SharedFlags, clock: Clock) {
  const client = connect(flags, clock);
  const namespace = flags.namespace ?? client.namespace ?? "default";

  /** @returns undefined when it does not exist @throws KubeError */
  const find = async (kind: string, name: string, inNamespace = namespace): Promise<KubeObject | undefined> => {
    const type = typeOf(kind);
    const path = objectPath(type, { namespace: type.namespaced ? inNamespace : "", name });
    return parseObject(type, await readOptional(client, path));
  };

  return {
    /** The client, for requests without a method here. */
    client,
    /** The namespace of -n, else of the context, else `default`. */
    namespace,
    find,
    /** @throws CliError when it does not exist, KubeError */
    get: async (kind: string, name: string, inNamespace = namespace): Promise<KubeObject> => {
      const found = await find(kind, name, inNamespace);
      if (found !== undefined) return found;
      const where = typeOf(kind).namespaced ? ` in namespace "${inNamespace}"` : "";
      throw new CliError(`${kind} "${name}" does not exist${where}. Check the name, or choose a namespace with -n.`);
    },
    /** @param inNamespace "" for all of them @throws CliError, KubeError */
    list: async (kind: string, inNamespace = namespace): Promise<readonly KubeObject[]> => {
      const type = typeOf(kind);
      try {
        return (await listAll(client, type, collectionPath(type, inNamespace))).objects;
      } catch (error) {
        if (!isKube(error, "NotFound")) throw error;
        throw new CliError(`The cluster does not know ${type.plural}. Install the CRDs of platform-operator first.`);
      }
    },
    /**
     * Applies a merge patch to an object. The API server refuses it if another object of the same name has replaced
     * this one.
     * @param options with `dryRun`, the API server checks the change and stores nothing
     * @returns the object in the API server's answer @throws KubeError
     */
    patch: async (
      { kind, metadata }: KubeObject,
      change: JsonObject,
      options: { readonly dryRun?: "All" } = {},
    ): Promise<Json> => {
      const { name, namespace: home = "", uid } = metadata;
      const own = isObject(change["metadata"]) ? change["metadata"] : {};
      const path = objectPath(typeOf(kind), { namespace: home, name });
      const query = { fieldManager: USER_FIELD_MANAGER, ...options };
      return client.request(mergePatch(path, { ...change, metadata: { ...own, uid } }, { query }));
    },
    close: () => client.close(),
  };
}

/** @returns the resource type of a kind of custom resource @throws TypeError for an unknown kind */
export function typeOf(kind: string): ResourceType {
  const type = TYPES.find((known) => known.kind === kind);
  if (type === undefined) throw new TypeError(`no custom resource is called ${kind}`);
  return type;
}

function connect({ kubeconfig, context }: SharedFlags, clock: Clock): ConnectedClient {
  try {
    return createKubeClient({
      config: configSource(kubeconfig, context),
      userAgent: `kubectl-platform/${OPERATOR_VERSION}`,
      clock,
    });
  } catch (error) {
    // The parser of a kubeconfig may quote it, secrets included: only its first line is shown.
    const [reason = ""] = error instanceof Error && !(error instanceof KubeError) ? error.message.split("\n") : [];
    throw new CliError(`No cluster can be reached: ${reason}. Check --kubeconfig, $KUBECONFIG and --context.`);
  }
}
