import { cluster as leaves } from "../hostile/generated/kinds/clusters.ts";
import { resource } from "../support/kube/manifests.ts";
import { ALWAYS_STOPPED, type Fields, ID, NIGHTS, NOWHERE, type Sample } from "./sample.ts";

const KIND = "PlatformCluster";
const tokenTo = (members: Fields): Fields => ({ writeTokenSecretToRef: { name: "edge", ...members } });
const SERVER = { server: "https://[::1]:6443/k8s", caBundle: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==" };

/** The good one is the platform's second cluster, which no other sample uses. */
export const clusterSample: Sample = {
  smallest: { externalId: ID },
  accepted: [
    ["a version", { kubernetesVersion: "1.34", runState: "Stopped", lifecycle: { deletionPolicy: "Stop" } }],
    ["a schedule", { runSchedule: NIGHTS }],
    ["a token", tokenTo({ readOnly: false })],
    ["a kubeconfig", tokenTo(SERVER)],
  ],
  refused: [
    ["no id", { externalId: undefined }, /externalId: Required/],
    ["a schedule of what is always stopped", { runState: "Stopped", runSchedule: NIGHTS }, ALWAYS_STOPPED],
    ["a whole version", { kubernetesVersion: "1.34.2" }, /kubernetesVersion.*should match/],
    ["a server alone", tokenTo({ server: SERVER.server }), /server and caBundle must be set together/],
    ["a server without TLS", tokenTo({ ...SERVER, server: "http://a" }), /server.*should match/],
    ["PEM as it is", tokenTo({ ...SERVER, caBundle: "-----BEGIN" }), /caBundle.*should match/],
    ["deletion policy Delete", { lifecycle: { deletionPolicy: "Delete" } }, /deletionPolicy: Unsupported value/],
  ],
  rules: 15,
  good: ({ env, name, spec }) =>
    resource(KIND, name, {
      externalId: env.platform.clusterIds[1] ?? "",
      runState: "Stopped",
      lifecycle: { applyPolicy: "Automatic" },
      ...spec,
    }),
  hostile: ({ name }) => resource(KIND, name, { externalId: NOWHERE, runState: "Stopped" }),
  writes: ["stopCluster"],
  change: () => ({ runState: "Running" }),
  changes: ["deployCluster"],
  leaves,
};
