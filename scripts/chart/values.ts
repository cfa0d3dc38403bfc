/**
 * The values of the chart: the declaration from which values.yaml, values.schema.json and the table of the chart's
 * README are generated. The descriptions of the operator's flags come from the operator.
 */
import { z } from "zod";

import { describeOption, type OptionName } from "../../src/config/flags.ts";
import { LOG_LEVELS, LOGGERS } from "../../src/config/log-levels.ts";
import { HOST, NAMESPACE_PATTERN } from "../../src/config/validators.ts";

// The patterns of values: the schema accepts everything that the operator does. They have no flags and no lookaround, as
// JSON Schema and Go's regular expressions have none.
const { ipv4, ipv6, cidrv4 } = z.regexes;
const bare = ({ source }: RegExp): string => source.replaceAll(/^\^|\$$/g, "");
const BITS_OF_IPV6 = /(12[0-8]|1[01]\d|[1-9]?\d)/;

/** Host names, *.suffixes, addresses and blocks; IPv6 without embedded IPv4 addresses. */
const PLATFORM_HOST_PATTERN = new RegExp(`^(${bare(HOST)}|${bare(cidrv4)}|${bare(ipv6)}(/${BITS_OF_IPV6.source})?)$`);

/** A name whose last label begins with a digit is parsed as an IPv4 address (URL Standard: "ends in a number"). */
const NAME = /([A-Za-z0-9_-]+\.)*[A-Za-z_][A-Za-z0-9_-]*\.?/;
const PORT = /(\d{1,4}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])/;
const AUTHORITY = `(${NAME.source}|${bare(ipv4)}|\\[${bare(ipv6)}\\])(:${PORT.source})?`;

/** http or https URLs without user, query and fragment. */
const ENDPOINT_PATTERN = new RegExp(`^https?://${AUTHORITY}(/[^\\s?#]*)?$`);

/**
 * A level, levels of single parts, or both, e.g. "info,platform=debug": what parseLogLevels accepts, without spaces.
 */
const LEVELS_PATTERN = ((): RegExp => {
  const level = `(${LOG_LEVELS.join("|")})`;
  const single = `(${LOGGERS.join("|")})=${level}`;
  return new RegExp(`^(${single},)*(${level}|${single})(,${single})*$`);
})();

const about = (option: OptionName): string => {
  const text = describeOption(option);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
};

const labels = z.record(z.string(), z.string());
/** Members of the Kubernetes API: the API server checks them. */
const members = z.looseObject({});
const list = z.array(members).default([]);
const port = (fallback: number): z.ZodDefault<z.ZodInt> => z.int().min(1024).max(65_535).default(fallback);
const namespace = z.string().regex(NAMESPACE_PATTERN);
const cidr = z.string().regex(/^[0-9A-Fa-f.:]+\/\d{1,3}$/);
const RENDER_MODES = ["skipIfMissing", "failIfMissing", "alwaysRender"] as const;
const renderMode = z
  .enum(RENDER_MODES)
  .default("skipIfMissing")
  .describe(
    "What to do if the cluster does not have its kind: skipIfMissing, failIfMissing, or alwaysRender for `helm template` without a cluster.",
  );

const image = z.strictObject({
  registry: z.string().default("ghcr.io").describe("Registry; global.imageRegistry overrides it."),
  repository: z.string().default("platform-operator/platform-operator").describe("Repository."),
  tag: z.string().default("").describe("Tag; defaults to the chart's appVersion."),
  digest: z
    .string()
    .regex(/^(sha256:[0-9a-f]{64})?$/)
    .default("")
    .describe("Digest, which overrides the tag: `sha256:…`."),
  pullPolicy: z.enum(["Always", "IfNotPresent", "Never"]).default("IfNotPresent").describe("Pull policy."),
});

