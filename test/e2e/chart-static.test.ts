/** Each of static-checks.ts finds something wrong in the chart's output. */
import { beforeAll, describe, expect, it } from "vitest";
import { Document } from "yaml";

import { openHelm, render, Rendered } from "./helm.ts";
import { type Check, CHECKS } from "./static-checks.ts";
import { VARIANTS } from "./variants.ts";

/** A wrong value in the first object of a kind, at a path, and what the check finds; by default that object. */
type Wrong = readonly [kind: string, path: string, value: unknown, ...found: readonly string[]];

const POD = "spec.template.spec";
const CONTAINER = `${POD}.containers.0`;
const INSTANCE = { "app.kubernetes.io/instance": "platform-operator" };
const ISOLATED = "spec.podSelector.matchExpressions.0.values";
const ACCOUNTS = ["Deployment platform-operator: platform-operator", "Pod platform-operator-test: platform-operator"];
const fromSecret = { secretKeyRef: { name: "words", key: "word" } };
const rule = (apiGroup: string, resource: string, verb: string): object => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs: [verb],
});

const WRONGS: Readonly<Record<keyof typeof CHECKS, readonly Wrong[]>> = {
  "env-var-secret": [
    ["Deployment", `${CONTAINER}.env.0`, { name: "API_TOKEN", value: "word" }, "operator: API_TOKEN"],
    ["Deployment", `${CONTAINER}.env.0`, { name: "WORD", valueFrom: fromSecret }, "operator: WORD"],
    ["Deployment", `${CONTAINER}.envFrom`, [{ secretRef: { name: "words" } }], "operator: envFrom"],
  ],
  "sensitive-configmap-content": [
    ["ConfigMap", "data.password", "word"],
    ["ConfigMap", "data.a", "-----BEGIN EC PRIVATE KEY-----"],
    ["ConfigMap", "kind", "Secret", "Secret platform-operator-dashboard"],
  ],
  "mismatching-selector": [
    ["Deployment", "spec.selector.matchLabels.tier", "a"],
    ["Service", "spec.selector.tier", "a"],
    ["PodDisruptionBudget", "metadata.namespace", "a"],
  ],
  "stray-pods": [["Service", "spec.selector", INSTANCE, "-metrics: Pod "]],
  "non-isolated-pod": [
    ["NetworkPolicy", ISOLATED, ["a"], "Deployment platform-operator", "Pod platform-operator-test"],
  ],
  "dangling-service": [["Service", "spec.ports.0.targetPort", "https", "platform-operator-metrics: metrics"]],
  "dangling-servicemonitor": [
    ["ServiceMonitor", "spec.endpoints.0.port", "https"],
    ["ServiceMonitor", "spec.selector.matchLabels.tier", "a"],
  ],
  "exposed-services": [["Service", "spec.type", "LoadBalancer"]],
  "non-existent-service-account": [["ServiceAccount", "metadata.namespace", "a", ...ACCOUNTS]],
  automountServiceAccountToken: [
    ["Deployment", `${POD}.automountServiceAccountToken`, true],
    ["ServiceAccount", "automountServiceAccountToken", true],
  ],
  "bound-to-others": [
    ["ClusterRoleBinding", "subjects.0", { kind: "Group", name: "system:authenticated" }, "Group system:authenticated"],
  ],
  "dangling-role-binding": [["RoleBinding", "roleRef.name", "a"]],
  "rights-to-more": [
    ["ClusterRole", "rules.0", rule("", "*", "get"), "get *"],
    ["ClusterRole", "rules.0", rule("", "configmaps", "*"), "* configmaps"],
    ["ClusterRole", "rules.0", rule("", "pods/exec", "create"), "create pods/exec"],
    ["ClusterRole", "rules.0", rule("", "pods", "create"), "create pods"],
    ["ClusterRole", "rules.0", rule("", "users", "impersonate"), "impersonate users"],
    ["Role", "rules.0", rule("*", "leases", "get"), "get leases"],
    ["Role", "rules.0", rule("apps", "deployments", "patch"), "patch deployments"],
  ],
  "access-to-secrets": [["ClusterRole", "rules.0", rule("", "secrets", "list"), "list"]],
};

const wrongs = Object.entries(WRONGS).flatMap(([name, all]) => all.map((wrong) => [name, ...wrong] as const));

describe("each static check", () => {
  let all: readonly Rendered[];
  beforeAll(async () => {
    const values = { ...VARIANTS["monitoring"], replicas: 2, networkPolicy: { enabled: true } };
    all = await render(await openHelm(), values);
  });

  it.for(wrongs)("%s: in a %s at %s", ([name, kind, path, value, ...found]) => {
    const check: Check = Object.entries<Check>(CHECKS).find(([one]) => one === name)?.[1] ?? (() => []);
    const before = new Set(check(all));
    const at = all.findIndex((one) => one.kind === kind);
    const now = check(all.map((one, index) => (index === at ? withValueAt(one, path, value) : one)));
    const wanted = found.length > 0 ? found : [`${kind} ${all[at]?.metadata.name}`];
    const added = now.filter((finding) => !before.has(finding));
    expect(added).toEqual(wanted.map((text): unknown => expect.stringContaining(text)));
  });
});

/** @returns a manifest with another value at a path */
function withValueAt(manifest: Rendered, path: string, value: unknown): Rendered {
  const document = new Document(manifest);
  document.setIn(path.split("."), value);
  return Rendered.parse(document.toJS());
}
