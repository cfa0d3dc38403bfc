/** Each static check with something wrong in the chart's output, without which it could find nothing at all. */
import { beforeAll, describe, expect, it } from "vitest";
import { Document } from "yaml";

import { openHelm, render, Rendered } from "./helm.ts";
import { findingsIn } from "./static-checks.ts";
import { VARIANTS } from "./variants.ts";

type Path = readonly (string | number)[];
const POD: Path = ["spec", "template", "spec"];
const ENV: Path = [...POD, "containers", 0, "env", 0];
const RULE: Path = ["rules", 0];
const rule = (apiGroup: string, resource: string, verb: string) => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs: [verb],
});
const REFERENCE = { name: "WORD", valueFrom: { secretKeyRef: { name: "words", key: "word" } } };
const INSTANCE = { "app.kubernetes.io/instance": "platform-operator" };
const EVERYBODY = { kind: "Group", name: "system:authenticated" };

/** A wrong value in the first object of a kind. */
const WRONG: readonly (readonly [check: string, kind: string, Path, value: unknown])[] = [
  ["env-var-secret", "Deployment", ENV, { name: "API_TOKEN", value: "word" }],
  ["env-var-secret", "Deployment", ENV, REFERENCE],
  ["env-var-secret", "Deployment", [...POD, "containers", 0, "envFrom"], [{ secretRef: { name: "words" } }]],
  ["sensitive-configmap-content", "ConfigMap", ["data", "password"], "word"],
  ["sensitive-configmap-content", "ConfigMap", ["data", "a"], "-----BEGIN EC PRIVATE KEY-----"],
  ["sensitive-configmap-content", "ConfigMap", ["kind"], "Secret"],
  ["mismatching-selector", "Deployment", ["spec", "selector", "matchLabels", "tier"], "a"],
  ["mismatching-selector", "Service", ["spec", "selector", "tier"], "a"],
  ["mismatching-selector", "PodDisruptionBudget", ["metadata", "namespace"], "a"],
  ["stray-pods", "Service", ["spec", "selector"], INSTANCE],
  ["non-isolated-pod", "NetworkPolicy", ["spec", "podSelector", "matchExpressions", 0, "values"], ["a"]],
  ["dangling-service", "Service", ["spec", "ports", 0, "targetPort"], "https"],
  ["dangling-servicemonitor", "ServiceMonitor", ["spec", "endpoints", 0, "port"], "https"],
  ["dangling-servicemonitor", "ServiceMonitor", ["spec", "selector", "matchLabels", "tier"], "a"],
  ["exposed-services", "Service", ["spec", "type"], "NodePort"],
  ["non-existent-service-account", "ServiceAccount", ["metadata", "namespace"], "a"],
  ["automountServiceAccountToken", "Deployment", [...POD, "automountServiceAccountToken"], true],
  ["automountServiceAccountToken", "ServiceAccount", ["automountServiceAccountToken"], true],
  ["bound-to-others", "ClusterRoleBinding", ["subjects", 0], EVERYBODY],
  ["dangling-role-binding", "ClusterRoleBinding", ["roleRef", "name"], "cluster-admin"],
  ["dangling-role-binding", "RoleBinding", ["roleRef", "name"], "a"],
  ["rights-to-more", "ClusterRole", RULE, rule("", "configmaps", "*")],
  ["rights-to-more", "ClusterRole", RULE, rule("", "pods/exec", "create")],
  ["rights-to-more", "Role", RULE, rule("apps", "deployments", "patch")],
  ["access-to-secrets", "ClusterRole", RULE, rule("", "secrets", "list")],
];

describe("a static check", () => {
  let all: readonly Rendered[];
  let before: ReadonlySet<string>;
  beforeAll(async () => {
    const { monitoring, "the receiver behind an ingress": receiver } = VARIANTS;
    all = await render(await openHelm(), {
      ...receiver,
      ...monitoring,
      replicas: 2,
      networkPolicy: { enabled: true },
    });
    before = new Set(findingsIn(all));
  });

  it.for(WRONG)("%s finds a wrong %s, at %j", ([check, kind, path, value]) => {
    const at = all.findIndex((one) => one.kind === kind);
    const changed = all.map((one, index) => (index === at ? withValueAt(one, path, value) : one));
    const added = findingsIn(changed).filter((finding) => !before.has(finding));
    expect(added).toContainEqual(expect.stringMatching(new RegExp(`^${check}: `)));
  });
});

/** @returns a manifest with another value at a path */
function withValueAt(manifest: Rendered, path: Path, value: unknown): Rendered {
  const document = new Document(manifest);
  document.setIn(path, value);
  return Rendered.parse(document.toJS());
}
