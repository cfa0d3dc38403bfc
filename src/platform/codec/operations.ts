/**
 * Every operation that this client can call: the 32 of the spec and those beyond it (docs/project/architecture.md §9).
 * Placeholders are spelled uniformly; `{organizationId}` is always the connection's own.
 */
interface OperationEntry {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: `/${string}`;
  /** Not in the specification: only on the full surface. */
  readonly beyond?: true;
  /** A POST that changes nothing: it fails like a read, so its outcome is never unknown. */
  readonly readsOnly?: true;
  /** A POST that may be sent again with the same result. */
  readonly repeatable?: true;
  /** Reads whose cached answers a success or failure of this write makes stale. */
  readonly invalidates?: readonly string[];
}

const ofProject = ["listProjects", "getProject"] as const;
const ofEnvironment = ["getProjectEnvironmentStats", "listEnvironments", "getEnvironment"] as const;
const ofServices = [
  "getProjectEnvironmentStats",
  "listServices",
  "listServiceStatuses",
  "listOrganizationServices",
] as const;
const ofApplication = [...ofServices, "listApplications", "getApplication", "getApplicationStatus"] as const;
const ofDatabase = [...ofServices, "listDatabases", "getDatabase"] as const;
const ofCluster = ["listClusters", "getClusterStatus"] as const;
const ofVariable = ["listVariables", "getApplicationStatus", "listServiceStatuses"] as const;
const ofSecret = ["listSecrets", "getApplicationStatus", "listServiceStatuses"] as const;
const ofWebhook = ["listWebhooks", "getWebhook"] as const;

const ORGANIZATION = "/organization/{organizationId}";
const PROJECTS = `${ORGANIZATION}/project` as const;
const WEBHOOKS = `${ORGANIZATION}/webhook` as const;
const CLUSTER = `${ORGANIZATION}/cluster/{clusterId}` as const;
const PROJECT = "/project/{projectId}";
const ENVIRONMENT = "/environment/{environmentId}";
const APPLICATION = "/application/{applicationId}";
const VARIABLES = `${APPLICATION}/environmentVariable` as const;
const SECRETS = `${APPLICATION}/secret` as const;
const DATABASE = "/database/{databaseId}";
const BLUEPRINT = "/blueprint/{blueprintId}";

