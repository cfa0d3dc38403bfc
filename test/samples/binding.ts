import { binding as leaves } from "../hostile/generated/kinds/clusters.ts";
import { resource } from "../support/kube/manifests.ts";
import { type Fields, ID, NOWHERE, type Sample } from "./sample.ts";

const KIND = "PlatformBinding";
const secretKeyRef = { name: "s", key: "k" };
const field = (value: Fields): Fields => ({ managedConfig: { prometheus: { retention: value } } });

/** The good one binds the platform's first cluster. */
export const bindingSample: Sample = {
  smallest: { clusterRef: { externalId: ID }, template: { key: "base", version: "1.0.0" } },
  accepted: [
    ["a cluster by name", { clusterRef: { name: "edge" } }],
    ["a number", field({ value: 15 })],
    ["a fraction", field({ value: 1.5 })],
    ["a boolean", field({ value: false })],
    ["a field from a ConfigMap", field({ valueFrom: { configMapKeyRef: secretKeyRef } })],
    ["mode and provider", { cluster: { mode: "CUSTOMER_MANAGED", provider: "AWS" } }],
  ],
  refused: [
    ["half a cluster", { cluster: { mode: "CUSTOMER_MANAGED" } }, /cluster.provider: Required/],
    ["a field without value", field({}), /at least 1 properties/],
    ["a field twice", field({ value: 1, valueFrom: { secretKeyRef } }), /must have at most 1 item/],
    [
      "an input twice",
      { customerProvidedInputs: { a: { b: { value: "", valueFrom: { secretKeyRef } } } } },
      /exactly one of value and valueFrom must be set/,
    ],
  ],
  rules: 19,
  good: ({ env, name, spec }) =>
    resource(KIND, name, {
      clusterRef: { externalId: env.platform.clusterIds[0] ?? "" },
      template: { key: "kubernetes-essentials", version: "1.2.0" },
      managedConfig: { ingress: { domain: { value: `${name}.example.com` } } },
      ...spec,
    }),
  hostile: ({ name }) =>
    resource(KIND, name, {
      clusterRef: { externalId: NOWHERE },
      template: { key: "constructor", version: "0" },
      managedConfig: { constructor: { prototype: { value: "polluted" } } },
    }),
  writes: ["updateClusterPlatformBinding"],
  change: () => ({ managedConfig: { ingress: { domain: { value: "changed.example.com" } } } }),
  changes: ["updateClusterPlatformBinding"],
  leaves,
};