/** The members have the names of the flags of `run`. */
const operator = z.strictObject({
  logLevel: z.string().regex(LEVELS_PATTERN).default("info").describe(about("logLevel")),
  workers: z.int().min(1).max(100).default(10).describe(about("workers")),
  allowedPlatformHosts: z
    .array(z.string().regex(PLATFORM_HOST_PATTERN))
    .default([])
    .describe(about("allowedPlatformHosts")),
  allowInsecurePlatform: z.boolean().default(false).describe(about("allowInsecurePlatform")),
  platformProxy: z
    .union([z.literal(""), z.string().regex(ENDPOINT_PATTERN)])
    .default("")
    .describe(
      "Proxy for the platform, without credentials. For a proxy with credentials, set HTTPS_PROXY in extraEnv from a Secret.",
    ),
  platformNoProxy: z.array(z.string()).default([]).describe(about("platformNoProxy")),
});

const serviceMonitor = z.strictObject({
  enabled: z.boolean().default(false).describe("Creates a ServiceMonitor of the Prometheus Operator."),
  renderMode,
  interval: z.string().default("30s").describe("Scrape interval."),
  labels: labels.default({}).describe("Labels by which your Prometheus selects it."),
});

const prometheusRule = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe("Creates a PrometheusRule with the alerts of docs/runbooks. Requires metrics.enabled."),
  renderMode,
  labels: labels.default({}).describe("Labels by which your Prometheus selects it."),
  aggregationLabels: z
    .array(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/))
    .default([])
    .describe(
      "Labels that all rules keep beside namespace and job, e.g. [cluster]. Needed where one evaluator (Thanos Ruler, Mimir) sees the metrics of several clusters: without the label that tells them apart, one leader in each of two clusters looks like two leaders.",
    ),
  runbooks: z
    .string()
    .default("")
    .describe("Base URL of the runbooks, to which each alert links. Defaults to those of the chart's version."),
});

const dashboard = z.strictObject({
  enabled: z.boolean().default(false).describe("Creates a ConfigMap with the dashboard, for Grafana's sidecar."),
  labels: labels.default({ grafana_dashboard: "1" }).describe("Labels by which the sidecar selects it."),
  annotations: labels.default({}).describe("Annotations, e.g. the folder: `grafana_folder: Platform`."),
});

const metrics = z.strictObject({
  enabled: z.boolean().default(true).describe("Serves /metrics, with a Service for it."),
  port: port(8080).describe("Port of /metrics."),
  perObject: z.boolean().default(false).describe(about("metricsPerObject")),
  perNamespace: z.boolean().default(false).describe(about("metricsPerNamespace")),
  serviceMonitor: serviceMonitor.prefault({}).describe("For the Prometheus Operator."),
  prometheusRule: prometheusRule.prefault({}).describe("Alerts."),
  dashboard: dashboard.prefault({}).describe("For Grafana."),
});

const ingress = z.strictObject({
  enabled: z.boolean().default(false).describe("Creates an Ingress to the receiver."),
  className: z.string().default("").describe("Its class."),
  annotations: labels.default({}).describe("Its annotations."),
  host: z.string().default("").describe("Host that receives the platform's webhooks."),
  tlsSecretName: z
    .string()
    .default("")
    .describe("Secret with its certificate. Without TLS the webhook's secret is sent unencrypted."),
});

const webhook = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe(
      "Receives the platform's webhooks, so that changes are noticed at once instead of at the next poll. With several replicas, a delivery that reaches one without the lease gets 503 and is lost unless the platform repeats it.",
    ),
  port: port(8082).describe("Port of the receiver."),
  url: z
    .string()
    .regex(/^(https?:\/\/[^\s?#@]+)?$/)
    .default("")
    .describe(
      "URL at which the platform reaches the receiver, for PlatformWebhooks with `receiver: true`, e.g. https://hooks.example.com/platform. Defaults to https and the host of the Ingress, if that is enabled.",
    ),
  ingress: ingress.prefault({}).describe("Ingress to the receiver."),
});

const statusPage = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe("Serves the read-only status page on the pod's loopback address, for `kubectl port-forward`."),
  port: port(8083).describe("Port of the page."),
  consoleLinks: labels
    .default({})
    .describe(
      "Links to the platform's console by kind, with {organizationId}, {parentId} and {id}, e.g. PlatformApplication: https://console.example.com/environments/{parentId}/applications/{id}.",
    ),
});