export const operations = {
  // Platform templates and cluster binding
  listTemplates: { method: "GET", path: `${ORGANIZATION}/platformTemplate` },
  putBinding: { method: "PUT", path: `${CLUSTER}/platformBinding`, invalidates: ["getBinding"] },
  getBinding: { method: "GET", path: `${CLUSTER}/platformBinding`, beyond: true },

  // Projects
  listProjects: { method: "GET", path: PROJECTS },
  createProject: { method: "POST", path: PROJECTS, invalidates: ofProject },
  getProject: { method: "GET", path: PROJECT, beyond: true },
  updateProject: { method: "PUT", path: PROJECT, beyond: true, invalidates: ofProject },
  deleteProject: { method: "DELETE", path: PROJECT, beyond: true, invalidates: ofProject },

  // Environments
  getProjectEnvironmentStats: { method: "GET", path: `${PROJECT}/environment/stats` },
  createEnvironment: { method: "POST", path: `${PROJECT}/environment`, invalidates: ofEnvironment },
  listEnvironments: { method: "GET", path: `${PROJECT}/environment`, beyond: true },
  getEnvironment: { method: "GET", path: ENVIRONMENT, beyond: true },
  updateEnvironment: { method: "PUT", path: ENVIRONMENT, beyond: true, invalidates: ofEnvironment },
  deleteEnvironment: { method: "DELETE", path: ENVIRONMENT, beyond: true, invalidates: ofEnvironment },
  listServices: { method: "GET", path: `${ENVIRONMENT}/services`, beyond: true },
  listOrganizationServices: { method: "GET", path: `${ORGANIZATION}/services`, beyond: true },
  listServiceStatuses: { method: "GET", path: `${ENVIRONMENT}/statuses`, beyond: true },
  getHelmDefaultValues: { method: "POST", path: `${ENVIRONMENT}/helmDefaultValues`, readsOnly: true },

  // Applications
  createApplication: { method: "POST", path: `${ENVIRONMENT}/application`, invalidates: ofApplication },
  getApplicationStatus: { method: "GET", path: `${APPLICATION}/status` },
  deployApplication: { method: "POST", path: `${APPLICATION}/deploy`, invalidates: ofApplication },
  getApplicationLog: { method: "GET", path: `${APPLICATION}/log` },
  getIngressStatus: { method: "GET", path: "/{serviceType}/{serviceId}/ingressDeploymentStatus" },
  listApplications: { method: "GET", path: `${ENVIRONMENT}/application`, beyond: true },
  getApplication: { method: "GET", path: APPLICATION, beyond: true },
  updateApplication: { method: "PUT", path: APPLICATION, beyond: true, invalidates: ofApplication },
  deleteApplication: { method: "DELETE", path: APPLICATION, beyond: true, invalidates: ofApplication },
  stopApplication: { method: "POST", path: `${APPLICATION}/stop`, beyond: true, invalidates: ofApplication },

  // Variables and secrets
  importVariables: {
    method: "POST",
    path: `${VARIABLES}/import`,
    repeatable: true,
    invalidates: [...ofVariable, "listSecrets"],
  },
  listVariables: { method: "GET", path: VARIABLES },
  createVariable: { method: "POST", path: VARIABLES, invalidates: ofVariable },
  updateVariable: { method: "PUT", path: `${VARIABLES}/{variableId}`, beyond: true, invalidates: ofVariable },
  deleteVariable: { method: "DELETE", path: `${VARIABLES}/{variableId}`, beyond: true, invalidates: ofVariable },
  listSecrets: { method: "GET", path: SECRETS },
  createSecret: { method: "POST", path: SECRETS, invalidates: ofSecret },
  updateSecret: { method: "PUT", path: `${SECRETS}/{secretId}`, beyond: true, invalidates: ofSecret },
  deleteSecret: { method: "DELETE", path: `${SECRETS}/{secretId}`, beyond: true, invalidates: ofSecret },

  // Databases
  createDatabase: { method: "POST", path: `${ENVIRONMENT}/database`, invalidates: ofDatabase },
  deployDatabase: { method: "POST", path: `${DATABASE}/deploy`, invalidates: ofDatabase },
  stopDatabase: { method: "POST", path: `${DATABASE}/stop`, invalidates: ofDatabase },
  listDatabases: { method: "GET", path: `${ENVIRONMENT}/database`, beyond: true },
  getDatabase: { method: "GET", path: DATABASE, beyond: true },
  getDatabaseCredentials: { method: "GET", path: `${DATABASE}/masterCredentials`, beyond: true },
  updateDatabase: { method: "PUT", path: DATABASE, beyond: true, invalidates: ofDatabase },
  deleteDatabase: { method: "DELETE", path: DATABASE, beyond: true, invalidates: ofDatabase },

  // Blueprints
  createBlueprint: { method: "POST", path: `${ENVIRONMENT}/blueprint`, invalidates: ofServices },
  updateBlueprint: { method: "PATCH", path: BLUEPRINT, beyond: true, invalidates: ofServices },
  deployBlueprint: { method: "POST", path: `${BLUEPRINT}/deploy`, beyond: true, invalidates: ofServices },
  stopHelm: { method: "POST", path: "/helm/{helmId}/stop", beyond: true, invalidates: ofServices },
  deleteHelm: { method: "DELETE", path: "/helm/{helmId}", beyond: true, invalidates: ofServices },
  deleteTerraform: { method: "DELETE", path: "/terraform/{terraformId}", beyond: true, invalidates: ofServices },

  // Deployments
  getDeploymentStatus: { method: "GET", path: "/environment/deploymentStatus" },
  cancelDeployment: {
    method: "POST",
    path: "/deploymentQueue/{deploymentRequestId}/cancelDeployment",
    beyond: true,
    repeatable: true,
    invalidates: [...ofApplication, ...ofDatabase],
  },

  // Clusters
  stopCluster: { method: "POST", path: `${CLUSTER}/stop`, invalidates: ofCluster },
  upgradeCluster: { method: "POST", path: "/cluster/{clusterId}/upgrade", invalidates: ofCluster },
  getClusterToken: { method: "GET", path: "/cluster/{clusterId}/token" },
  getClusterMetrics: { method: "GET", path: "/cluster/{clusterId}/metrics" },
  listClusters: { method: "GET", path: `${ORGANIZATION}/cluster`, beyond: true },
  getClusterStatus: { method: "GET", path: `${CLUSTER}/status`, beyond: true },
  deployCluster: { method: "POST", path: `${CLUSTER}/deploy`, beyond: true, invalidates: ofCluster },

  // Catalog
  listCloudProviders: { method: "GET", path: "/cloudProvider" },
  listManagedDatabaseTypes: { method: "GET", path: "/aws/managedDatabase/type" },

  // Organization
  getGcpCredentials: { method: "GET", path: `${ORGANIZATION}/gcp/credentials/{credentialsId}` },
  sendInvoices: { method: "POST", path: `${ORGANIZATION}/downloadInvoices` },
  listGitRepositories: { method: "GET", path: `${ORGANIZATION}/account/github/repository` },

  // Webhooks
  createWebhook: { method: "POST", path: WEBHOOKS, invalidates: ofWebhook },
  listWebhooks: { method: "GET", path: WEBHOOKS, beyond: true },
  getWebhook: { method: "GET", path: `${WEBHOOKS}/{webhookId}`, beyond: true },
  updateWebhook: { method: "PUT", path: `${WEBHOOKS}/{webhookId}`, beyond: true, invalidates: ofWebhook },
  deleteWebhook: { method: "DELETE", path: `${WEBHOOKS}/{webhookId}`, beyond: true, invalidates: ofWebhook },
} as const satisfies Record<string, OperationEntry>;

