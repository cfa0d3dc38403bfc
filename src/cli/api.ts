/** The command `api`: calls an operation of the platform's specification, in the way of `gh api`. */
import { RESOURCES } from "../kinds/index.ts";
import { member, stringMember } from "../kube/api/json.ts";
import { keyOf } from "../kube/api/objects.ts";
import type { KubeObject } from "../kube/api/types.ts";
import { jsonIn, stringifyJson } from "../platform/codec/json.ts";
import { type DocumentedOperation, isDocumented, isRead, pathParameters } from "../platform/codec/operations.ts";
import type { Call } from "./base/call.ts";
import { UsageError } from "./base/exit.ts";
import { readObject } from "./base/io.ts";
import { align, printText, wrap } from "./base/render.ts";
import { externalIdOf, parseTarget, shortTarget } from "./base/targets.ts";
import { listObjects } from "./objects/shared/listing.ts";

/** What a person has to know to call an operation, besides its path. */
interface Described {
  readonly about: string;
  /** The parameters of the query; those with a ! are required. */
  readonly query?: readonly string[];
  /** Whether the request has a body. */
  readonly body?: true;
}

/** The operations of the specification. */
export const API_OPERATIONS: Readonly<Record<DocumentedOperation, Described>> = {
  listTemplates: { about: "list the platform templates", query: ["clusterMode", "cloudProvider"] },
  putBinding: { about: "bind a template to a cluster", body: true },
  listProjects: { about: "list the projects of the organization" },
  createProject: { about: "create a project", body: true },
  getProjectEnvironmentStats: { about: "count the services of each environment of a project" },
  createEnvironment: { about: "create an environment", body: true },
  getHelmDefaultValues: { about: "read the default values of a chart", body: true },
  createApplication: { about: "create an application", body: true },
  getApplicationStatus: { about: "read the state of an application" },
  deployApplication: { about: "deploy a commit of an application", body: true },
  getApplicationLog: { about: "read the log of an application", query: ["tail"] },
  getIngressStatus: { about: "read the state of the ingress of a service" },
  importVariables: { about: "import variables and secrets of an application", body: true },
  listVariables: { about: "list the variables of an application" },
  createVariable: { about: "create a variable of an application", body: true },
  listSecrets: { about: "list the secrets of an application" },
  createSecret: { about: "create a secret of an application", body: true },
  createDatabase: { about: "create a database", body: true },
  deployDatabase: { about: "deploy a database, or start a stopped one" },
  stopDatabase: { about: "stop a database" },
  createBlueprint: { about: "create a service from a blueprint", query: ["deploy"], body: true },
  getDeploymentStatus: { about: "read the state of a deployment request", query: ["deploymentRequestId!"] },
  stopCluster: { about: "stop a cluster and everything that runs on it" },
  upgradeCluster: { about: "upgrade a cluster to the next version of Kubernetes" },
  getClusterToken: { about: "get a short-lived token of a cluster", query: ["read_only"] },
  getClusterMetrics: {
    about: "query the metrics of a cluster",
    query: [
      ...["endpoint!", "query!", "start", "end", "step", "time", "timeout", "dedup", "partial_response"],
      ...["max_source_resolution", "engine", "analyze", "board_short_name", "metric_short_name", "trace_id", "range"],
    ],
  },
  listCloudProviders: { about: "list the cloud providers with their regions" },
  listManagedDatabaseTypes: { about: "list the types of managed databases" },
  getGcpCredentials: { about: "read cloud credentials" },
  sendInvoices: { about: "have the invoices sent to the account holder by e-mail" },
  listGitRepositories: { about: "list the git repositories of the connected account", query: ["gitTokenId"] },
  createWebhook: { about: "create a webhook", body: true },
};

/** @returns the names of an operation's parameters: those of its path, then those of its query */
export function parametersOf(name: DocumentedOperation): readonly string[] {
  return [...pathParameters(name), ...queryOf(name).map(({ parameter }) => parameter)];
}

function queryOf(name: DocumentedOperation) {
  const { query = [] } = API_OPERATIONS[name];
  return query.map((text) => ({ parameter: text.replace("!", ""), isRequired: text.endsWith("!") }));
}

interface ApiOptions {
  /** name=value */
  readonly param: readonly string[];
  readonly filename?: string | undefined;
  /** A JSONPath (RFC 9535). */
  readonly query?: string | undefined;
}

/** @param name an operation; without one all operations are listed */
export async function apiCommand(call: Call, name: string | undefined, options: ApiOptions): Promise<void> {
  if (name === undefined) {
    printText(call, list().join("\n"));
    return;
  }
  if (!isDocumented(name)) {
    throw new UsageError(`The specification has no operation ${JSON.stringify(name)}. List: ${call.program} api`);
  }
  const select = options.query === undefined ? undefined : await selector(options.query);
  const given = parametersIn(name, options.param);
  const body = await bodyOf(call, name, options.filename);
  const { ids, object } = await idsOf(call, name, given);
  const { platform, connection } = await call.access(object);
  if (!isRead(name) && !MAKES_A_CHILD.has(name)) await warnOfResource(call, ids, object, connection);
  const query = Object.fromEntries(queryOf(name).map(({ parameter }) => [parameter, given.get(parameter)]));
  const text = await platform.call(name, ids, {
    query: () => query,
    ...(body === undefined ? {} : { body: () => body }),
  });
  if (text.trim() === "") {
    call.report("The platform accepted the request.");
    return;
  }
  const value = jsonIn(text);
  printText(call, value === undefined ? text : select === undefined ? stringifyJson(value, 2) : select(value));
}

