/** Clusters and their bindings. */
import type { Json, JsonObject } from "../../../../src/kube/api/types.ts";
import { IMPOSSIBLE_WINDOWS, lifecycle, lifecycleLeaves, scheduleLeaves } from "../common.ts";
import { always, local, locked, sent, reported, type Entry, type KindCases, type Outcome } from "../outcomes.ts";
import { rootConnectionLeaves, unresolved, VALUES } from "./references.ts";

const NOT_IN_CLUSTERS = ["adoptionPolicy", "onMissing", "retry"];
const PEM = Buffer.from("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").toString("base64");
const OTHER_PEM = Buffer.from("-----BEGIN CERTIFICATE-----\nBBBB\n-----END CERTIFICATE-----\n").toString("base64");

const FIRST_VERSION = "the documented surface shows no version, and the first one in a spec is assumed to run";
const TOKEN = "it describes a Secret of the cluster; the token is only read";
const ofToken = (to: Json): Entry => always(to, local(TOKEN));

const both = (outcome: Outcome) => ({ full: outcome, documented: outcome });

export const cluster: KindCases = {
  kind: "PlatformCluster",
  clusters: 150,
  lasting: true,
  dependencies: () => [],
  seed: ({ name: lane, clusterOf }, name) => ({
    connectionRef: { name: lane },
    externalId: clusterOf(name),
    runState: "Running",
    writeTokenSecretToRef: { name: `${name}-token`, readOnly: true, server: "https://a.example", caBundle: PEM },
    lifecycle: { ...lifecycle(NOT_IN_CLUSTERS), applyPolicy: "Automatic" },
  }),
  leaves: (fixture, name) => ({
    ...rootConnectionLeaves(fixture),
    externalId: {
      ...both(locked("spec.externalId cannot be changed or removed", "an object represents one cluster")),
      to: fixture.clusterOf(`${name}-other`),
      created: local("a cluster is adopted by its id, which only reads carry"),
    },
    runState: always("Stopped", sent("stopCluster", {})),
    kubernetesVersion: {
      ...always("1.34", sent("upgradeCluster", {})),
      oneWay: true,
      documented: local(FIRST_VERSION),
      createdDocumented: local(FIRST_VERSION),
    },
    "writeTokenSecretToRef.name": ofToken(`${name}-moved`),
    "writeTokenSecretToRef.readOnly": ofToken(false),
    "writeTokenSecretToRef.server": ofToken("https://b.example:6443/k8s"),
    "writeTokenSecretToRef.caBundle": ofToken(OTHER_PEM),
    credentialsId: always(fixture.credentialsId, local("the credentials are only read")),
    ...scheduleLeaves(reported("NotSupportedByApi", "the documented surface has no start of clusters")),
    ...Object.fromEntries(
      Object.entries(lifecycleLeaves(NOT_IN_CLUSTERS)).map(([path, entry]) => [
        path,
        { ...entry, created: local("the cluster exists and runs: nothing has to be written") },
      ]),
    ),
  }),
  misuses: () => [
    { path: "kubernetesVersion", to: "9.9", reason: "VersionNotAvailable", only: "full" },
    { path: "writeTokenSecretToRef.caBundle", to: "AAAA", reason: "InvalidSpec" },
    { path: "writeTokenSecretToRef.name", to: "values", reason: "NameConflict" },
    ...IMPOSSIBLE_WINDOWS,
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

const BOUND = both(locked("spec.clusterRef cannot be changed once", "a template cannot move to another cluster"));
/** Members that every cluster and version of the template accepts. */
const PLAIN: JsonObject = { layerSelections: {}, customerProvidedInputs: {} };
const NOT_IN_BINDINGS = [...NOT_IN_CLUSTERS, "deletionPolicy"];
const bound = (to: Json, as: Json = to): Entry => always(to, sent("updateClusterPlatformBinding", as));
const SECRET_TOKEN = { ingress: { dnsApiToken: "***" } };
const { values, others } = VALUES;

export const binding: KindCases = {
  kind: "PlatformBinding",
  clusters: 200,
  dependencies: () => [],
  ownDependencies: ({ name: lane, clusterOf }, name) => [
    {
      kind: "PlatformCluster",
      name,
      spec: { connectionRef: { name: lane }, externalId: clusterOf(`${name}-named`) },
    },
  ],
  seed: ({ name: lane, clusterOf }, name) => ({
    connectionRef: { name: lane },
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
    lifecycle: lifecycle(NOT_IN_BINDINGS),
  }),
  leaves: (fixture, name) => ({
    ...rootConnectionLeaves(fixture),
    "clusterRef.name": { ...bound(name, fixture.clusterOf(`${name}-named`)), ...BOUND },
    "clusterRef.externalId": {
      ...bound(fixture.clusterOf(`${name}-other`), fixture.clusterOf(`${name}-other`)),
      ...BOUND,
    },
    "cluster.mode": { ...always("CUSTOMER_MANAGED", local("only reads of the catalog carry it")), in: PLAIN },
    "cluster.provider": { ...always("GCP", local("only reads of the catalog carry it")), in: PLAIN },
    "template.key": always("partner-platform", reported("TemplateNotAvailable", "there is only one template")),
    "template.version": { ...bound("1.1.0"), in: PLAIN },
    layerSelections: bound({ gpu: true }, { gpu: true }),
    "layerSelections{}": bound(false, { gpu: false }),
    managedConfig: bound({ ingress: FIELDS, metrics: METRICS, logs: { enabled: { value: false } } }, { logs: {} }),
    "managedConfig{}": bound({ ...FIELDS, replicas: { value: 3 } }, { replicas: 3 }),
    "managedConfig{}{}.value": bound("other.example.com"),
    "managedConfig{}{}.valueFrom.secretKeyRef.name": bound("others", SECRET_TOKEN),
    "managedConfig{}{}.valueFrom.secretKeyRef.key": bound("second", SECRET_TOKEN),
    "managedConfig{}{}.valueFrom.configMapKeyRef.name": bound("others-classes", "fast"),
    "managedConfig{}{}.valueFrom.configMapKeyRef.key": bound("second", "fast"),
    customerProvidedInputs: bound({ nodePool: { instanceType: { value: "m6i.large" } } }, "m6i.large"),
    "customerProvidedInputs{}": bound({ instanceType: { value: "m6i.large" } }, "m6i.large"),
    "customerProvidedInputs{}{}.value": bound("m6i.large"),
    "customerProvidedInputs{}{}.valueFrom.secretKeyRef.name": bound("others", { driverVersion: others.first }),
    "customerProvidedInputs{}{}.valueFrom.secretKeyRef.key": bound("second", { driverVersion: values.second }),
    "customerProvidedInputs{}{}.valueFrom.configMapKeyRef.name": bound("others-sizes", { maxNodes: "8" }),
    "customerProvidedInputs{}{}.valueFrom.configMapKeyRef.key": bound("second", { maxNodes: "7" }),
    ...lifecycleLeaves(NOT_IN_BINDINGS),
    "lifecycle.managementPolicy": {
      ...always("ObserveOnly", local("nothing has to be written")),
      created: reported("NotCreated", "nothing is written under it"),
      createdDocumented: reported("NotObservable", "nothing is written under it, and nothing is shown"),
    },
  }),
  misuses: () => [
    { path: "template.key", to: "nowhere", reason: "TemplateNotAvailable" },
    { path: "template.version", to: "9.9.9", reason: "TemplateNotAvailable" },
    { path: "layerSelections", to: { nowhere: true }, reason: "InvalidSpec" },
    { path: "managedConfig{}{}.value", to: { text: "not a value" }, reason: "InvalidSpec" },
    { path: "managedConfig{}{}.value", to: "not a domain", reason: "InvalidSpec" },
    { path: "customerProvidedInputs{}{}.value", to: "no such type", reason: "InvalidSpec" },
    ...unresolved("managedConfig{}{}.valueFrom.secretKeyRef"),
    ...unresolved("customerProvidedInputs{}{}.valueFrom.configMapKeyRef"),
    ...IMPOSSIBLE_WINDOWS,
  ],
};