/** The 32 operations of the specification. */
export type DocumentedOperation = {
  [Name in OperationName]: (typeof operations)[Name] extends { readonly beyond: true } ? never : Name;
}[OperationName];

/** The fixed set of names: fit for a metric label. */
export type OperationName = keyof typeof operations;

type Ids<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name extends "organizationId"
    ? Ids<Rest>
    : [id: string, ...Ids<Rest>]
  : [];

/** The ids of an operation's path, in its order, without the organization, which the connection knows. */
export type PathIds<Name extends OperationName> = Ids<(typeof operations)[Name]["path"]>;

const placeholders: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(operations).map(([name, { path }]) => [
    name,
    [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, id = ""]) => (id === "organizationId" ? [] : [id])),
  ]),
);

/** Returns the placeholders of an operation's path in its order, without the organization. */
export function pathParameters(name: OperationName): readonly string[] {
  return placeholders.get(name) ?? [];
}

/** Names the ids of an operation's path by their placeholders. */
export function idsByName(name: OperationName, ids: readonly string[]): Readonly<Record<string, string>> {
  const named: Record<string, string> = {};
  for (const [index, placeholder] of (placeholders.get(name) ?? []).entries()) named[placeholder] = ids[index] ?? "";
  return named;
}

/** Returns an operation's entry, typed with its optional members. */
export function operationEntry(name: OperationName): OperationEntry {
  return operations[name];
}

const byName: ReadonlyMap<string, OperationEntry> = new Map(Object.entries(operations));

/** Whether an operation is one of the specification. */
export function isDocumented(name: string): name is DocumentedOperation {
  const entry = byName.get(name);
  return entry !== undefined && entry.beyond !== true;
}

/** Reports whether a surface has an operation: Full has all, Documented those of the specification. */
export function isSupported(name: string, isFull: boolean): boolean {
  return isFull || isDocumented(name);
}

/** Reports whether an operation changes nothing: it may be repeated, and its outcome is never unknown. */
export function isRead(name: OperationName): boolean {
  const entry = operationEntry(name);
  return entry.method === "GET" || entry.readsOnly === true;
}

/**
 * Reports whether a write must not be repeated: its intent is written and its rate token reserved before it is sent
 * (docs/project/architecture.md §6).
 */
export function isOnce(name: OperationName): boolean {
  const entry = operationEntry(name);
  return entry.method === "POST" && entry.repeatable !== true && !isRead(name);
}