const crds = z.strictObject({
  install: z.boolean().default(true).describe("Installs and upgrades the CRDs with the chart."),
  keep: z
    .boolean()
    .default(true)
    .describe("Keeps the CRDs, and with them all custom resources, when the chart is uninstalled, also by Argo CD."),
});

const admissionPolicy = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "Installs a ValidatingAdmissionPolicy that refuses unknown values of the operator's annotations, and approvals of plans by users without the verb approve, and a policy that keeps the operator from ConfigMaps that no custom resource owns.",
    ),
});

const rbac = z.strictObject({
  create: z.boolean().default(true).describe("Creates the roles of the operator and binds them."),
  aggregate: z
    .boolean()
    .default(true)
    .describe("Lets the roles view, edit and admin of Kubernetes see and change custom resources."),
  aggregateActions: z
    .boolean()
    .default(true)
    .describe(
      "Lets the roles edit and admin also change PlatformCluster, and admin approve its plans, which can act on any cluster that the token reaches.",
    ),
  configMapOutputs: z
    .array(namespace)
    .default([])
    .describe(
      "Namespaces in which the operator may write ConfigMaps, for the content of catalogs. If empty, every namespace with the admission policy, unless watchNamespaces is set, and none without it.",
    ),
  secretOutputs: z
    .array(namespace)
    .default([])
    .describe(
      "Namespaces in which the operator may write Secrets, for writeTokenSecretToRef and writeConnectionSecretToRef.",
    ),
});

const serviceAccount = z.strictObject({
  create: z.boolean().default(true).describe("Creates the ServiceAccount."),
  name: z.string().default("").describe("Its name; defaults to that of the release's objects."),
  annotations: labels.default({}).describe("Its annotations."),
});

const networkPolicy = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe("Denies traffic that the operator does not need. Requires a network plugin that enforces it."),
  metricsFrom: list.describe("Peers of an ingress rule that may scrape; everybody in the cluster if empty."),
  webhookFrom: list.describe("Peers of an ingress rule that may send webhooks; everybody if empty."),
  dnsPorts: z
    .array(z.int().min(1).max(65_535))
    .min(1)
    .default([53, 5353])
    .describe("Ports at which the pods of the cluster's DNS listen: 53, on OpenShift 5353."),
  apiServerCidrs: z.array(cidr).min(1).default(["0.0.0.0/0", "::/0"]).describe("Addresses of the API server."),
  apiServerPorts: z.array(z.int().min(1).max(65_535)).min(1).default([443, 6443]).describe("Its ports."),
  platformCidrs: z.array(cidr).min(1).default(["0.0.0.0/0", "::/0"]).describe("Addresses of the platform."),
  platformPorts: z.array(z.int().min(1).max(65_535)).min(1).default([443]).describe("Its ports."),
  extraEgress: list.describe("Additional egress rules. The port of operator.platformProxy needs none."),
});

const podDisruptionBudget = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe("Keeps minAvailable replicas during a drain. Created only with more than one replica."),
  minAvailable: z.int().min(1).default(1).describe("Replicas to keep."),
});

/** Pod Security "restricted" (Kubernetes: "Pod Security Standards"). */
const podSecurityContext = {
  runAsNonRoot: true,
  runAsUser: 65_532,
  runAsGroup: 65_532,
  fsGroup: 65_532,
  seccompProfile: { type: "RuntimeDefault" },
};
const securityContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};
const resources = {
  requests: { cpu: "50m", memory: "192Mi", "ephemeral-storage": "16Mi" },
  limits: { cpu: "1", memory: "512Mi", "ephemeral-storage": "64Mi" },
};

const name = z.string().regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$/);

