/** Opens the platform as a user: through a connection object, with a token that the user may read. */
import { loadPlatformRules } from "../../config/config.ts";
import { boundKinds } from "../../config/kinds.ts";
import { OPERATOR_VERSION } from "../../config/names.ts";
import { conditionView } from "../../console/tree/summary.ts";
import { clusterPlatformConnection, platformConnection, type ConnectionSpec } from "../../kinds/connection/crd.ts";
import { connectionSettings } from "../../kinds/connection/settings.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { member, stringMember } from "../../kube/api/json.ts";
import type { Clock, KubeObject } from "../../kube/api/types.ts";
import { createReader, type Reader } from "../../kube/watch/readers.ts";
import { openPlatform } from "../../operator/platforms.ts";
import type { ClusterClient } from "./cluster.ts";
import { CliError } from "./exit.ts";
import { nameOf, type Name } from "./targets.ts";

/** The values of the options that every command has. */
export interface SharedOptions {
  /** [KIND/]NAME */
  readonly connection?: string | undefined;
  readonly operatorNamespace: string;
  readonly allowedPlatformHosts?: string | undefined;
  readonly allowInsecurePlatform?: boolean | undefined;
}

/** An open connection. */
export type Access = Awaited<ReturnType<typeof openAccess>>;

const { kind: NAMESPACED } = platformConnection;
const { kind: CLUSTER_WIDE } = clusterPlatformConnection;
/** Limits the search for a connection; real chains of parents (project, environment, service) are shorter. */
const MOST_PARENTS = 8;

/**
 * Connects to the platform as the operator would, but with the rights of the user, who has to be allowed to read the
 * token's Secret.
 * @param connection see chooseConnection
 * @throws CliError, ConfigError, KubeError, ApiError "Refused"
 */
export async function openAccess(cluster: ClusterClient, shared: SharedOptions, clock: Clock, connection: KubeObject) {
  const spec = specOf(connection);
  if (shared.allowedPlatformHosts === undefined) heedOperator(connection);
  const reader = createReader(cluster.client, clock);
  const namespace = connection.metadata.namespace ?? shared.operatorNamespace;
  const token = await readToken({ reader, namespace }, connection, spec);
  const rules = loadPlatformRules(shared);
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
 * @param named the value of --connection
 * @throws CliError if there is none, or if the user may not read it; KubeError
 */
export async function chooseConnection(
  cluster: ClusterClient,
  named: string | undefined,
  object?: KubeObject,
): Promise<KubeObject> {
  const namespace = object?.metadata.namespace ?? cluster.namespace;
  if (named !== undefined) {
    const { kind, name } = nameOf(named, [NAMESPACED, CLUSTER_WIDE]);
    return cluster.get(kind, name, namespace);
  }
  const used = await connectionOf(cluster, object);
  if (used === undefined) {
    throw new CliError(
      `There is no connection: neither ${NAMESPACED} "default" in namespace "${namespace}" nor ${CLUSTER_WIDE} "default" exists. ` +
        "Name one with --connection, or choose a namespace with -n.",
    );
  }
  const { kind, name, found, said = "" } = used;
  if (found === "hidden") {
    throw new CliError(
      `You may not read ${kind} "${name}", the connection to use: ${said} Ask a cluster admin for the right to get it, or name another one with --connection.`,
    );
  }
  return found ?? cluster.get(kind, name, namespace);
}

/** An object that another one names. */
export interface NamedObject extends Name {
  /** undefined where it does not exist; "hidden" where the user may not read it. */
  readonly found: KubeObject | undefined | "hidden";
  /** What the API server said of a read that it forbids, with the user's name. */
  readonly said?: string;
}

type Finder = Pick<ClusterClient, "find" | "namespace">;

/** Reads an object that another one names. @throws KubeError */
export async function readNamed({ find }: Finder, { kind, name }: Name, namespace?: string): Promise<NamedObject> {
  try {
    return { kind, name, found: await find(kind, name, namespace) };
  } catch (error) {
    if (!(error instanceof KubeError) || error.failure !== "Forbidden") throw error;
    return { kind, name, found: "hidden", said: saidBy(error) };
  }
}

/**
 * @param object the custom resource, if the command is about one
 * @returns the connection of the object or its parents, else the default; undefined if there is no default
 * @throws KubeError, also where the user may not read a parent
 */
export async function connectionOf(cluster: Finder, object?: KubeObject): Promise<NamedObject | undefined> {
  const namespace = object?.metadata.namespace ?? cluster.namespace;
  const own = object === undefined ? undefined : await ofObject(cluster, object);
  if (own !== undefined) return own;
  for (const kind of [NAMESPACED, CLUSTER_WIDE]) {
    const used = await readNamed(cluster, { kind, name: "default" }, namespace);
    if (used.found !== undefined) return used;
  }
  return undefined;
}

/** Returns the connection that the object or the nearest of its parents names. */
async function ofObject(
  cluster: Finder,
  object: KubeObject,
  kinds = boundKinds().managed,
  steps = MOST_PARENTS,
): Promise<NamedObject | undefined> {
  const { namespace } = object.metadata;
  const reference = member(object.spec, "connectionRef");
  const name = stringMember(reference, "name");
  const kind = stringMember(reference, "kind") ?? NAMESPACED;
  if (name !== undefined) return readNamed(cluster, { kind, name }, namespace);
  const parent = kinds.find((one) => one.kind === object.kind)?.references(object)[0];
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

/** Returns the API server's sentence, which names the user. */
function saidBy(error: KubeError): string {
  return (error.serverMessage() ?? error.message).replace(/\.?$/, ".");
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
    const token = secret.get(key);
    if (typeof token === "string" && token.trim() !== "") return token;
    if (token === null) {
      throw new CliError(
        `${what}, has bytes under "${key}" that are not UTF-8 text. Store the platform's token under it.`,
      );
    }
    throw new CliError(`${what}, has no key "${key}". Store the platform's token under it.`);
  } catch (error) {
    if (!(error instanceof KubeError) || error.failure !== "Forbidden") throw error;
    throw new CliError(
      `You may not read ${what}: ${saidBy(error)} Commands that query the platform need the right to get that Secret; ` +
        "ask a cluster admin, or choose another connection with --connection.",
    );
  }
}
