/** Catalogs, operations and connections. */
import type { Json, JsonObject } from "../../../../src/kube/api/types.ts";
import { COMMIT, NEXT_COMMIT } from "../../../support/kube/manifests.ts";
import { certificate } from "../../../support/kube/tls.ts";
import { lifecycle, lifecycleLeaves } from "../common.ts";
import { always, local, locked, sent, reported, type Entry, type Fixture, type KindCases } from "../outcomes.ts";
import { childConnectionLeaves, rootConnectionLeaves, environments } from "./references.ts";

const NOT_IN_OPERATIONS = [
  "managementPolicy",
  "adoptionPolicy",
  "onMissing",
  "driftPolicy",
  "retry",
  "progressDeadline",
  "deletionPolicy",
];

const read = (to: Json, by: string, as: Json = to): Entry => ({
  ...always(to, sent(by, as)),
  created: local("the operator has just read it, and does not read it again"),
});

export const catalog: KindCases = {
  kind: "PlatformCatalog",
  dependencies: () => [],
  seed: ({ name }) => ({
    connectionRef: { name },
    include: ["Templates", "CloudProviders"],
    cluster: { mode: "PLATFORM_MANAGED", provider: "AWS" },
    interval: "30m",
  }),
  leaves: (fixture) => ({
    ...rootConnectionLeaves(fixture),
    include: read(["Templates", "GitRepositories"], "listGithubRepositories", ""),
    "include[]": {
      ...always(
        "DatabaseTypes",
        local("the operator has just read it, and does not read it again; the case of `include` covers the read"),
      ),
      in: { include: ["Templates"] },
    },
    "cluster.mode": read("CUSTOMER_MANAGED", "listPlatformTemplates"),
    "cluster.provider": read("GCP", "listPlatformTemplates"),
    gitTokenId: {
      ...read(fixture.credentialsId, "listGithubRepositories"),
      in: { include: ["GitRepositories"] },
    },
    interval: always("2h", local("the interval between reads of the catalog")),
  }),
};

const CHART = { repository: "https://charts.example.com", chart_name: "redis" };
const FIXED = locked("spec cannot be changed", "an operation is one action");
const once = (to: Json, created: Entry["created"], change?: JsonObject): Entry => ({
  ...always(to, FIXED),
  created,
  ...(change !== undefined && { in: change }),
});

/** @returns the entries of both members of a reference. @param by the operation, whose path or body has the id */
const target = (field: string, name: string, id: string, by: string, change?: JsonObject) => ({
  [`${field}.name`]: once(name, sent(by, id), change),
  [`${field}.externalId`]: once(id, sent(by, id), change),
});

