/** Variants of the chart's values: together they set each value. */
import type { JsonObject } from "../../src/kube/api/types.ts";
import type { Overrides } from "./helm.ts";

const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;
/** A container that Pod Security "restricted" and kube-score accept. */
const container = (name: string): JsonObject => ({
  name,
  image: `registry.example.com/${name}:1.0.0`,
  imagePullPolicy: "Always",
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsUser: 65_532,
    runAsGroup: 65_532,
    capabilities: { drop: ["ALL"] },
  },
  resources: {
    requests: { cpu: "10m", memory: "16Mi", "ephemeral-storage": "16Mi" },
    limits: { cpu: "1", memory: "64Mi", "ephemeral-storage": "64Mi" },
  },
});
const selector = { matchLabels: { "app.kubernetes.io/name": "platform-operator" } };

/** The variants by their purpose. */
export const VARIANTS: Readonly<Record<string, Overrides>> = {
  defaults: {},
  "high availability, with an image by digest from a mirror": {
    global: { imageRegistry: "registry.example.com" },
    image: { repository: "mirror/platform-operator", digest: DIGEST, pullPolicy: "Always" },
    imagePullSecrets: [{ name: "registry" }],
    replicas: 3,
    podDisruptionBudget: { minAvailable: 2 },
    priorityClassName: "system-cluster-critical",
    nodeSelector: { "kubernetes.io/os": "linux" },
    tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "kubernetes.io/hostname", labelSelector: selector },
        ],
      },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 2,
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: selector,
      },
    ],
    terminationGracePeriodSeconds: 60,
  },
  "another name, with an image of another version": {
    fullnameOverride: "deployer",
    image: { registry: "registry.example.com", tag: "0.0.9" },
  },
  "the receiver behind an ingress": {
    webhook: {
      enabled: true,
      port: 9443,
      url: "https://deliveries.example.com/platform",
      ingress: {
        enabled: true,
        className: "nginx",
        annotations: { "cert-manager.io/cluster-issuer": "public" },
        host: "deliveries.example.com",
        tlsSecretName: "deliveries-tls",
      },
    },
  },
  monitoring: {
    metrics: {
      port: 9090,
      perObject: true,
      perNamespace: true,
      serviceMonitor: { enabled: true, renderMode: "alwaysRender", interval: "10s", labels: { release: "prometheus" } },
      prometheusRule: {
        enabled: true,
        renderMode: "alwaysRender",
        labels: { release: "prometheus" },
        aggregationLabels: ["cluster"],
        runbooks: "https://runbooks.example.com/platform/",
      },
      dashboard: { enabled: true, labels: { dashboards: "1" }, annotations: { grafana_folder: "Platform" } },
    },
  },
  "some namespaces": {
    watchNamespaces: ["shop", "warehouse"],
    rbac: { configMapOutputs: ["warehouse"], secretOutputs: ["shop"] },
  },
  "its own and the default namespace": { watchNamespaces: ["platform-operator", "default"] },
  "behind a network policy": {
    webhook: { enabled: true },
    networkPolicy: {
      enabled: true,
      metricsFrom: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
      webhookFrom: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress" } } }],
      dnsPorts: [53],
      apiServerCidrs: ["10.0.0.1/32"],
      apiServerPorts: [6443],
      platformCidrs: ["192.0.2.0/24"],
      platformPorts: [8443],
    },
  },
  "names and labels, and neither a status page nor a disruption budget": {
    replicas: 2,
    podDisruptionBudget: { enabled: false },
    statusPage: { enabled: false },
    nameOverride: "deployer",
    commonLabels: { team: "platform" },
    commonAnnotations: { owner: "platform@example.com" },
    podLabels: { tier: "control" },
    podAnnotations: { "example.com/inject": "false" },
    serviceAccount: { name: "deployer", annotations: { "example.com/role": "deployer" } },
  },
  "rights and identity from elsewhere": {
    rbac: { create: false },
    serviceAccount: { create: false, name: "somebody" },
  },
  "neither CRDs nor roles for users": {
    crds: { install: false },
    admissionPolicy: { enabled: false },
    rbac: { aggregate: false },
  },
  "CRDs that are removed with the release, and no actions on clusters for users": {
    crds: { keep: false },
    rbac: { aggregateActions: false },
  },
  "other settings of the operator": {
    operator: {
      logLevel: "debug",
      workers: 20,
      allowedPlatformHosts: ["*.example.com", "192.0.2.0/24", "2001:db8::/32"],
      allowInsecurePlatform: true,
    },
    metrics: { enabled: false },
    extraArgs: ["--log-level=warn"],
    extraEnv: [{ name: "NODE_EXTRA_CA_CERTS", value: "/etc/ca/ca.crt" }],
    extraVolumes: [{ name: "ca", configMap: { name: "ca" } }],
    extraVolumeMounts: [{ name: "ca", mountPath: "/etc/ca", readOnly: true }],
  },
  "a network policy, and the status page elsewhere": {
    statusPage: {
      port: 9083,
      consoleLinks: { PlatformProject: "https://console.example.com/{id}", PlatformCluster: "https://c.example/{id}" },
    },
    networkPolicy: {
      enabled: true,
      extraEgress: [{ to: [{ ipBlock: { cidr: "192.0.2.53/32" } }], ports: [{ port: 8053 }] }],
    },
  },
  "in a company's network": {
    operator: { platformProxy: "http://proxy.example.com:3128", platformNoProxy: ["example.org", "10.0.0.0/8"] },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    livenessProbe: { failureThreshold: 5 },
    readinessProbe: { failureThreshold: 5 },
    hostAliases: [{ ip: "192.0.2.7", hostnames: ["api.example.com"] }],
    dnsConfig: { options: [{ name: "ndots", value: "1" }] },
    networkPolicy: { enabled: true },
    initContainers: [container("wait")],
    extraContainers: [container("egress")],
  },
  "security, resources and an extra object": {
    podSecurityContext: { fsGroup: 20_000 },
    securityContext: { runAsUser: 20_000 },
    resources: { limits: { memory: "1Gi" } },
    extraObjects: [
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "{{ .Release.Name }}-extra" },
        data: { namespace: "{{ .Release.Namespace }}" },
      },
    ],
  },
};

/** @returns the paths of the values that are set, e.g. "image.tag". @param known all values by path */
export function pathsOf(values: Overrides, known: ReadonlyMap<string, unknown>, prefix = ""): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    return known.has(path) ? [path] : pathsOf(Object.fromEntries(Object.entries(value ?? {})), known, `${path}.`);
  });
}

/** @returns the values without the one at a path */
export function without(values: Overrides, path: string): Overrides {
  const [first = "", ...rest] = path.split(".");
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
      if (name !== first) return [[name, value]];
      if (rest.length === 0) return [];
      return [[name, without(Object.fromEntries(Object.entries(value ?? {})), rest.join("."))]];
    }),
  );
}
