/** Opens the platform as a user: through a connection object, with a token that the user may read. */
import { conditionView } from "../../console/tree/facts.ts";
import { clusterPlatformConnection, platformConnection, type ConnectionSpec } from "../../kinds/connection/crd.ts";
import { connectionSettings } from "../../kinds/connection/index.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { member, stringMember } from "../../kube/api/json.ts";
import type { Clock, KubeObject } from "../../kube/api/types.ts";
import { createReader, type Reader } from "../../kube/watch/readers.ts";
import { loadPlatformRules } from "../../operator/config/config.ts";
import { boundKinds } from "../../operator/config/kinds.ts";
import { OPERATOR_VERSION } from "../../operator/config/version.ts";
import { openPlatform } from "../../operator/platforms.ts";
import type { ClusterClient } from "./cluster.ts";
import { CliError } from "./exit.ts";
import type { SharedFlags } from "./globals.ts";
import { nameOf } from "./targets.ts";

/** An open connection. */
export type Access = Awaited<ReturnType<typeof openAccess>>;

const { kind: NAMESPACED } = platformConnection;
const { kind: CLUSTER_WIDE } = clusterPlatformConnection;
/** A chain of parents is shorter: project, environment, service. */
const MOST_PARENTS = 8;

/**
 * Connects to the platform as the operator would for `object`, but with the rights of the user, who has to be allowed
 * to read the token's Secret.
 * @param object the object whose connection is used; the namespace's connection if absent
 * @throws CliError, KubeError, ApiError "Refused"
 */
export async function openAccess(cluster: ClusterClient, flags: SharedFlags, clock: Clock, object?: KubeObject) {
  const connection = await choose(cluster, flags.connection, object);
  const spec = specOf(connection);
  if (flags["allowed-platform-hosts"] === undefined) heedOperator(connection);
  const reader = createReader(cluster.client, clock);
  const namespace = connection.metadata.namespace ?? flags["operator-namespace"];
  const token = await readToken({ reader, namespace }, connection, spec);
  const rules = loadPlatformRules(flags);
  const settings = connectionSettings(spec, connection.kind === CLUSTER_WIDE ? "Cluster" : "Namespaced");
  const options = { rules, version: OPERATOR_VERSION, clock, random: Math.random };
  const platform = await openPlatform({ reader, namespace }, settings, token, options);
  if ("reason" in platform) throw new CliError(`${titleOf(connection)} cannot be used: ${platform.message}`);
  return { platform, connection, spec };
}

/** @returns the name of a connection in messages */
export function titleOf({ kind, metadata }: KubeObject): string {
  const { namespace, name } = metadata;
  return `${kind} "${namespace === undefined ? name : `${namespace}/${name}`}"`;
}

/**
 * Chooses the connection of --connection; else of the object or its parents; else the default of the namespace; else of
 * the cluster.
 */
async function choose(cluster: ClusterClient, named: string | undefined, object?: KubeObject): Promise<KubeObject> {
  const namespace = object?.metadata.namespace ?? cluster.namespace;
  if (named !== undefined) {
    const { kind, name } = nameOf(named, [NAMESPACED, CLUSTER_WIDE]);
    return cluster.get(kind, name, namespace);
  }
  const found = await connectionOf(cluster, object);
  if (found !== undefined) return found;
  throw new CliError(
    `There is no connection: neither ${NAMESPACED} "default" in namespace "${namespace}" nor ${CLUSTER_WIDE} "default" exists. ` +
      "Name one with --connection, or choose a namespace with -n.",
  );
}

/**
 * @param object the custom resource, if the command is about one
 * @returns the connection of the object or its parents, else the default; undefined if there is none
 * @throws CliError when the named connection does not exist, KubeError
 */
export async function connectionOf(cluster: ClusterClient, object?: KubeObject): Promise<KubeObject | undefined> {
  const namespace = object?.metadata.namespace ?? cluster.namespace;
  return (
    (object === undefined ? undefined : await ofObject(cluster, object)) ??
    (await cluster.find(NAMESPACED, "default", namespace)) ??
    (await cluster.find(CLUSTER_WIDE, "default").catch(denied))
  );
}

/** Treats a forbidden object as absent: some users may read only their own namespace. */
function denied(error: unknown): undefined {
  if (error instanceof KubeError && error.failure === "Forbidden") return undefined;
  throw error;
}

/** Returns the connection that the object or the nearest of its parents names. */
async function ofObject(
  cluster: ClusterClient,
  object: KubeObject,
  kinds = boundKinds(),
  steps = MOST_PARENTS,
): Promise<KubeObject | undefined> {
  const { namespace } = object.metadata;
  const reference = member(object.spec, "connectionRef");
  const name = stringMember(reference, "name");
  if (name !== undefined) return cluster.get(stringMember(reference, "kind") ?? NAMESPACED, name, namespace);
  const parent = kinds.find(({ kind }) => kind === object.kind)?.references(object)[0];
  const found = parent?.name === undefined ? undefined : await cluster.find(parent.kind, parent.name, namespace);
  return found === undefined || steps === 1 ? undefined : ofObject(cluster, found, kinds, steps - 1);
}

/**
 * Refuses a connection that the operator refuses: a user who may write a connection but not read its Secret could
 * otherwise have the token sent anywhere.
 */
function heedOperator(connection: KubeObject): void {
  const ready = conditionView(connection, "Ready");
  if (ready?.status !== "False" || ready.reason !== "InvalidSpec") return;
  throw new CliError(`The operator refuses ${titleOf(connection)}: ${ready.message}`);
}

function specOf(connection: KubeObject): ConnectionSpec {
  const schema = connection.kind === CLUSTER_WIDE ? clusterPlatformConnection.spec : platformConnection.spec;
  const parsed = schema.safeParse(connection.spec);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.map(({ path }) => ["spec", ...path].join(".")).join(", ");
  throw new CliError(`${titleOf(connection)} cannot be used: ${where} is invalid. Fix it.`);
}

async function readToken(
  { reader, namespace }: { readonly reader: Reader; readonly namespace: string },
  connection: KubeObject,
  { auth }: ConnectionSpec,
): Promise<string> {
  const { name, key } = auth.tokenSecretRef;
  const what = `Secret "${namespace}/${name}", which holds the token of ${titleOf(connection)}`;
  try {
    const secret = await reader.secret(namespace, name, 0);
    if (secret === undefined) throw new CliError(`${what}, does not exist. Create it with the token under "${key}".`);
    const token = secret.data.get(key);
    if (token !== undefined && token.trim() !== "") return token;
    throw new CliError(`${what}, has no key "${key}". Store the platform's token under it.`);
  } catch (error) {
    if (!(error instanceof KubeError) || error.failure !== "Forbidden") throw error;
    throw new CliError(
      `You may not read ${what}. Commands that query the platform need the right to get that Secret; ` +
        "ask a cluster admin, or choose another connection with --connection.",
    );
  }
}