export const operation: KindCases = {
  kind: "PlatformOperation",
  clusters: 150,
  // A stopped cluster cannot be stopped again.
  ownDependencies: ({ name: lane, clusterOf }, name) =>
    [name, `${name}-other`].map((each) => ({
      kind: "PlatformCluster",
      name: each,
      spec: { connectionRef: { name: lane }, externalId: clusterOf(each) },
    })),
  dependencies: (fixture) => [
    ...environments(fixture),
    ...["", "-other"].flatMap((suffix) => servicesOf(fixture, suffix)),
  ],
  seed: ({ name }) => ({
    connectionRef: { name },
    type: "DeployApplication",
    applicationRef: { name },
    gitCommitId: COMMIT,
    backoffLimit: 1,
    activeDeadlineSeconds: 600,
    lifecycle: lifecycle(NOT_IN_OPERATIONS),
  }),
  leaves: (fixture, object) => {
    const { name } = fixture;
    const other = `${name}-other`;
    const deploysDatabase = { ...without(DEPLOYS), type: "DeployDatabase", databaseRef: { name } };
    const stopsCluster = { ...without(DEPLOYS), type: "StopCluster", clusterRef: { name: object } };
    const renders = {
      ...without(DEPLOYS),
      type: "RenderHelmDefaultValues",
      environmentRef: { name },
      source: { helm_repository: CHART },
      outputConfigMap: `${object}-rendered`,
    };
    const rendered = (as: Json) => sent("createHelmDefaultValues", as);
    return {
      ...Object.fromEntries(
        Object.entries(childConnectionLeaves(fixture)).map(([path, { to, created }]) => [path, once(to, created)]),
      ),
      type: { ...once("StopDatabase", sent("stopDatabase", {}), deploysDatabase), bounds: "none" },
      ...target("applicationRef", other, fixture.id("PlatformApplication", other), "deployApplication"),
      ...target("databaseRef", other, fixture.id("PlatformDatabase", other), "deployDatabase", deploysDatabase),
      ...target("clusterRef", `${object}-other`, fixture.clusterOf(`${object}-other`), "stopCluster", stopsCluster),
      ...target("environmentRef", other, fixture.id("PlatformEnvironment", other), "createHelmDefaultValues", renders),
      gitCommitId: once(NEXT_COMMIT, sent("deployApplication", NEXT_COMMIT)),
      "source.git_repository": once(
        { url: "https://github.com/acme/web.git", branch: "next" },
        rendered({ branch: "next" }),
        {
          ...renders,
          source: { git_repository: { url: "https://github.com/acme/web.git", branch: "main" } },
        },
      ),
      "source.helm_repository": once({ ...CHART, chart_name: "kafka" }, rendered("kafka"), renders),
      outputConfigMap: once(`${object}-elsewhere`, local("the ConfigMap for the values"), renders),
      // A database's deployment: the commit of an application would change after the trial, which does not wait for it.
      completion: once("Accepted", local("the condition for completion"), deploysDatabase),
      backoffLimit: once(4, local("the limit of the operator's attempts")),
      activeDeadlineSeconds: once(900, local("the operator's deadline")),
      ttlSecondsAfterFinished: once(86_400, local("the time until the object is deleted")),
      ...Object.fromEntries(
        Object.entries(lifecycleLeaves(NOT_IN_OPERATIONS)).map(([path, { to, created }]) => [path, once(to, created)]),
      ),
    };
  },
};

const DEPLOYS = ["applicationRef", "gitCommitId"];

/** @returns a change that removes members of the seed */
function without(members: readonly string[]): JsonObject {
  return Object.fromEntries(members.map((member) => [member, null]));
}

function servicesOf({ name: lane }: Fixture, suffix: string) {
  const name = `${lane}${suffix}`;
  const common = { environmentRef: { name: lane }, name };
  return [
    {
      kind: "PlatformApplication",
      name,
      spec: { ...common, gitRepository: { url: "https://github.com/acme/web.git" }, buildMode: "DOCKER" },
    },
    {
      kind: "PlatformDatabase",
      name,
      spec: { ...common, name: `${name}-db`, type: "POSTGRESQL", version: "16", mode: "CONTAINER" },
    },
  ];
}

const CALLS = "how the operator calls the platform; every call shows it";
const ofCalls = (to: Json): Entry => always(to, local(CALLS));
const ofDefaults = (to: Json): Entry => always(to, local("a default for objects that do not set it"));

