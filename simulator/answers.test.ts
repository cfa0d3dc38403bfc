import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";

import { call, type Answer } from "../test/support/env/simulated-platform.ts";
import { operationOf, operations, type OperationId } from "./base/operations.ts";
import type { Speed } from "./base/time.ts";
import { routes } from "./routes/index.ts";
import { startSimulator, type Simulator } from "./simulator.ts";

interface Step {
  readonly operation: OperationId;
  /** Path parameters that are not of the setup. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  /** Keeps the answer's id under this name, for later steps. */
  readonly keep?: string;
  /** How fast the platform works from here on. */
  readonly speed?: Speed;
}

const application = {
  name: "web",
  git_repository: { url: "https://github.com/acme/web.git", branch: "main", provider: "GITHUB" },
  build_mode: "DOCKER",
  dockerfile_path: "Dockerfile",
  cpu: 500,
  memory: 512,
  min_running_instances: 1,
  max_running_instances: 2,
  ports: [{ internal_port: 8080, external_port: 443, protocol: "HTTP", publicly_accessible: true }],
  healthchecks: {},
};
const database = { name: "db", type: "POSTGRESQL", version: "16", mode: "MANAGED", cpu: 250, memory: 512, storage: 10 };
const binding = {
  templateKey: "kubernetes-essentials",
  templateVersion: "1.2.0",
  layerSelections: { gpu: true },
  managedConfig: { ingress: { domain: "apps.example.com", replicas: 3 } },
  customerProvidedInputs: {},
};
const webhook = { target_url: "https://example.com/hook", events: ["DEPLOYMENT_STARTED"], enabled: true };

/** Every operation once, in an order in which each succeeds. */
const story: readonly Step[] = [
  { operation: "createProject", body: { name: "shop", description: "Sells things" }, keep: "projectId" },
  { operation: "listProjects" },
  { operation: "getProject" },
  { operation: "updateProject", body: { name: "shop" } },
  { operation: "createEnvironment", body: { name: "staging", mode: "STAGING" }, keep: "environmentId" },
  { operation: "listEnvironments" },
  { operation: "getEnvironment" },
  { operation: "updateEnvironment", body: { mode: "PRODUCTION" } },
  { operation: "createApplication", body: application, keep: "applicationId" },
  { operation: "listApplications" },
  { operation: "getApplication" },
  { operation: "updateApplication", body: { ...application, cpu: 250 } },
  { operation: "createApplicationVariable", body: { key: "COLOUR", value: "blue" }, keep: "variableId" },
  { operation: "updateApplicationVariable", body: { key: "COLOUR", value: "red" } },
  { operation: "listApplicationVariables" },
  { operation: "deleteApplicationVariable" },
  { operation: "createApplicationSecret", body: { key: "PASSWORD", value: "hunter2" }, keep: "secretId" },
  { operation: "updateApplicationSecret", body: { key: "PASSWORD", value: "hunter3" } },
  { operation: "listApplicationSecrets" },
  { operation: "deleteApplicationSecret" },
  {
    operation: "importEnvironmentVariable",
    body: { overwrite: false, vars: [{ name: "A", value: "1", is_secret: true, scope: "APPLICATION" }] },
  },
  { operation: "deployApplication", body: { git_commit_id: "abcdef1" }, keep: "request" },
  { operation: "getDeploymentStatusByRequest", query: "deploymentRequestId={request}" },
  { operation: "getApplicationStatus" },
  { operation: "listApplicationLog", query: "tail=2" },
  { operation: "getIngressDeploymentStatus", params: { serviceType: "application", serviceId: "{applicationId}" } },
  { operation: "restartApplication" },
  { operation: "stopApplication", keep: "request" },
  { operation: "createDatabase", body: database, keep: "databaseId" },
  { operation: "listDatabases" },
  { operation: "getDatabase" },
  { operation: "updateDatabase", body: { version: "17" } },
  { operation: "deployDatabase" },
  { operation: "stopDatabase", keep: "request", speed: 1 },
  { operation: "cancelDeploymentRequest", params: { deploymentRequestId: "{request}" } },
  { operation: "getApplicationStatus", speed: "instant" },
  { operation: "listServices" },
  { operation: "getEnvironmentStatuses" },
  { operation: "getProjectEnvironmentStats" },
  {
    operation: "createBlueprint",
    query: "deploy=true",
    body: { name: "cache", tag: "redis/3.0.0", icon: "https://example.com/i.png" },
  },
  { operation: "createHelmDefaultValues", body: { source: { helm_repository: { chart_name: "redis" } } } },
  { operation: "listPlatformTemplates", query: "clusterMode=PLATFORM_MANAGED&cloudProvider=AWS" },
  { operation: "updateClusterPlatformBinding", body: binding },
  { operation: "getClusterPlatformBinding" },
  { operation: "upgradeCluster" },
  { operation: "stopCluster" },
  { operation: "deployCluster" },
  { operation: "getClusterStatus" },
  { operation: "listClusters" },
  { operation: "getClusterToken", query: "read_only=true" },
  { operation: "getClusterMetrics", query: "endpoint=query&query=up" },
  { operation: "listCloudProviders" },
  { operation: "listManagedDatabaseTypes" },
  { operation: "getGcpCredentials" },
  { operation: "downloadInvoices" },
  { operation: "listGithubRepositories" },
  { operation: "createWebhook", body: webhook, keep: "webhookId" },
  { operation: "getWebhook" },
  { operation: "updateWebhook", body: { ...webhook, enabled: false } },
  { operation: "deleteWebhook" },
  { operation: "deleteApplication" },
  { operation: "deleteDatabase" },
  { operation: "deleteEnvironment" },
  { operation: "deleteProject" },
];

