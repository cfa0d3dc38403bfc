/** Connects to the user's cluster with the user's own rights. */
import { TYPES } from "../../config/kinds.ts";
import { OPERATOR_VERSION } from "../../config/names.ts";
import { createKubeClient, createProxiedClient } from "../../kube/api/client.ts";
import { isKube, KubeError } from "../../kube/api/errors.ts";
import { isObject } from "../../kube/api/json.ts";
import { parseObject } from "../../kube/api/objects.ts";
import { collectionPath, objectPath } from "../../kube/api/paths.ts";
import { configSource, type KubeClient, mergePatch, readOptional } from "../../kube/api/transport.ts";
import type { Clock, Json, JsonObject, KubeObject, ResourceType } from "../../kube/api/types.ts";
import { listAll } from "../../kube/watch/list.ts";
import { CliError } from "./exit.ts";
import { globalFlagsIn, type Kubectl } from "./kubectl.ts";

/** The field manager of users' writes with this program. */
export const USER_FIELD_MANAGER = "kubectl-platform";

/** The way to the user's API server. */
export interface ClusterConnection {
  readonly client: KubeClient;
  /** The name of the cluster in messages: its context, else its address. */
  readonly place: string;
  /** The namespace of the user's commands. */
  readonly namespace: string;
  /** Whether the command line names the namespace. */
  readonly isNamespaceGiven: boolean;
  readonly close: () => Promise<void>;
}

/** Connects through kubectl, with the user's own rights. @throws CliError; with an empty message where kubectl has said why */
export async function connectThrough(kubectl: Kubectl, clock: Clock): Promise<ClusterConnection> {
  kubectl.start();
  // What is wrong with the configuration, the proxy says first.
  const address = await kubectl.proxy();
  const context = await kubectl.context();
  const userAgent = `kubectl-platform/${OPERATOR_VERSION}`;
  const client = createProxiedClient(address, { userAgent, clock, limitMs: kubectl.limitMs });
  const close = async (): Promise<void> => {
    await client.close();
    kubectl.stop();
  };
  return { client, ...context, close };
}

/**
 * Connects as the operator does, e.g. in its pod, where there is no kubectl.
 * @param argv the command line, with kubectl's flags
 * @throws CliError when there is no usable configuration
 */
export async function connectDirectly(argv: readonly string[], clock: Clock): Promise<ClusterConnection> {
  const { kubeconfig, context, namespace } = globalFlagsIn(argv).values;
  try {
    const userAgent = `platform-operator-check/${OPERATOR_VERSION}`;
    const client = createKubeClient({ config: configSource(kubeconfig, context), userAgent, clock });
    const home = namespace ?? client.namespace ?? "default";
    const isNamespaceGiven = namespace !== undefined;
    return { client, place: client.host, namespace: home, isNamespaceGiven, close: () => client.close() };
  } catch (error) {
    // The parser of a kubeconfig may quote it, secrets included: only its first line is shown.
    const [reason = ""] = error instanceof Error && !(error instanceof KubeError) ? error.message.split("\n") : [];
    throw new CliError(`No cluster can be reached: ${reason}. Check --kubeconfig, $KUBECONFIG and --context.`);
  }
}

export type ClusterClient = ReturnType<typeof clusterOver>;

/** @returns the custom resources behind a connection */
export function clusterOver({ client, place, namespace, isNamespaceGiven, close }: ClusterConnection) {
  /** @returns undefined when it does not exist @throws KubeError */
  const find = async (kind: string, name: string, inNamespace = namespace): Promise<KubeObject | undefined> => {
    const type = typeOf(kind);
    const path = objectPath(type, { namespace: type.namespaced ? inNamespace : "", name });
    return parseObject(type, await readOptional(client, path));
  };

  return {
    /** The client, for requests without a method here. */
    client,
    place,
    /** The namespace of -n, else that of kubectl. */
    namespace,
    isNamespaceGiven,
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
     * @param dryRun if given, the API server checks the change and stores nothing
     * @returns the object in the API server's answer @throws KubeError
     */
    patch: async ({ kind, metadata }: KubeObject, change: JsonObject, dryRun?: "server"): Promise<Json> => {
      const { name, namespace: home = "", uid } = metadata;
      const own = isObject(change["metadata"]) ? change["metadata"] : {};
      const path = objectPath(typeOf(kind), { namespace: home, name });
      const query = { fieldManager: USER_FIELD_MANAGER, ...(dryRun === undefined ? {} : { dryRun: "All" }) };
      return client.request(mergePatch(path, { ...change, metadata: { ...own, uid } }, { query }));
    },
    close,
  };
}

/** @returns the resource type of a kind of custom resource @throws TypeError for an unknown kind */
export function typeOf(kind: string): ResourceType {
  const type = TYPES.find((known) => known.kind === kind);
  if (type === undefined) throw new TypeError(`no custom resource is called ${kind}`);
  return type;
}