export const Values = z.strictObject({
  enabled: z.boolean().default(true).describe("Condition for charts that depend on this one; not used by this chart."),
  global: z
    .looseObject({ imageRegistry: z.string().default("").describe("Registry of all images.") })
    .prefault({})
    .describe("Shared with other charts of the same release."),
  nameOverride: name.default("").describe("Name of the chart in names and labels."),
  fullnameOverride: name.default("").describe("Name of the objects."),
  commonLabels: labels.default({}).describe("Labels of every object."),
  commonAnnotations: labels.default({}).describe("Annotations of every object."),
  image: image.prefault({}).describe("The operator's image."),
  imagePullSecrets: list.describe("Secrets to pull the image with: `- name: …`."),
  replicas: z.int().min(0).max(9).default(1).describe("Replicas; one is active, the others are on standby."),
  watchNamespaces: z
    .array(namespace)
    .default([])
    .describe("Namespaces to watch, with a Role in each; all if empty, with a ClusterRole. They must exist."),
  operator: operator.prefault({}).describe("Flags of `run`."),
  crds: crds.prefault({}).describe("CustomResourceDefinitions."),
  admissionPolicy: admissionPolicy.prefault({}).describe("ValidatingAdmissionPolicies."),
  rbac: rbac.prefault({}).describe("Rights."),
  serviceAccount: serviceAccount.prefault({}).describe("The operator's identity."),
  metrics: metrics.prefault({}).describe("Metrics, alerts and the dashboard."),
  webhook: webhook.prefault({}).describe("Receiver of the platform's webhooks."),
  statusPage: statusPage.prefault({}).describe("The read-only status page."),
  networkPolicy: networkPolicy.prefault({}).describe("NetworkPolicy."),
  podDisruptionBudget: podDisruptionBudget.prefault({}).describe("PodDisruptionBudget."),
  podSecurityContext: members.default(podSecurityContext).describe("Security of the pod."),
  securityContext: members.default(securityContext).describe("Security of the container."),
  resources: members.default(resources).describe("Requests and limits."),
  podLabels: labels.default({}).describe("Additional labels of the pod, and of the pod of `helm test`."),
  podAnnotations: labels.default({}).describe("Annotations of the pod, and of the pod of `helm test`."),
  nodeSelector: labels.default({}).describe("Nodes to run on."),
  tolerations: list.describe("Taints to tolerate."),
  affinity: members.default({}).describe("Affinity; if empty, replicas prefer different nodes."),
  topologySpreadConstraints: list.describe("Topology spread; if empty, replicas prefer different zones."),
  priorityClassName: z.string().default("").describe("Priority class."),
  terminationGracePeriodSeconds: z.int().min(10).default(30).describe("Time to finish requests that are in progress."),
  strategy: members
    .default({ type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })
    .describe("Update strategy of the Deployment."),
  livenessProbe: members
    .default({ initialDelaySeconds: 10, periodSeconds: 20, timeoutSeconds: 5 })
    .describe("Times and thresholds of the liveness probe."),
  readinessProbe: members
    .default({ periodSeconds: 5, timeoutSeconds: 5 })
    .describe("Times and thresholds of the readiness probe."),
  hostAliases: list.describe("Entries of the pod's hosts file."),
  dnsConfig: members.default({}).describe("DNS settings of the pod, in addition to the cluster's."),
  initContainers: list.describe("Containers that run before the operator."),
  extraContainers: list.describe("Containers that run beside the operator, e.g. a proxy."),
  extraArgs: z.array(z.string()).default([]).describe("Additional arguments of `run`."),
  extraEnv: list.describe(
    "Additional environment variables, e.g. NODE_EXTRA_CA_CERTS for a platform with a private CA.",
  ),
  extraVolumes: list.describe("Additional volumes."),
  extraVolumeMounts: list.describe("Mounts of these volumes."),
  extraObjects: list.describe("Additional objects of the release; strings in them are templates."),
});
export type Values = z.infer<typeof Values>;
