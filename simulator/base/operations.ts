/** The surfaces; `full` includes the documented operations. */
export const surfaces = ["documented", "full"] as const;
export type Surface = (typeof surfaces)[number];

/**
 * The permission that an operation needs. Every scope may read; Write may create, update, delete and import; Deploy may
 * deploy, stop, restart, cancel and upgrade; Admin may do everything.
 */
export type Need = "read" | "write" | "deploy";

export interface Operation {
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path without prefix, with parameters in braces. */
  readonly path: string;
  readonly surface: Surface;
  readonly needs: Need;
  /** The success status of deployed services; an operation whose documentation names none has 200. */
  readonly publicStatus: 200 | 201 | 202 | 204;
}

type Row = readonly [Operation["method"], string, Need, Operation["publicStatus"]];

/** Every operation of the documentation (32). */
const documented = {
  // Platform templates and cluster binding
  listPlatformTemplates: ["GET", "/organization/{organizationId}/platformTemplate", "read", 200],
  updateClusterPlatformBinding: [
    "PUT",
    "/organization/{organizationId}/cluster/{clusterId}/platformBinding",
    "write",
    200,
  ],
  // Services and environments
  importEnvironmentVariable: ["POST", "/application/{applicationId}/environmentVariable/import", "write", 201],
  createHelmDefaultValues: ["POST", "/environment/{environmentId}/helmDefaultValues", "read", 201],
  createBlueprint: ["POST", "/environment/{environmentId}/blueprint", "write", 201],
  deployApplication: ["POST", "/application/{applicationId}/deploy", "deploy", 202],
  stopDatabase: ["POST", "/database/{databaseId}/stop", "deploy", 202],
  getIngressDeploymentStatus: ["GET", "/{serviceType}/{serviceId}/ingressDeploymentStatus", "read", 200],
  listApplicationSecrets: ["GET", "/application/{applicationId}/secret", "read", 200],
  getDeploymentStatusByRequest: ["GET", "/environment/deploymentStatus", "read", 200],
  getProjectEnvironmentStats: ["GET", "/project/{projectId}/environment/stats", "read", 200],
  // Clusters and cloud
  stopCluster: ["POST", "/organization/{organizationId}/cluster/{clusterId}/stop", "deploy", 202],
  upgradeCluster: ["POST", "/cluster/{clusterId}/upgrade", "deploy", 201],
  getClusterToken: ["GET", "/cluster/{clusterId}/token", "read", 200],
  getClusterMetrics: ["GET", "/cluster/{clusterId}/metrics", "read", 200],
  listCloudProviders: ["GET", "/cloudProvider", "read", 200],
  listManagedDatabaseTypes: ["GET", "/aws/managedDatabase/type", "read", 200],
  getGcpCredentials: ["GET", "/organization/{organizationId}/gcp/credentials/{credentialsId}", "read", 200],
  // Organization
  downloadInvoices: ["POST", "/organization/{organizationId}/downloadInvoices", "write", 202],
  listGithubRepositories: ["GET", "/organization/{organizationId}/account/github/repository", "read", 200],
  // Operations seen only in usage examples
  listProjects: ["GET", "/organization/{organizationId}/project", "read", 200],
  createProject: ["POST", "/organization/{organizationId}/project", "write", 200],
  createEnvironment: ["POST", "/project/{projectId}/environment", "write", 201],
  createApplication: ["POST", "/environment/{environmentId}/application", "write", 201],
  getApplicationStatus: ["GET", "/application/{applicationId}/status", "read", 200],
  createApplicationVariable: ["POST", "/application/{applicationId}/environmentVariable", "write", 201],
  listApplicationVariables: ["GET", "/application/{applicationId}/environmentVariable", "read", 200],
  createApplicationSecret: ["POST", "/application/{applicationId}/secret", "write", 201],
  listApplicationLog: ["GET", "/application/{applicationId}/log", "read", 200],
  createDatabase: ["POST", "/environment/{environmentId}/database", "write", 201],
  deployDatabase: ["POST", "/database/{databaseId}/deploy", "deploy", 202],
  createWebhook: ["POST", "/organization/{organizationId}/webhook", "write", 201],
} as const satisfies Record<string, Row>;

