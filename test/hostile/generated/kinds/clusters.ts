import type { JsonObject } from "../../../../src/kube/api/types.ts";
import { always, local, reported, sent, type Draft, type KindCases } from "../outcomes.ts";
import { cluster as clusterOf, scheduleLeaves, unresolved, VALUES } from "./references.ts";

const pem = (text: string) =>
  Buffer.from(`-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`).toString("base64");

const FIRST_VERSION = "the documented surface shows no version, and the first one in a spec is assumed to run";
const OF_TOKEN = local("it describes a Secret of the cluster; the token is only read");
const RUNS: Draft = { created: local("the cluster exists and runs: nothing has to be written") };

export const cluster: KindCases = {
  clusters: 150,
  lasting: true,
  seed: ({ clusterOf }, name) => ({
    externalId: clusterOf(name),
    runState: "Running",
    writeTokenSecretToRef: {
      name: `${name}-token`,
      metadata: { labels: { team: "shop" }, annotations: { note: "one" } },
      readOnly: true,
      server: "https://a.example",
      caBundle: pem("AAAA"),
    },
  }),
  leaves: ({ clusterOf, credentialsId }, name) => ({
    externalId: {
      to: clusterOf(`${name}-other`),
      created: local("a cluster is adopted by its id, which only reads carry"),
    },
    runState: always("Stopped", sent("stopCluster", {})),
    kubernetesVersion: {
      ...always("1.34", sent("upgradeCluster", {})),
      oneWay: true,
      documented: local(FIRST_VERSION),
      createdDocumented: local(FIRST_VERSION),
    },
    "writeTokenSecretToRef.name": always(`${name}-moved`, OF_TOKEN),
    "writeTokenSecretToRef.metadata.labels": always({ team: "shop", tier: "web" }, OF_TOKEN),
    "writeTokenSecretToRef.metadata.labels{}": always("pay", OF_TOKEN),
    "writeTokenSecretToRef.metadata.annotations": always({ note: "one", reason: "two" }, OF_TOKEN),
    "writeTokenSecretToRef.metadata.annotations{}": always("three", OF_TOKEN),
    "writeTokenSecretToRef.readOnly": always(false, OF_TOKEN),
    "writeTokenSecretToRef.server": always("https://b.example:6443/k8s", OF_TOKEN),
    "writeTokenSecretToRef.caBundle": always(pem("BBBB"), OF_TOKEN),
    credentialsId: always(credentialsId, local("the credentials are only read")),
    ...scheduleLeaves(reported("NotSupportedByPlatform", "the documented surface has no start of clusters")),
    "lifecycle.managementPolicy": RUNS,
    "lifecycle.applyPolicy": RUNS,
  }),
  misuses: () => [
    { path: "kubernetesVersion", to: "9.9", reason: "VersionNotAvailable", only: "full" },
    { path: "writeTokenSecretToRef.caBundle", to: "AAAA", reason: "InvalidSpec" },
    { path: "writeTokenSecretToRef.name", to: "values", reason: "NameConflict" },
  ],
};

const FIELDS: JsonObject = {
  domain: { value: "apps.example.com" },
  dnsApiToken: { valueFrom: { secretKeyRef: { name: "values", key: "first" } } },
};
const METRICS: JsonObject = {
  retentionDays: { value: 30 },
  storageClass: { valueFrom: { configMapKeyRef: { name: "classes", key: "first" } } },
};

/** Members that every cluster and version of the template accepts. */
const PLAIN: JsonObject = { layerSelections: {}, customerProvidedInputs: {} };
const OF_CATALOG = local("only reads of the catalog carry it");
const SECRET_TOKEN = { ingress: { dnsApiToken: "***" } };
const { values, others } = VALUES;

