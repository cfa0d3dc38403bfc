/** The chart's output with the checks of static-checks.ts, and each check with something wrong. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";
import { Document } from "yaml";

import { type Helm, manifestsIn, openHelm, render, Rendered } from "./helm.ts";
import { type Check, CHECKS } from "./static-checks.ts";
import { VARIANTS } from "./variants.ts";

/** Accepted findings of every variant with roles, with their reasons. */
const ACCEPTED: Readonly<Record<string, string>> = {
  "access-to-secrets: get":
    "the tokens of connections and the values that specs refer to; only by name, without list and watch (src/operator/config/rbac.ts)",
};
/** Further accepted findings by variant, with their reasons. */
const ACCEPTED_IN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "some namespaces": {
    "access-to-secrets: create": "rbac.secretOutputs names a namespace in which the operator writes tokens",
    "access-to-secrets: patch": "the same",
  },
  "rights and identity from elsewhere": {
    "non-existent-service-account: Deployment platform-operator: somebody": "serviceAccount.create is false",
    "non-existent-service-account: Pod platform-operator-test: somebody": "the same",
  },
};

const variants = Object.entries(VARIANTS).map(([name, values]) => ({ name, values }));
const checks = Object.entries<Check>(CHECKS);
const findingsIn = (all: readonly Rendered[]): readonly string[] =>
  checks.flatMap(([name, check]) => check(all).map((finding) => `${name}: ${finding}`));

let helm: Helm;
beforeAll(async () => {
  helm = await openHelm();
});

describe("the static checks find nothing without an accepted reason", () => {
  it.each(variants)("$name", async ({ name, values }) => {
    const all = await render(helm, values);
    const general = all.some(({ kind }) => kind === "ClusterRole") ? Object.keys(ACCEPTED) : [];
    expect(new Set(findingsIn(all))).toEqual(new Set([...general, ...Object.keys(ACCEPTED_IN[name] ?? {})]));
  });

  it("in deploy/install.yaml", async () => {
    const text = await readFile(join(import.meta.dirname, "../../deploy/install.yaml"), "utf8");
    expect(findingsIn(manifestsIn(text))).toEqual(Object.keys(ACCEPTED));
  });
});

type Path = readonly (string | number)[];
const POD: Path = ["spec", "template", "spec"];
const CONTAINER: Path = [...POD, "containers", 0];
const EXTRA_RULE: Path = ["rules", 0];
const ruleOf = (apiGroup: string, resource: string, verb: string): object => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs: [verb],
});