/** Operations of deployed services beyond the documentation, as far as the operator may use them. */
const full = {
  getProject: ["GET", "/project/{projectId}", "read", 200],
  updateProject: ["PUT", "/project/{projectId}", "write", 200],
  deleteProject: ["DELETE", "/project/{projectId}", "write", 204],
  listEnvironments: ["GET", "/project/{projectId}/environment", "read", 200],
  getEnvironment: ["GET", "/environment/{environmentId}", "read", 200],
  updateEnvironment: ["PUT", "/environment/{environmentId}", "write", 200],
  deleteEnvironment: ["DELETE", "/environment/{environmentId}", "write", 204],
  getEnvironmentStatuses: ["GET", "/environment/{environmentId}/statuses", "read", 200],
  listOrganizationServices: ["GET", "/organization/{organizationId}/services", "read", 200],
  listServices: ["GET", "/environment/{environmentId}/services", "read", 200],
  listApplications: ["GET", "/environment/{environmentId}/application", "read", 200],
  listDatabases: ["GET", "/environment/{environmentId}/database", "read", 200],
  getApplication: ["GET", "/application/{applicationId}", "read", 200],
  updateApplication: ["PUT", "/application/{applicationId}", "write", 200],
  deleteApplication: ["DELETE", "/application/{applicationId}", "write", 204],
  stopApplication: ["POST", "/application/{applicationId}/stop", "deploy", 202],
  restartApplication: ["POST", "/application/{applicationId}/restart-service", "deploy", 202],
  getDatabase: ["GET", "/database/{databaseId}", "read", 200],
  getDatabaseCredentials: ["GET", "/database/{databaseId}/masterCredentials", "read", 200],
  updateDatabase: ["PUT", "/database/{databaseId}", "write", 200],
  deleteDatabase: ["DELETE", "/database/{databaseId}", "write", 204],
  updateBlueprint: ["PATCH", "/blueprint/{blueprintId}", "write", 200],
  deployBlueprint: ["POST", "/blueprint/{blueprintId}/deploy", "deploy", 202],
  stopHelm: ["POST", "/helm/{helmId}/stop", "deploy", 202],
  deleteHelm: ["DELETE", "/helm/{helmId}", "write", 204],
  deleteTerraform: ["DELETE", "/terraform/{terraformId}", "write", 204],
  updateApplicationVariable: ["PUT", "/application/{applicationId}/environmentVariable/{variableId}", "write", 200],
  deleteApplicationVariable: ["DELETE", "/application/{applicationId}/environmentVariable/{variableId}", "write", 204],
  updateApplicationSecret: ["PUT", "/application/{applicationId}/secret/{secretId}", "write", 200],
  deleteApplicationSecret: ["DELETE", "/application/{applicationId}/secret/{secretId}", "write", 204],
  listWebhooks: ["GET", "/organization/{organizationId}/webhook", "read", 200],
  getWebhook: ["GET", "/organization/{organizationId}/webhook/{webhookId}", "read", 200],
  updateWebhook: ["PUT", "/organization/{organizationId}/webhook/{webhookId}", "write", 200],
  deleteWebhook: ["DELETE", "/organization/{organizationId}/webhook/{webhookId}", "write", 204],
  getClusterPlatformBinding: ["GET", "/organization/{organizationId}/cluster/{clusterId}/platformBinding", "read", 200],
  listClusters: ["GET", "/organization/{organizationId}/cluster", "read", 200],
  getClusterStatus: ["GET", "/organization/{organizationId}/cluster/{clusterId}/status", "read", 200],
  deployCluster: ["POST", "/organization/{organizationId}/cluster/{clusterId}/deploy", "deploy", 201],
  cancelDeploymentRequest: ["POST", "/deploymentQueue/{deploymentRequestId}/cancelDeployment", "deploy", 202],
} as const satisfies Record<string, Row>;

export type OperationId = keyof typeof documented | keyof typeof full;

/** The whole surface, documented operations first. */
export const operations: readonly (Operation & { readonly id: OperationId })[] = [
  ...rows(documented, "documented"),
  ...rows(full, "full"),
];

/** @returns the operation of that id @throws Error for an unknown id */
export function operationOf(id: OperationId): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
}

function rows<Id extends string>(table: Record<Id, Row>, surface: Surface): (Operation & { readonly id: Id })[] {
  const ids: Id[] = [];
  for (const id in table) ids.push(id);
  return ids.map((id) => {
    const [method, path, needs, publicStatus] = table[id];
    return { id, method, path, surface, needs, publicStatus };
  });
}
