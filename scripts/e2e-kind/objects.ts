/** What `make e2e-kind` builds and applies: images, the chart's values, the simulated platform, the quickstart. */
import { realClock } from "../../simulator/base/clock.ts";
import { createSimulation } from "../../simulator/simulator.ts";
import { OPERATOR } from "../../src/config/names.ts";
import { quickstart } from "../../test/support/env/manifests.ts";
import { NODE, USER } from "../image.ts";

/** A tag that no registry has, and not "latest", which the kubelet would pull. */
const TAG = "e2e-kind";
const REGISTRY = "localhost";
export const OPERATOR_IMAGE = { repository: `${REGISTRY}/${OPERATOR}`, tag: TAG };
export const SIMULATOR_IMAGE = `${REGISTRY}/simulator:${TAG}`;
/** All images, which the nodes get from Docker. */
export const IMAGES: readonly string[] = [`${OPERATOR_IMAGE.repository}:${TAG}`, SIMULATOR_IMAGE];

const SIMULATOR = "simulator";
const PORT = 9000;
/** The name of the simulated platform's Service in the cluster's DNS. */
const HOST = `${SIMULATOR}.${SIMULATOR}.svc.cluster.local`;
const PLATFORM = {
  surface: "documented",
  adminToken: "token-of-the-test-on-kind",
  organizationId: "6d6f5a7e-0c3b-4f0e-9a57-1c2b3d4e5f60",
  seed: "e2e-kind",
} as const;

/**
 * The Dockerfile of the simulated platform, for the folder of the bundles: the operator's image with another bundle.
 * Node runs without the operator's flags, which forbid that the simulator's server generates code from its schemas.
 */
export const SIMULATOR_DOCKERFILE = `FROM ${OPERATOR_IMAGE.repository}:${TAG}
COPY --chmod=0444 simulator.js /app/simulator.js
ENTRYPOINT ["${NODE}", "/app/simulator.js"]
`;

/** The chart's values. The operator refuses addresses inside the cluster and http unless they allow them. */
export const VALUES = {
  image: { registry: REGISTRY, repository: OPERATOR, tag: TAG },
  operator: { allowInsecurePlatform: true, allowedPlatformHosts: [HOST] },
};

/** @returns the simulated platform: a namespace, a Deployment and its Service */
export function simulatorManifests(): readonly object[] {
  const metadata = { name: SIMULATOR, namespace: SIMULATOR };
  const labels = { "app.kubernetes.io/name": SIMULATOR };
  const container = {
    name: SIMULATOR,
    image: SIMULATOR_IMAGE,
    // Only Docker of this machine has it.
    imagePullPolicy: "Never",
    args: [
      "--host=0.0.0.0",
      `--port=${PORT}`,
      "--speed=60",
      `--surface=${PLATFORM.surface}`,
      `--token=${PLATFORM.adminToken}`,
      `--organization=${PLATFORM.organizationId}`,
      `--seed=${PLATFORM.seed}`,
    ],
    ports: [{ name: "http", containerPort: PORT }],
    readinessProbe: { httpGet: { path: "/openapi.json", port: "http" }, periodSeconds: 1 },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
  const podSpec = {
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: USER, seccompProfile: { type: "RuntimeDefault" } },
    containers: [container],
  };
  return [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: SIMULATOR, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: labels, ports: [{ name: "http", port: PORT, targetPort: "http" }] },
    },
  ];
}

/** @returns examples/quickstart for that platform. The same seed gives the Pod's platform the same ids. */
export function quickstartManifests(): string {
  const { clusterIds, organizationId } = createSimulation({ ...PLATFORM, clock: realClock() });
  const [clusterId = ""] = clusterIds;
  return quickstart({ baseUrl: `http://${HOST}:${PORT}`, organizationId, clusterId, token: PLATFORM.adminToken });
}
