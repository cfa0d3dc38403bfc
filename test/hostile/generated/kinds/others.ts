import type { JsonObject, Json } from "../../../../src/kube/api/types.ts";
import { certificate } from "../../../support/kube/tls.ts";
import { LIFECYCLE } from "../derive.ts";
import { always, local, reported, sent, type Draft, type Fixture, type KindCases } from "../outcomes.ts";

const READ_ONCE = local("the operator has just read it, and does not read it again");
const read = (to: Json, by: string, as: Json = to): Draft => ({ ...always(to, sent(by, as)), created: READ_ONCE });

const OF_CONFIG_MAP = local("labels and annotations of the ConfigMap in the cluster");

export const catalog: KindCases = {
  seed: () => ({
    include: ["Templates", "CloudProviders"],
    cluster: { mode: "PLATFORM_MANAGED", provider: "AWS" },
    configMap: { metadata: { labels: { team: "shop" }, annotations: { note: "one" } } },
    interval: "30m",
  }),
  leaves: ({ credentialsId }) => ({
    include: {
      ...read(["Templates", "GitRepositories"], "listGithubRepositories", ""),
      notAdded: "a catalog without it has every part",
    },
    // The case of `include` covers the read.
    "include[]": { ...always("DatabaseTypes", READ_ONCE), in: { include: ["Templates"] } },
    "cluster.mode": read("CUSTOMER_MANAGED", "listPlatformTemplates"),
    "cluster.provider": read("GCP", "listPlatformTemplates"),
    gitTokenId: { ...read(credentialsId, "listGithubRepositories"), in: { include: ["GitRepositories"] } },
    "configMap.metadata.labels": always({ team: "shop", tier: "web" }, OF_CONFIG_MAP),
    "configMap.metadata.labels{}": always("pay", OF_CONFIG_MAP),
    "configMap.metadata.annotations": always({ note: "one", reason: "two" }, OF_CONFIG_MAP),
    "configMap.metadata.annotations{}": always("three", OF_CONFIG_MAP),
    interval: always("2h", local("the interval between reads of the catalog")),
  }),
};

const OF_CALLS = local("how the operator calls the platform; every call shows it");
const ofCalls = (to: Json): Draft => always(to, OF_CALLS);
const OF_OBJECTS = local("a default for objects that do not set it");
const OF_VALUES = local("which Secrets the values of its objects come from");
const NO_CERTIFICATES = reported("DependencyNotReady", "that ConfigMap has no certificates");

const connectionSeed = (fixture: Fixture): JsonObject => ({
  baseUrl: fixture.baseUrl,
  pathPrefix: "",
  organizationId: fixture.organizationId,
  auth: { scheme: "Token", tokenSecretRef: { name: fixture.name, key: "token" } },
  rateLimit: { requestsPerSecond: 1000, burst: 1000 },
  surface: "Auto",
  allowUnverifiedIds: false,
  allowedProjects: [fixture.credentialsId],
  allowedSecrets: { matchLabels: { team: "shop" } },
  defaults: { lifecycle: LIFECYCLE, pollInterval: "30m", logs: { onFailure: 1 } },
});

export const connection: KindCases = {
  seed: connectionSeed,
  leaves: ({ name, baseUrl, proxyUrl, credentialsId, clusterOf }) => ({
    baseUrl: ofCalls(`${baseUrl}/`),
    pathPrefix: ofCalls("/api/v1"),
    organizationId: always(credentialsId, reported("InvalidSpec", "the organization does not exist")),
    "auth.scheme": ofCalls("Bearer"),
    "auth.tokenSecretRef.name": ofCalls(`${name}-spare`),
    "auth.tokenSecretRef.key": ofCalls("other"),
    "proxy.url": always("http://127.0.0.1:9", reported("PlatformUnreachable", "that proxy does not exist")),
    "proxy.secretRef.name": {
      // No source of values: a Secret that a connection uses is none for other resources.
      ...always(`${name}-spare`, reported("CredentialsMissing", "that Secret has no user name")),
      in: { proxy: { url: proxyUrl } },
    },
    "caBundle.pem": ofCalls(certificate),
    "caBundle.configMapKeyRef.name": always("sizes", NO_CERTIFICATES),
    "caBundle.configMapKeyRef.key": {
      ...always("second", NO_CERTIFICATES),
      in: { caBundle: { configMapKeyRef: { name: "authorities", key: "first" } } },
    },
    "rateLimit.requestsPerSecond": ofCalls(500),
    "rateLimit.burst": ofCalls(400),
    surface: ofCalls("Documented"),
    allowUnverifiedIds: ofCalls(true),
    allowedProjects: ofCalls([credentialsId, clusterOf(name)]),
    "allowedProjects[]": ofCalls(clusterOf(name)),
    "allowedSecrets.matchLabels": always({ team: "shop", tier: "web" }, OF_VALUES),
    "allowedSecrets.matchLabels{}": always("pay", OF_VALUES),
    "defaults.pollInterval": always("45m", OF_OBJECTS),
    "defaults.logs.onFailure": always(7, OF_OBJECTS),
  }),
  misuses: () => [
    { path: "auth.tokenSecretRef.name", to: "nowhere", reason: "CredentialsMissing" },
    { path: "auth.tokenSecretRef.key", to: "nowhere", reason: "CredentialsMissing" },
    { path: "pathPrefix", to: "/nowhere", reason: "InvalidSpec" },
  ],
};

const ANY_PROJECT = "00000000-0000-4000-8000-00000000000a";
const OTHER_PROJECT = "00000000-0000-4000-8000-00000000000b";

export const clusterConnection: KindCases = {
  ...connection,
  seed: (fixture) => ({
    ...connectionSeed(fixture),
    allowedNamespaces: {
      names: [fixture.name],
      selector: { matchLabels: { team: "shop" } },
      limited: [{ names: ["another"], selector: { matchLabels: { team: "pay" } }, allowedProjects: [ANY_PROJECT] }],
    },
  }),
  leaves: (fixture, name) => ({
    ...connection.leaves(fixture, name),
    "allowedNamespaces.names": ofCalls([fixture.name, "another"]),
    "allowedNamespaces.names[]": ofCalls("another"),
    "allowedNamespaces.selector.matchLabels": ofCalls({ team: "shop", tier: "web" }),
    "allowedNamespaces.selector.matchLabels{}": ofCalls("pay"),
    "allowedNamespaces.limited": ofCalls([]),
    "allowedNamespaces.limited[].names": ofCalls(["another", "third"]),
    "allowedNamespaces.limited[].names[]": ofCalls("third"),
    "allowedNamespaces.limited[].selector.matchLabels": ofCalls({ team: "pay", tier: "web" }),
    "allowedNamespaces.limited[].selector.matchLabels{}": ofCalls("web"),
    "allowedNamespaces.limited[].allowedProjects": ofCalls([ANY_PROJECT, OTHER_PROJECT]),
    "allowedNamespaces.limited[].allowedProjects[]": ofCalls(OTHER_PROJECT),
  }),
};