/** Returns the operations with their parameters, one a line. */
function list(): readonly string[] {
  const rows = Object.entries(API_OPERATIONS).map(([name, { about, body }]) => [
    name,
    about,
    [
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
      ...parametersOf(name as DocumentedOperation),
      ...(body === undefined ? [] : ["-f"]),
    ].join(","),
  ]);
  return align([["OPERATION", "ABOUT", "PARAMETERS"], ...rows]).map((line) =>
    line.length > 120 ? `${line.slice(0, 119)}…` : line,
  );
}

/** @throws UsageError for a parameter that the operation does not have, or a required one that is missing */
function parametersIn(name: DocumentedOperation, given: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map(
    given.map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw new UsageError(`--param takes name=value, not ${JSON.stringify(text)}.`);
      return [text.slice(0, at), text.slice(at + 1)] as const;
    }),
  );
  const known = parametersOf(name);
  const unknown = [...values.keys()].find((one) => !known.includes(one));
  if (unknown !== undefined) {
    throw new UsageError(`${name} has no parameter ${JSON.stringify(unknown)}. It has: ${known.join(", ") || "none"}.`);
  }
  const required = [
    ...pathParameters(name),
    ...queryOf(name).flatMap(({ parameter, isRequired }) => (isRequired ? [parameter] : [])),
  ];
  const missing = required.filter((one) => !values.has(one));
  if (missing.length > 0) {
    throw new UsageError(`${name} needs ${missing.map((one) => `--param ${one}=…`).join(" ")}.`);
  }
  return values;
}

async function bodyOf({ io }: Call, name: DocumentedOperation, file: string | undefined) {
  const { body } = API_OPERATIONS[name];
  if (file === undefined && body !== undefined) throw new UsageError(`${name} needs a body: -f FILE, or -f -.`);
  if (file !== undefined && body === undefined) throw new UsageError(`${name} has no body: leave out -f.`);
  return file === undefined ? undefined : readObject(io, file);
}

/** Returns the ids of the path in its order, and the resource that names one of them. */
async function idsOf(call: Call, name: DocumentedOperation, given: ReadonlyMap<string, string>) {
  let object: KubeObject | undefined;
  const ids: string[] = [];
  for (const parameter of pathParameters(name)) {
    const value = given.get(parameter) ?? "";
    const isResource = parameter !== "serviceType" && value.includes("/");
    if (!isResource) {
      ids.push(value);
      continue;
    }
    const { kind, name: resource } = parseTarget(value);
    object = await (await call.cluster()).get(kind, resource);
    ids.push(externalIdOf(object));
  }
  return { ids, object };
}

/** The object of the path is a parent, whose resource says nothing about the child. */
const MAKES_A_CHILD: ReadonlySet<DocumentedOperation> = new Set([
  ...(["createEnvironment", "createApplication", "createDatabase", "createBlueprint"] as const),
]);

/** What the operator does about a difference from a spec, by lifecycle.driftPolicy. */
const BY_DRIFT_POLICY: Readonly<Record<string, string>> = {
  Correct: "The operator undoes what differs from its spec (driftPolicy Correct).",
  Report: "The operator reports what differs from its spec (driftPolicy Report).",
};
const WITHOUT_DRIFT_POLICY =
  "The operator undoes a change of a setting, where the platform can update it, and reports what else differs from its spec.";

/** Says before a write that a resource stands for the object, and whether the operator would undo the write. */
async function warnOfResource(
  call: Call,
  ids: readonly string[],
  named: KubeObject | undefined,
  connection: KubeObject,
): Promise<void> {
  const managed = named ?? (await resourceOf(call, ids));
  if (managed === undefined) return;
  const target = shortTarget(keyOf(managed));
  const said = [managed.spec, member(connection.spec, "defaults")].map((place) =>
    stringMember(member(place, "lifecycle"), "driftPolicy"),
  );
  const what = BY_DRIFT_POLICY[said[0] ?? said[1] ?? ""] ?? WITHOUT_DRIFT_POLICY;
  call.report(wrap(`Warning: ${target} stands for this object. ${what} Change ${target} instead.`, 2));
}

/** Returns the resource of the namespace with one of these ids, as far as the user may see it. */
async function resourceOf(call: Call, ids: readonly string[]): Promise<KubeObject | undefined> {
  if (ids.length === 0) return undefined;
  const cluster = await call.cluster();
  const kinds = RESOURCES.map(({ kind }) => kind);
  const found = await listObjects({ cluster, namespace: cluster.namespace, kinds, report: () => undefined }).catch(
    () => [],
  );
  return found.find(({ status }) => ids.includes(stringMember(status, "externalId") ?? ""));
}

/** @returns a function that selects from JSON: one line for each match, texts as they are @throws UsageError */
async function selector(path: string): Promise<(value: unknown) => string> {
  const { compile } = await import("json-p3");
  try {
    const compiled = compile(path.startsWith("$") ? path : `$${path}`);
    return (value) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has been parsed from JSON
      const found = compiled.query(value as Parameters<typeof compiled.query>[0]).values();
      return found.map((one) => (typeof one === "string" ? one : stringifyJson(one))).join("\n");
    };
  } catch (error) {
    throw new UsageError(
      `-q ${JSON.stringify(path)}: ${error instanceof Error ? error.message : "it is no JSONPath"}.`,
    );
  }
}
