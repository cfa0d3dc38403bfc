/**
 * Every operation that this client can call: the 32 of the spec ("Documented") and those beyond it that
 * docs/architecture.md §9 names ("Full"). Placeholders are spelled uniformly; `{organizationId}` is always the
 * connection's own.
 */
interface OperationEntry {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: `/${string}`;
  readonly surface: "Documented" | "Full";
  /** A POST that changes nothing: it fails like a read, so it never leaves an unknown outcome behind. */
  readonly computes?: true;
  /** A POST that may be sent again with the same result. */
  readonly repeatable?: true;
  /** Reads whose remembered answers a success or failure of this write makes stale. */
  readonly stale?: readonly string[];
}

const ofProject = ["listProjects", "getProject"] as const;
const ofEnvironment = ["getProjectEnvironmentStats", "listEnvironments", "getEnvironment"] as const;
const ofServices = ["getProjectEnvironmentStats", "listServices", "listServiceStatuses"] as const;
const ofApplication = [...ofServices, "listApplications", "getApplication", "getApplicationStatus"] as const;
const ofDatabase = [...ofServices, "listDatabases", "getDatabase"] as const;
const ofCluster = ["listClusters", "getClusterStatus"] as const;
const ofVariable = ["listVariables", "getApplicationStatus", "listServiceStatuses"] as const;
const ofSecret = ["listSecrets", "getApplicationStatus", "listServiceStatuses"] as const;
const ofWebhook = ["getWebhook"] as const;

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

export const operations = {
  // Platform templates and cluster binding
  listTemplates: { method: "GET", path: `${ORGANIZATION}/platformTemplate`, surface: "Documented" },
  putBinding: { method: "PUT", path: `${CLUSTER}/platformBinding`, surface: "Documented", stale: ["getBinding"] },
  getBinding: { method: "GET", path: `${CLUSTER}/platformBinding`, surface: "Full" },

  // Projects
  listProjects: { method: "GET", path: PROJECTS, surface: "Documented" },
  createProject: { method: "POST", path: PROJECTS, surface: "Documented", stale: ofProject },
  getProject: { method: "GET", path: PROJECT, surface: "Full" },
  updateProject: { method: "PUT", path: PROJECT, surface: "Full", stale: ofProject },
  deleteProject: { method: "DELETE", path: PROJECT, surface: "Full", stale: ofProject },

  // Environments
  getProjectEnvironmentStats: { method: "GET", path: `${PROJECT}/environment/stats`, surface: "Documented" },
  createEnvironment: { method: "POST", path: `${PROJECT}/environment`, surface: "Documented", stale: ofEnvironment },
  listEnvironments: { method: "GET", path: `${PROJECT}/environment`, surface: "Full" },
  getEnvironment: { method: "GET", path: ENVIRONMENT, surface: "Full" },
  updateEnvironment: { method: "PUT", path: ENVIRONMENT, surface: "Full", stale: ofEnvironment },
  deleteEnvironment: { method: "DELETE", path: ENVIRONMENT, surface: "Full", stale: ofEnvironment },
  listServices: { method: "GET", path: `${ENVIRONMENT}/services`, surface: "Full" },
  listServiceStatuses: { method: "GET", path: `${ENVIRONMENT}/statuses`, surface: "Full" },
  getHelmDefaultValues: {
    method: "POST",
    path: `${ENVIRONMENT}/helmDefaultValues`,
    surface: "Documented",
    computes: true,
  },

  // Applications
  createApplication: {
    method: "POST",
    path: `${ENVIRONMENT}/application`,
    surface: "Documented",
    stale: ofApplication,
  },
  getApplicationStatus: { method: "GET", path: `${APPLICATION}/status`, surface: "Documented" },
  deployApplication: { method: "POST", path: `${APPLICATION}/deploy`, surface: "Documented", stale: ofApplication },
  getApplicationLog: { method: "GET", path: `${APPLICATION}/log`, surface: "Documented" },
  getIngressStatus: {
    method: "GET",
    path: "/{serviceType}/{serviceId}/ingressDeploymentStatus",
    surface: "Documented",
  },
  listApplications: { method: "GET", path: `${ENVIRONMENT}/application`, surface: "Full" },
  getApplication: { method: "GET", path: APPLICATION, surface: "Full" },
  updateApplication: { method: "PUT", path: APPLICATION, surface: "Full", stale: ofApplication },
  deleteApplication: { method: "DELETE", path: APPLICATION, surface: "Full", stale: ofApplication },
  stopApplication: { method: "POST", path: `${APPLICATION}/stop`, surface: "Full", stale: ofApplication },
  restartApplication: { method: "POST", path: `${APPLICATION}/restart-service`, surface: "Full", stale: ofApplication },

  // Variables and secrets
  importVariables: {
    method: "POST",
    path: `${VARIABLES}/import`,
    surface: "Documented",
    repeatable: true,
    stale: [...ofVariable, "listSecrets"],
  },
  listVariables: { method: "GET", path: VARIABLES, surface: "Documented" },
  createVariable: { method: "POST", path: VARIABLES, surface: "Documented", stale: ofVariable },
  updateVariable: { method: "PUT", path: `${VARIABLES}/{variableId}`, surface: "Full", stale: ofVariable },
  deleteVariable: { method: "DELETE", path: `${VARIABLES}/{variableId}`, surface: "Full", stale: ofVariable },
  listSecrets: { method: "GET", path: SECRETS, surface: "Documented" },
  createSecret: { method: "POST", path: SECRETS, surface: "Documented", stale: ofSecret },
  updateSecret: { method: "PUT", path: `${SECRETS}/{secretId}`, surface: "Full", stale: ofSecret },
  deleteSecret: { method: "DELETE", path: `${SECRETS}/{secretId}`, surface: "Full", stale: ofSecret },

  // Databases
  createDatabase: { method: "POST", path: `${ENVIRONMENT}/database`, surface: "Documented", stale: ofDatabase },
  deployDatabase: { method: "POST", path: `${DATABASE}/deploy`, surface: "Documented", stale: ofDatabase },
  stopDatabase: { method: "POST", path: `${DATABASE}/stop`, surface: "Documented", stale: ofDatabase },
  listDatabases: { method: "GET", path: `${ENVIRONMENT}/database`, surface: "Full" },
  getDatabase: { method: "GET", path: DATABASE, surface: "Full" },
  updateDatabase: { method: "PUT", path: DATABASE, surface: "Full", stale: ofDatabase },
  deleteDatabase: { method: "DELETE", path: DATABASE, surface: "Full", stale: ofDatabase },

  // Blueprints
  createBlueprint: { method: "POST", path: `${ENVIRONMENT}/blueprint`, surface: "Documented", stale: ofServices },

  // Deployments
  getDeploymentStatus: { method: "GET", path: "/environment/deploymentStatus", surface: "Documented" },
  cancelDeployment: {
    method: "POST",
    path: "/deploymentQueue/{deploymentRequestId}/cancelDeployment",
    surface: "Full",
    stale: ["getApplicationStatus", "listServiceStatuses"],
  },

  // Clusters
  stopCluster: { method: "POST", path: `${CLUSTER}/stop`, surface: "Documented", stale: ofCluster },
  upgradeCluster: { method: "POST", path: "/cluster/{clusterId}/upgrade", surface: "Documented", stale: ofCluster },
  getClusterToken: { method: "GET", path: "/cluster/{clusterId}/token", surface: "Documented" },
  getClusterMetrics: { method: "GET", path: "/cluster/{clusterId}/metrics", surface: "Documented" },
  listClusters: { method: "GET", path: `${ORGANIZATION}/cluster`, surface: "Full" },
  getClusterStatus: { method: "GET", path: `${CLUSTER}/status`, surface: "Full" },
  deployCluster: { method: "POST", path: `${CLUSTER}/deploy`, surface: "Full", stale: ofCluster },

  // What the platform offers
  listCloudProviders: { method: "GET", path: "/cloudProvider", surface: "Documented" },
  listManagedDatabaseTypes: { method: "GET", path: "/aws/managedDatabase/type", surface: "Documented" },

  // Organization
  getGcpCredentials: { method: "GET", path: `${ORGANIZATION}/gcp/credentials/{credentialsId}`, surface: "Documented" },
  sendInvoices: { method: "POST", path: `${ORGANIZATION}/downloadInvoices`, surface: "Documented" },
  listGitRepositories: { method: "GET", path: `${ORGANIZATION}/account/github/repository`, surface: "Documented" },

  // Webhooks
  createWebhook: { method: "POST", path: WEBHOOKS, surface: "Documented", stale: ofWebhook },
  getWebhook: { method: "GET", path: `${WEBHOOKS}/{webhookId}`, surface: "Full" },
  updateWebhook: { method: "PUT", path: `${WEBHOOKS}/{webhookId}`, surface: "Full", stale: ofWebhook },
  deleteWebhook: { method: "DELETE", path: `${WEBHOOKS}/{webhookId}`, surface: "Full", stale: ofWebhook },
} as const satisfies Record<string, OperationEntry>;

