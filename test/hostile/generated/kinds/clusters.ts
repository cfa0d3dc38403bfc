/** Clusters and their bindings. */
import type { Json, JsonObject } from "../../../../src/kube/api/types.ts";
import { IMPOSSIBLE_WINDOWS, lifecycle, lifecycleLeaves, scheduleLeaves } from "../common.ts";
import { always, local, locked, sent, told, type Entry, type KindCases, type Outcome } from "../outcomes.ts";
import { rootConnectionLeaves, unresolved, VALUES } from "./references.ts";

const NOT_IN_CLUSTERS = ["adoptionPolicy", "onMissing", "retry"];
const PEM = Buffer.from("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").toString("base64");
const OTHER_PEM = Buffer.from("-----BEGIN CERTIFICATE-----\nBBBB\n-----END CERTIFICATE-----\n").toString("base64");

const TOKEN = "it says what goes into a Secret of the cluster; a read alone asks for the token";
const token = (to: Json): Entry => always(to, local(TOKEN));

const both = (outcome: Outcome) => ({ full: outcome, documented: outcome });

export const cluster: KindCases = {
  kind: "PlatformCluster",
  clusters: 150,
  lasting: true,
  stands: () => [],
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
      ...both(locked("spec.externalId cannot be changed or removed", "an object stands for one cluster")),
      to: fixture.clusterOf(`${name}-other`),
      created: local("a cluster is taken over by its id, which reads alone carry"),
    },
    runState: {
      to: "Stopped",
      full: sent("stopCluster", {}),
      documented: sent("stopCluster", {}),
      created: sent("stopCluster", {}),
    },
    kubernetesVersion: {
      to: "1.34",
      oneWay: true,
      full: sent("upgradeCluster", {}),
      // Which version is next is not shown there: the platform is asked once, and chooses.
      documented: sent("upgradeCluster", {}),
      created: sent("upgradeCluster", {}),
      createdDocumented: local("the version that a cluster is taken over with counts as the one that runs"),
    },
    "writeTokenSecretToRef.name": token(`${name}-moved`),
    "writeTokenSecretToRef.readOnly": token(false),
    "writeTokenSecretToRef.server": token("https://b.example:6443/k8s"),
    "writeTokenSecretToRef.caBundle": token(OTHER_PEM),
    credentialsId: always(fixture.credentialsId, local("a read alone asks for the credentials")),
    ...scheduleLeaves(told("NotSupportedByApi", "the documented surface has no start of clusters")),
    ...Object.fromEntries(
      Object.entries(lifecycleLeaves(NOT_IN_CLUSTERS)).map(([path, entry]) => [
        path,
        { ...entry, created: local("a cluster is there, and runs as it should: nothing is to be written") },
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

const BOUND = both(locked("spec.clusterRef cannot be changed once", "a template stays on its cluster"));
/** What every cluster and version of the template takes. */
const PLAIN: JsonObject = { layerSelections: {}, customerProvidedInputs: {} };
const NOT_IN_BINDINGS = [...NOT_IN_CLUSTERS, "deletionPolicy"];
const bound = (to: Json, as: Json = to): Entry => always(to, sent("updateClusterPlatformBinding", as));
const SECRET_TOKEN = { ingress: { dnsApiToken: "***" } };
const { values, others } = VALUES;

export const binding: KindCases = {
  kind: "PlatformBinding",
  clusters: 200,
  stands: () => [],
  own: ({ name: lane, clusterOf }, name) => [
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
    "cluster.mode": { ...always("CUSTOMER_MANAGED", local("only the catalogue is asked with it")), in: PLAIN },
    "cluster.provider": { ...always("GCP", local("only the catalogue is asked with it")), in: PLAIN },
    "template.key": always("partner-platform", told("TemplateNotAvailable", "there is but one template")),
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
      ...always("ObserveOnly", local("nothing is to be written")),
      created: told("NotCreated", "nothing is written under it"),
      createdDocumented: told("NotObservable", "nothing is written under it, and nothing is shown"),
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
