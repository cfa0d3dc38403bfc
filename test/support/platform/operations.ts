import { operations, type OperationName } from "../../../src/platform/codec/operations.ts";
import type { Platform } from "../../../src/platform/index.ts";
import { COMMIT } from "../kube/manifests.ts";
import { applicationInput, databaseInput, type World as AnyWorld } from "./env.ts";

type Beyond = {
  [Name in OperationName]: (typeof operations)[Name] extends { readonly beyond: true } ? Name : never;
}[OperationName];

type World = Omit<AnyWorld, "connect" | "calls" | "close">;
/** A call of one operation that succeeds in a world. */
type Call = (platform: Platform, world: World) => Promise<unknown>;

const binding = {
  templateKey: "kubernetes-essentials",
  templateVersion: "1.2.0",
  managedConfig: { ingress: { domain: "apps.example.com", replicas: 2n } },
};
const chart = { helm_repository: { chart_name: "web", chart_version: "1.0.0" } };
const postgres = {
  tag: "postgres/1.0.0",
  icon: "https://example.com/x.svg",
  specOverrides: { engine_version: "1.9.8" },
};
const redis = { tag: "redis/3.0.0", icon: "https://example.com/x.svg" };
const webhook = { targetUrl: "https://hooks.example.com/x", events: ["DEPLOYMENT_STARTED"], enabled: true };

/** The 32 of the spec. */
export const documented: Record<Exclude<OperationName, Beyond>, Call> = {
  listTemplates: (p) => p.templates.list({ clusterMode: "PLATFORM_MANAGED", cloudProvider: "AWS" }),
  listProjects: (p) => p.projects.list(),
  getProjectEnvironmentStats: (p, w) => p.projects.environmentStats(w.projectId),
  getHelmDefaultValues: (p, w) => p.environments.helmDefaultValues(w.environmentId, chart),
  getApplicationStatus: (p, w) => p.applications.status(w.applicationId),
  getApplicationLog: (p, w) => p.applications.log(w.applicationId, 5),
  getIngressStatus: (p, w) =>
    p.services.ingressStatus("application", w.applicationId, { isFull: w.members().extended }),
  listVariables: (p, w) => p.variables.list(w.applicationId),
  listSecrets: (p, w) => p.secrets.list(w.applicationId),
  getDeploymentStatus: async (p, w) => {
    const deployed = await w.admin.applications.deploy(w.applicationId, COMMIT);
    return p.deployments.status(deployed?.deploymentRequestId ?? "");
  },
  getClusterToken: (p) => p.clusters.token("production", { readOnly: true }),
  getClusterMetrics: (p, w) => p.clusters.metrics(w.clusterIds[0], { endpoint: "query", query: "up" }),
  listCloudProviders: (p) => p.catalog.cloudProviders(),
  listManagedDatabaseTypes: (p) => p.catalog.managedDatabaseTypes(),
  getGcpCredentials: (p, w) => p.organization.gcpCredentials(w.simulator.credentialsId),
  listGitRepositories: (p) => p.organization.gitRepositories(),
  putBinding: (p, w) => p.templates.bind(w.clusterIds[0], binding),
  createProject: (p, w) => p.projects.create({ name: w.name(), description: "shop" }),
  createEnvironment: (p, w) =>
    p.environments.create(w.projectId, { name: w.name(), mode: "PRODUCTION", clusterId: w.clusterIds[1] }),
  createApplication: (p, w) => p.applications.create(w.environmentId, applicationInput(w.name()), w.members()),
  importVariables: (p, w) => {
    const scope = w.members().extended && { scope: "APPLICATION" };
    const vars = [{ name: "MODE", value: "fast", isSecret: false, ...scope }];
    return p.variables.import(w.applicationId, { overwrite: true, vars });
  },
  createVariable: (p, w) => p.variables.create(w.applicationId, { key: variableKey(w), value: "1" }),
  createSecret: (p, w) => p.secrets.create(w.applicationId, { key: variableKey(w), value: "s3cret" }),
  createDatabase: (p, w) => p.databases.create(w.environmentId, databaseInput(w.name())),
  createBlueprint: (p, w) => p.blueprints.create(w.environmentId, { name: w.name(), ...postgres }, { deploy: false }),
  sendInvoices: (p) => p.organization.sendInvoices(),
  createWebhook: (p, w) => p.webhooks.create(webhook, w.members()),
  deployApplication: (p, w) => p.applications.deploy(w.applicationId, COMMIT),
  deployDatabase: (p, w) => p.databases.deploy(w.databaseId),
  stopDatabase: async (p, w) => p.databases.stop(await w.newDatabase()),
  stopCluster: (p, w) => p.clusters.stop(w.clusterIds[1]),
  upgradeCluster: (p, w) => p.clusters.upgrade(w.clusterIds[0]),
};

