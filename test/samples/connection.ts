import { clusterConnection, connection as leaves } from "../hostile/generated/kinds/others.ts";
import { connection } from "../support/kube/manifests.ts";
import { certificate } from "../support/kube/tls.ts";
import { ID, type Sample } from "./sample.ts";

const smallest = {
  baseUrl: "https://platform.example.com",
  organizationId: ID,
  auth: { tokenSecretRef: { name: "token" } },
};

export const connectionSample: Sample = {
  smallest,
  accepted: [
    ["an address with a port", { baseUrl: "http://127.0.0.1:8443/" }],
    ["an IPv6 address", { baseUrl: "https://[::1]:8443" }],
    ["a path prefix", { pathPrefix: "/api/v1" }],
    ["an empty path prefix", { pathPrefix: "" }],
    ["Secrets by label", { allowedSecrets: { matchLabels: { "example.com/for": "platform" } } }],
    ["a proxy", { proxy: { url: "http://proxy.example.com:3128", secretRef: { name: "proxy" } } }],
    ["certificates", { caBundle: { pem: certificate } }],
    ["certificates in a ConfigMap", { caBundle: { configMapKeyRef: { name: "ca" } } }],
  ],
  refused: [
    ["an address with a path", { baseUrl: "https://a.example/b" }, /a path belongs into pathPrefix/],
    ["an address with a user", { baseUrl: "https://u:p@a.example" }, /baseUrl.*should match/],
    ["another scheme", { baseUrl: "file:///etc/passwd" }, /baseUrl.*should match/],
    ["a climbing path prefix", { pathPrefix: "/../admin" }, /pathPrefix.*should match/],
    ["a proxy with credentials", { proxy: { url: "http://u:p@proxy" } }, /proxy.url.*should match/],
    ["a proxy of another sort", { proxy: { url: "socks5://proxy" } }, /proxy.url.*should match/],
    [
      "a label that is none",
      { allowedSecrets: { matchLabels: { for: "a\nb" } } },
      /allowedSecrets.matchLabels.for.*should match/,
    ],
    ["certificates that are none", { caBundle: { pem: "MIIB" } }, /caBundle.pem.*must have certificates in PEM/],
    [
      "certificates twice",
      { caBundle: { pem: certificate, configMapKeyRef: { name: "ca" } } },
      /exactly one of pem and configMapKeyRef must be set/,
    ],
    ["no organization", { organizationId: undefined }, /organizationId: Required/],
    ["an upper-case id", { organizationId: ID.toUpperCase() }, /must be a lower-case UUID/],
  ],
  rules: 18,
  good: ({ env, name, spec }) => connection(env, name, { auth: { tokenSecretRef: { name: "default" } }, ...spec }),
  hostile: ({ env, name }) => connection(env, name, { baseUrl: "http://169.254.169.254" }),
  writes: [],
  leaves,
};

/** The caller selects the Secret by `auth` in the spec. */
export const clusterConnectionSample: Sample = {
  smallest,
  accepted: [
    ["namespaces by label", { allowedNamespaces: { selector: { matchLabels: { "a.example/b": "c" } } } }],
    ["namespaces of some projects", { allowedNamespaces: { limited: [{ names: ["a"], allowedProjects: [ID] }] } }],
  ],
  refused: [],
  rules: 23,
  good: (place) => ({ ...connectionSample.good(place), kind: "ClusterPlatformConnection" }),
  hostile: (place) => ({ ...connectionSample.hostile(place), kind: "ClusterPlatformConnection" }),
  writes: [],
  leaves: clusterConnection,
};