const schemas: ReadonlyMap<OperationId, z.ZodType> = new Map(
  routes.map(({ operation, answer }) => [operation, answer]),
);

/** A platform on which the story is told, one step after the other. */
async function teller(
  profile: "seed" | "public",
): Promise<{ simulator: Simulator; tell(step: Step): Promise<Answer> }> {
  const simulator = await startSimulator({ surface: "full", speed: "instant", seed: "story" });
  const helmValues = profile === "seed" ? "json" : "text";
  Object.assign(simulator.sim.settings.profile, {
    statusCodes: profile,
    records: profile,
    helmValues,
    routerKey: "router_id",
  });
  const names: Record<string, string> = {
    organizationId: simulator.organizationId,
    clusterId: simulator.clusterIds[0] ?? "",
    credentialsId: simulator.credentialsId,
  };
  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => names[name] ?? `no ${name} yet`);
  return {
    simulator,
    async tell({ operation, params = {}, query, body, keep, speed }) {
      if (speed !== undefined) simulator.sim.time.setSpeed(speed);
      const { method, path } = operationOf(operation);
      const own = path.replaceAll(/\{(\w+)\}/g, (all, name: string) => params[name] ?? all);
      const answer = await call(simulator, `${method} ${fill(query === undefined ? own : `${own}?${query}`)}`, body);
      if (keep !== undefined) {
        const { id, deployment_request_id: request }: { id: string; deployment_request_id?: string } = answer.body;
        names[keep] = keep === "request" ? (request ?? "") : id;
      }
      return answer;
    },
  };
}

describe("the story", () => {
  it("tells every operation", () => {
    expect(new Set(story.map(({ operation }) => operation))).toEqual(new Set(operations.map(({ id }) => id)));
  });
});

describe.each(["seed", "public"] as const)("with records of the %s profile", (profile) => {
  let told: Awaited<ReturnType<typeof teller>>;
  beforeAll(async () => {
    told = await teller(profile);
  });
  afterAll(() => told.simulator.close());

  it.each(story)("$operation answers as its schema says", async (step) => {
    const answer = await told.tell(step);
    const { publicStatus } = operationOf(step.operation);
    const special = step.operation === "createBlueprint" ? 202 : publicStatus;
    expect(answer.status, answer.text).toBe(profile === "public" || publicStatus === 204 ? special : 200);
    const isText = profile === "public" && step.operation === "createHelmDefaultValues";
    const body: unknown = isText ? answer.text : answer.body;
    expect(schemas.get(step.operation)?.safeParse(body).error).toBeUndefined();
  });
});