/** The operations beyond the spec. */
export const full: Record<Beyond, Call> = {
  getBinding: async (p, w) => {
    await w.admin.templates.bind(w.clusterIds[0], binding);
    return p.templates.binding(w.clusterIds[0]);
  },
  updateBlueprint: async (p, w) => {
    const { id } = await w.newBlueprint(postgres);
    return p.blueprints.update(id, { name: w.name(), ...postgres, variables: { size: { value: "small" } } }, []);
  },
  deployBlueprint: async (p, w) => p.blueprints.deploy((await w.newBlueprint(postgres)).id),
  stopHelm: async (p, w) => p.services.stopHelm((await w.newBlueprint(redis, true)).serviceId),
  deleteHelm: async (p, w) => p.services.deleteHelm((await w.newBlueprint(redis)).serviceId),
  deleteTerraform: async (p, w) => p.services.deleteTerraform((await w.newBlueprint(postgres)).serviceId),
  getProject: (p, w) => p.projects.get(w.projectId),
  listEnvironments: (p, w) => p.environments.list(w.projectId),
  getEnvironment: (p, w) => p.environments.get(w.environmentId),
  listServices: (p, w) => p.services.list(w.environmentId),
  listOrganizationServices: (p, w) => p.services.inOrganization(w.environmentId),
  listServiceStatuses: (p, w) => p.services.statuses(w.environmentId),
  listApplications: (p, w) => p.applications.list(w.environmentId),
  getApplication: (p, w) => p.applications.get(w.applicationId),
  listDatabases: (p, w) => p.databases.list(w.environmentId),
  getDatabase: (p, w) => p.databases.get(w.databaseId),
  getDatabaseCredentials: (p, w) => p.databases.credentials(w.databaseId),
  listClusters: (p) => p.clusters.list(),
  getClusterStatus: (p, w) => p.clusters.status(w.clusterIds[0]),
  listWebhooks: (p) => p.webhooks.list(),
  getWebhook: async (p, w) => p.webhooks.get(await idOf(w, newWebhook(w))),
  updateProject: async (p, w) =>
    p.projects.update(await w.admin.projects.create({ name: w.name() }), { name: w.name() }),
  deleteProject: async (p, w) => p.projects.delete(await idOf(w, w.admin.projects.create({ name: w.name() }))),
  updateEnvironment: async (p, w) =>
    p.environments.update(await newEnvironment(w), { name: w.name(), mode: "PRODUCTION" }),
  deleteEnvironment: async (p, w) => p.environments.delete(await idOf(w, newEnvironment(w))),
  updateApplication: async (p, w) => {
    const current = await w.admin.applications.create(w.environmentId, applicationInput(w.name()), w.members());
    return p.applications.update(current, { ...applicationInput(current.name), cpu: 750 });
  },
  deleteApplication: async (p, w) => p.applications.delete(await w.newApplication()),
  updateVariable: (p, w) =>
    onVariable(w, "variables", (id, key) => p.variables.update(w.applicationId, id, { key, value: "other" })),
  deleteVariable: (p, w) => onVariable(w, "variables", (id) => p.variables.delete(w.applicationId, id)),
  updateSecret: (p, w) =>
    onVariable(w, "secrets", (id, key) => p.secrets.update(w.applicationId, id, { key, value: "other" })),
  deleteSecret: (p, w) => onVariable(w, "secrets", (id) => p.secrets.delete(w.applicationId, id)),
  updateDatabase: async (p, w) =>
    p.databases.update(await w.admin.databases.get(w.databaseId), { name: w.name(), storage: 20 }),
  deleteDatabase: async (p, w) => p.databases.delete(await w.newDatabase()),
  updateWebhook: async (p, w) => p.webhooks.update(await newWebhook(w), { ...webhook, enabled: false }),
  deleteWebhook: async (p, w) => p.webhooks.delete(await idOf(w, newWebhook(w))),
  stopApplication: async (p, w) => p.applications.stop(await w.newApplication()),
  deployCluster: (p, w) => p.clusters.deploy(w.clusterIds[1]),
  cancelDeployment: async (p, w) => {
    const { time } = w.simulator.sim;
    time.setSpeed(1);
    try {
      const deployed = await w.admin.applications.deploy(await w.newApplication(), COMMIT);
      await p.deployments.cancel(deployed?.deploymentRequestId ?? "");
    } finally {
      time.setSpeed("instant");
      time.advance(3600); // ends work that began at speed 1
    }
  },
};

export function casesOf(table: Partial<Record<OperationName, Call>>) {
  const names = Object.keys(operations) as OperationName[];
  return names.flatMap((name) => {
    const call = table[name];
    return call === undefined ? [] : [[name, { call }] as const];
  });
}

function newWebhook(w: World) {
  return w.admin.webhooks.create(webhook, w.members());
}

function newEnvironment(w: World) {
  return w.admin.environments.create(w.projectId, { name: w.name(), mode: "STAGING", clusterId: w.clusterIds[0] });
}

/** Returns the id of a new object; on a surface that cannot create it, another id, so that the call still happens. */
async function idOf(w: World, made: Promise<{ readonly id: string }>): Promise<string> {
  return made.then(({ id }) => id).catch(() => w.projectId);
}

/** Calls with the id and the key of a new variable or secret. */
async function onVariable<T>(w: World, area: "variables" | "secrets", call: (id: string, key: string) => Promise<T>) {
  const key = variableKey(w);
  const made = await w.admin[area].create(w.applicationId, { key, value: "s3cret" });
  return call(made?.id ?? "", key);
}

function variableKey(w: World): string {
  return w.name().toUpperCase().replaceAll("-", "_");
}