/** The fixed set of names: fit for a metric label. */
export type OperationName = keyof typeof operations;

type Ids<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name extends "organizationId"
    ? Ids<Rest>
    : [id: string, ...Ids<Rest>]
  : [];

/** The ids that an operation's path needs, in its order, less the organization, which the connection knows. */
export type PathIds<Name extends OperationName> = Ids<(typeof operations)[Name]["path"]>;

const placeholders: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(operations).map(([name, { path }]) => [
    name,
    [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, id = ""]) => (id === "organizationId" ? [] : [id])),
  ]),
);

/** Names the ids of an operation's path by their placeholders. */
export function idsByName(name: OperationName, ids: readonly string[]): Readonly<Record<string, string>> {
  const named: Record<string, string> = {};
  for (const [index, placeholder] of (placeholders.get(name) ?? []).entries()) named[placeholder] = ids[index] ?? "";
  return named;
}

/** Looks an operation up with the optional members visible. */
export function operation(name: OperationName): OperationEntry {
  return operations[name];
}

const byName: ReadonlyMap<string, OperationEntry> = new Map(Object.entries(operations));

/** Whether an operation is one of the specification. */
export function isDocumented(name: string): boolean {
  return byName.get(name)?.surface === "Documented";
}

/** Whether an operation only looks: it may be repeated, and its failure leaves no question open. */
export function isRead(name: OperationName): boolean {
  const entry = operation(name);
  return entry.method === "GET" || entry.computes === true;
}

/**
 * Whether a write may happen once only, and so has its intent written and its rate token reserved before
 * (docs/architecture.md §6).
 */
export function isOnce(name: OperationName): boolean {
  const entry = operation(name);
  return entry.method === "POST" && entry.repeatable !== true && !isRead(name);
}