function connectionEntries(fixture: Fixture, receiver: Entry["created"]): Readonly<Record<string, Entry>> {
  const stays = (field: string): Pick<Entry, "full" | "documented"> => {
    const outcome = locked(`spec.${field} cannot be changed`, "a connection has one platform and organization");
    return { full: outcome, documented: outcome };
  };
  const defaults = Object.entries(lifecycleLeaves([], "defaults.lifecycle."));
  return {
    baseUrl: { ...ofCalls(`${fixture.baseUrl}/`), ...stays("baseUrl") },
    pathPrefix: ofCalls("/api/v1"),
    organizationId: {
      ...always(fixture.credentialsId, reported("InvalidSpec", "the organization does not exist")),
      ...stays("organizationId"),
    },
    "auth.scheme": ofCalls("Bearer"),
    "auth.tokenSecretRef.name": ofCalls(`${fixture.name}-spare`),
    "auth.tokenSecretRef.key": ofCalls("other"),
    "proxy.url": always("http://127.0.0.1:9", reported("PlatformUnreachable", "that proxy does not exist")),
    "proxy.secretRef.name": {
      ...always("values", reported("CredentialsMissing", "that Secret has no user name")),
      in: { ...connectionSeed(fixture), proxy: { url: fixture.proxyUrl } },
    },
    "caBundle.pem": ofCalls(certificate),
    "caBundle.configMapKeyRef.name": always(
      "sizes",
      reported("DependencyNotReady", "that ConfigMap has no certificates"),
    ),
    "caBundle.configMapKeyRef.key": {
      ...always("second", reported("DependencyNotReady", "that ConfigMap has no certificates")),
      in: { ...connectionSeed(fixture), caBundle: { configMapKeyRef: { name: "authorities", key: "first" } } },
    },
    "rateLimit.requestsPerSecond": ofCalls(500),
    "rateLimit.burst": ofCalls(400),
    surface: ofCalls("Documented"),
    allowUnverifiedIds: ofCalls(true),
    allowedProjects: ofCalls([fixture.credentialsId, fixture.clusterOf(fixture.name)]),
    "allowedProjects[]": ofCalls(fixture.clusterOf(fixture.name)),
    ...Object.fromEntries(defaults.map(([path, { to }]) => [path, ofDefaults(to)])),
    "defaults.pollInterval": ofDefaults("45m"),
    "defaults.logs.onFailure": ofDefaults(7),
    "webhook.receiverUrl": always("http://127.0.0.1:9/hooks", receiver),
    "webhook.secretRef.name": always("others", receiver),
    "webhook.secretRef.key": always("second", receiver),
  };
}

const MISUSES: NonNullable<KindCases["misuses"]> = () => [
  { path: "auth.tokenSecretRef.name", to: "nowhere", reason: "CredentialsMissing" },
  { path: "auth.tokenSecretRef.key", to: "nowhere", reason: "CredentialsMissing" },
  { path: "pathPrefix", to: "/nowhere", reason: "InvalidSpec" },
  { path: "defaults.lifecycle.syncWindows.windows[].schedule", to: "99 99 * * *", reason: "InvalidSpec" },
  { path: "defaults.lifecycle.syncWindows.windows[].timeZone", to: "Mars/Olympus", reason: "InvalidSpec" },
];

const connectionSeed = (fixture: Fixture): JsonObject => ({
  baseUrl: fixture.baseUrl,
  pathPrefix: "",
  organizationId: fixture.organizationId,
  auth: { scheme: "Token", tokenSecretRef: { name: fixture.name, key: "token" } },
  rateLimit: { requestsPerSecond: 1000, burst: 1000 },
  surface: "Auto",
  allowUnverifiedIds: false,
  allowedProjects: [fixture.credentialsId],
  defaults: { lifecycle: lifecycle([]), pollInterval: "30m", logs: { onFailure: 1 } },
  webhook: { receiverUrl: "http://127.0.0.1:9/receiver", secretRef: { name: "values", key: "first" } },
});

export const connection: KindCases = {
  kind: "PlatformConnection",
  dependencies: () => [],
  seed: connectionSeed,
  misuses: MISUSES,
  leaves: (fixture) => connectionEntries(fixture, local("no receiver runs")),
};

export const clusterConnection: KindCases = {
  kind: "ClusterPlatformConnection",
  dependencies: () => [],
  seed: (fixture) => ({
    ...connectionSeed(fixture),
    allowedNamespaces: { names: [fixture.name], selector: { matchLabels: { team: "shop" } } },
  }),
  leaves: (fixture) => ({
    ...connectionEntries(fixture, local("no receiver runs")),
    "allowedNamespaces.names": ofCalls([fixture.name, "another"]),
    "allowedNamespaces.names[]": ofCalls("another"),
    "allowedNamespaces.selector.matchLabels": ofCalls({ team: "shop", tier: "web" }),
    "allowedNamespaces.selector.matchLabels{}": ofCalls("pay"),
  }),
  misuses: MISUSES,
};
