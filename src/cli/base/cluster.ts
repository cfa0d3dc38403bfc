/** Opens the user's cluster, with the user's own rights. */
import { createKubeClient, type ConnectedClient } from "../../kube/api/client.ts";
import { isKube, KubeError } from "../../kube/api/errors.ts";
import { isObject } from "../../kube/api/json.ts";
import { parseObject } from "../../kube/api/objects.ts";
import { collectionPath, objectPath } from "../../kube/api/paths.ts";
import { configSource } from "../../kube/api/transport.ts";
import type { Clock, JsonObject, KubeObject, ResourceType } from "../../kube/api/types.ts";
import { listAll } from "../../kube/watch/list.ts";
import { TYPES } from "../../operator/config/caches.ts";
import { OPERATOR_VERSION } from "../../operator/config/version.ts";
import { CliError } from "./exit.ts";
import type { SharedFlags } from "./globals.ts";

export interface Cluster {
  /** For requests that have no method here. */
  readonly client: ConnectedClient;
  /** The namespace of -n, else of the context, else `default`. */
  readonly namespace: string;
  /** @throws CliError when it does not exist, KubeError */
  get(kind: string, name: string, namespace?: string): Promise<KubeObject>;
  /** @returns undefined when it does not exist @throws KubeError */
  find(kind: string, name: string, namespace?: string): Promise<KubeObject | undefined>;
  /** @param namespace "" for all of them; the cluster's `namespace` if absent @throws CliError, KubeError */
  list(kind: string, namespace?: string): Promise<readonly KubeObject[]>;
  /** Merges a change into an object, unless another one of its name replaced it. @throws KubeError */
  patch(object: KubeObject, change: JsonObject): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects as kubectl does; sends nothing yet.
 * @throws CliError when there is no usable kubeconfig
 */
export function openCluster(flags: SharedFlags, clock: Clock): Cluster {
  const client = connect(flags, clock);
  const namespace = flags.namespace ?? client.namespace ?? "default";

  const find: Cluster["find"] = async (kind, name, inNamespace = namespace) => {
    const type = typeOf(kind);
    const path = objectPath(type, { namespace: type.namespaced ? inNamespace : "", name });
    try {
      return parseObject(type, await client.request({ method: "GET", path }));
    } catch (error) {
      if (isKube(error, "NotFound")) return undefined;
      throw error;
    }
  };

  return {
    client,
    namespace,
    find,
    get: async (kind, name, inNamespace = namespace) => {
      const found = await find(kind, name, inNamespace);
      if (found !== undefined) return found;
      const where = typeOf(kind).namespaced ? ` in namespace "${inNamespace}"` : "";
      throw new CliError(`${kind} "${name}" does not exist${where}. Check the name, or choose a namespace with -n.`);
    },
    list: async (kind, inNamespace = namespace) => {
      const type = typeOf(kind);
      try {
        return (await listAll(client, type, collectionPath(type, inNamespace))).objects;
      } catch (error) {
        if (!isKube(error, "NotFound")) throw error;
        throw new CliError(`The cluster does not know ${type.plural}. Install the CRDs of platform-operator first.`);
      }
    },
    patch: async ({ kind, metadata: { name, namespace = "", uid } }, change) => {
      const own = isObject(change["metadata"]) ? change["metadata"] : {};
      await client.request({
        method: "PATCH",
        path: objectPath(typeOf(kind), { namespace, name }),
        query: { fieldManager: "kubectl-platform" },
        body: { ...change, metadata: { ...own, uid } },
        contentType: "application/merge-patch+json",
      });
    },
    close: () => client.close(),
  };
}

/** @returns the resource type of a custom resource */
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