/** A wrong value in one object, by its kind, and the findings of the check; by default it finds that object. */
const wrongs: readonly (readonly [keyof typeof CHECKS, kind: string, Path, unknown, found?: readonly string[]])[] = [
  [
    "env-var-secret",
    "Deployment",
    [...CONTAINER, "env", 0],
    { name: "API_TOKEN", value: "word" },
    ["operator: API_TOKEN"],
  ],
  [
    "env-var-secret",
    "Deployment",
    [...CONTAINER, "env", 0],
    { name: "WORD", valueFrom: { secretKeyRef: { name: "words", key: "word" } } },
    ["operator: WORD"],
  ],
  [
    "env-var-secret",
    "Deployment",
    [...CONTAINER, "envFrom"],
    [{ secretRef: { name: "words" } }],
    ["operator: envFrom"],
  ],
  ["sensitive-configmap-content", "ConfigMap", ["data", "password"], "word", ["dashboard: password"]],
  ["sensitive-configmap-content", "ConfigMap", ["data", "a"], "-----BEGIN EC PRIVATE KEY-----", ["dashboard: a"]],
  ["sensitive-configmap-content", "ConfigMap", ["kind"], "Secret", ["Secret platform-operator-dashboard"]],
  ["mismatching-selector", "Deployment", ["spec", "selector", "matchLabels", "tier"], "a"],
  ["mismatching-selector", "Service", ["spec", "selector", "tier"], "a"],
  ["mismatching-selector", "PodDisruptionBudget", ["metadata", "namespace"], "a"],
  [
    "stray-pods",
    "Service",
    ["spec", "selector"],
    { "app.kubernetes.io/instance": "platform-operator" },
    ["-metrics: Pod "],
  ],
  [
    "non-isolated-pod",
    "NetworkPolicy",
    ["spec", "podSelector", "matchExpressions", 0, "values"],
    ["a"],
    ["Deployment platform-operator", "Pod platform-operator-test"],
  ],
  ["dangling-service", "Service", ["spec", "ports", 0, "targetPort"], "https", ["platform-operator-metrics: metrics"]],
  ["dangling-servicemonitor", "ServiceMonitor", ["spec", "endpoints", 0, "port"], "https"],
  ["dangling-servicemonitor", "ServiceMonitor", ["spec", "selector", "matchLabels", "tier"], "a"],
  [
    "dangling-ingress",
    "Ingress",
    ["spec", "rules", 0, "http", "paths", 0, "backend", "service", "name"],
    "a",
    ["Ingress platform"],
  ],
  ["exposed-services", "Service", ["spec", "type"], "NodePort"],
  ["ssh-port", "Service", ["spec", "ports", 0, "port"], 22],
  ["privileged-ports", "Deployment", [...CONTAINER, "ports", 0, "containerPort"], 80, ["operator: 80"]],
  ["privileged-ports", "Deployment", [...CONTAINER, "ports", 0, "hostPort"], 8081, ["operator: 8081"]],
  [
    "non-existent-service-account",
    "ServiceAccount",
    ["metadata", "namespace"],
    "a",
    ["Deployment platform-operator: platform-operator", "Pod platform-operator-test: platform-operator"],
  ],
  ["default-service-account", "Deployment", [...POD, "serviceAccountName"], "default"],
  ["automountServiceAccountToken", "Deployment", [...POD, "automountServiceAccountToken"], true],
  ["automountServiceAccountToken", "ServiceAccount", ["automountServiceAccountToken"], true],
  ["host-network, host-pid, host-ipc", "Deployment", [...POD, "hostNetwork"], true],
  ["host-network, host-pid, host-ipc", "Deployment", [...POD, "hostPID"], true],
  ["host-network, host-pid, host-ipc", "Pod", ["spec", "hostIPC"], true],
  [
    "docker-sock, sensitive-host-mounts",
    "Deployment",
    [...POD, "volumes", 0],
    { name: "sock", hostPath: { path: "/run" } },
    ["operator: sock"],
  ],
  [
    "unsafe-sysctls",
    "Deployment",
    [...POD, "securityContext", "sysctls"],
    [{ name: "kernel.shm_rmid_forced", value: "0" }],
    ["Deployment"],
  ],
  ["latest-tag", "Deployment", [...CONTAINER, "image"], "registry.example.com:5000/operator", ["operator: registry"]],
  ["latest-tag", "Pod", ["spec", "containers", 0, "image"], "operator:latest", ["check: operator:latest"]],
  ["cluster-admin-role-binding", "ClusterRoleBinding", ["roleRef", "name"], "cluster-admin"],
  [
    "bound-to-others",
    "ClusterRoleBinding",
    ["subjects", 0],
    { kind: "Group", name: "system:authenticated" },
    ["Group system:authenticated"],
  ],
  ["dangling-role-binding", "RoleBinding", ["roleRef", "name"], "a"],
  ["wildcard-in-rules", "ClusterRole", EXTRA_RULE, ruleOf("", "*", "get")],
  ["wildcard-in-rules", "ClusterRole", EXTRA_RULE, ruleOf("", "configmaps", "*")],
  ["wildcard-in-rules", "Role", EXTRA_RULE, ruleOf("*", "leases", "get")],
  ["clusterrolePodExecAttach", "ClusterRole", EXTRA_RULE, ruleOf("", "pods/exec", "create"), ["pods/exec"]],
  ["privilege-escalating-verbs", "ClusterRole", EXTRA_RULE, ruleOf("", "users", "impersonate"), ["impersonate"]],
  ["access-to-create-pods", "ClusterRole", EXTRA_RULE, ruleOf("", "pods", "create")],
  ["access-to-create-pods", "Role", EXTRA_RULE, ruleOf("apps", "deployments", "patch")],
  ["access-to-secrets", "ClusterRole", EXTRA_RULE, ruleOf("", "secrets", "list"), ["list"]],
];

describe("each static check", () => {
  let all: readonly Rendered[];
  beforeAll(async () => {
    all = await render(helm, {
      ...VARIANTS["the receiver behind an ingress"],
      ...VARIANTS["monitoring"],
      replicas: 2,
      networkPolicy: { enabled: true },
    });
  });

  it("has a case with something wrong", () => {
    expect(new Set(wrongs.map(([check]) => check))).toEqual(new Set(checks.map(([name]) => name)));
  });

  it.for(wrongs)("%s: in a %s at %j", ([name, kind, path, value, expected]) => {
    const check: Check = CHECKS[name];
    const before = new Set(check(all));
    const at = all.findIndex((one) => one.kind === kind);
    const found = check(all.map((one, index) => (index === at ? withValueAt(one, path, value) : one)));
    const added = found.filter((finding) => !before.has(finding));
    const wanted = expected ?? [`${kind} ${all[at]?.metadata.name}`];
    expect(added).toEqual(wanted.map((text): unknown => expect.stringContaining(text)));
  });
});

/** @returns a manifest with another value at a path */
function withValueAt(manifest: Rendered, path: Path, value: unknown): Rendered {
  const document = new Document(manifest);
  document.setIn(path, value);
  return Rendered.parse(document.toJS());
}