export const binding: KindCases = {
  by: "updateClusterPlatformBinding",
  clusters: 200,
  ownDependencies: (fixture, name) => [clusterOf(fixture, name, `${name}-named`)],
  seed: ({ clusterOf }, name) => ({
    clusterRef: { externalId: clusterOf(name) },
    cluster: { mode: "PLATFORM_MANAGED", provider: "AWS" },
    template: { key: "kubernetes-essentials", version: "1.2.0" },
    layerSelections: { gpu: true, observability: true },
    managedConfig: { ingress: FIELDS, metrics: METRICS },
    customerProvidedInputs: {
      nodePool: {
        instanceType: { value: "t3.medium" },
        maxNodes: { valueFrom: { configMapKeyRef: { name: "sizes", key: "first" } } },
      },
      gpuOperator: { driverVersion: { valueFrom: { secretKeyRef: { name: "values", key: "first" } } } },
    },
  }),
  leaves: ({ clusterOf }, name) => ({
    "clusterRef.name": { to: name, as: clusterOf(`${name}-named`) },
    "clusterRef.externalId": { to: clusterOf(`${name}-other`) },
    "cluster.mode": { ...always("CUSTOMER_MANAGED", OF_CATALOG), in: PLAIN },
    "cluster.provider": { ...always("GCP", OF_CATALOG), in: PLAIN },
    "template.key": always("partner-platform", reported("TemplateNotAvailable", "there is only one template")),
    "template.version": { to: "1.1.0", in: PLAIN },
    layerSelections: { to: { gpu: true } },
    managedConfig: { to: { ingress: FIELDS, metrics: METRICS, logs: { enabled: { value: false } } }, as: { logs: {} } },
    "managedConfig{}": { to: { ...FIELDS, replicas: { value: 3 } }, as: { replicas: 3 } },
    "managedConfig{}{}.value": { to: "other.example.com" },
    "managedConfig{}{}.valueFrom.secretKeyRef.name": { to: "others", as: SECRET_TOKEN },
    "managedConfig{}{}.valueFrom.secretKeyRef.key": { to: "second", as: SECRET_TOKEN },
    "managedConfig{}{}.valueFrom.configMapKeyRef.name": { to: "others-classes", as: "fast" },
    "managedConfig{}{}.valueFrom.configMapKeyRef.key": { to: "second", as: "fast" },
    customerProvidedInputs: { to: { nodePool: { instanceType: { value: "m6i.large" } } }, as: "m6i.large" },
    "customerProvidedInputs{}": { to: { instanceType: { value: "m6i.large" } }, as: "m6i.large" },
    "customerProvidedInputs{}{}.value": { to: "m6i.large" },
    "customerProvidedInputs{}{}.valueFrom.secretKeyRef.name": { to: "others", as: { driverVersion: others.first } },
    "customerProvidedInputs{}{}.valueFrom.secretKeyRef.key": { to: "second", as: { driverVersion: values.second } },
    "customerProvidedInputs{}{}.valueFrom.configMapKeyRef.name": { to: "others-sizes", as: { maxNodes: "8" } },
    "customerProvidedInputs{}{}.valueFrom.configMapKeyRef.key": { to: "second", as: { maxNodes: "7" } },
    "lifecycle.managementPolicy": {
      createdDocumented: reported("NotObservable", "nothing is written under it, and nothing is shown"),
    },
  }),
  misuses: () => [
    { path: "template.key", to: "nowhere", reason: "TemplateNotAvailable" },
    { path: "template.version", to: "9.9.9", reason: "TemplateNotAvailable" },
    { path: "layerSelections", to: { nowhere: true }, reason: "InvalidSpec" },
    { path: "managedConfig{}{}.value", to: { text: "not a value" }, reason: "InvalidSpec" },
    { path: "managedConfig{}{}.value", to: "not a domain", reason: "InvalidSpec", isSent: true },
    { path: "customerProvidedInputs{}{}.value", to: "no such type", reason: "InvalidSpec" },
    ...unresolved("managedConfig{}{}.valueFrom.secretKeyRef"),
    ...unresolved("customerProvidedInputs{}{}.valueFrom.configMapKeyRef"),
  ],
};
