/**
 * Static checks of manifests, with the names of kube-linter and Polaris, beyond those of kube-score (images, targets of an
 * Ingress) and Pod Security `restricted` (namespaces, paths, ports and sysctls of the host).
 */
import { z } from "zod";

import type { Rendered } from "./helm.ts";
import { bindingsIn, nameOf, podsIn, rolesIn, scrapedBy, selectingIn, selects, servedBy } from "./static-parts.ts";

/** Returns the findings, each with the object's kind and name. */
type Check = (all: readonly Rendered[]) => readonly string[];

const SECRET_NAME = /secret|passw|token|credential|api_?key|private_?key/i;
const PRIVATE = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const Data = z.record(z.string(), z.string());
/** Verbs, groups and resources that lead to the rights of others: changes of roles, and workloads of one's own. */
const MORE = new Set(["escalate", "bind", "impersonate", "apps", "batch", "pods"]);

const CHECKS: Readonly<Record<string, Check>> = {
  "env-var-secret": (all) =>
    containersIn(all).flatMap(({ what, env, envFrom }) => [
      ...env
        .filter(({ name, value, valueFrom = {} }) =>
          value === undefined ? "secretKeyRef" in valueFrom : SECRET_NAME.test(name),
        )
        .map(({ name }) => `${what}: ${name}`),
      ...envFrom.filter((source) => "secretRef" in source).map(() => `${what}: envFrom`),
    ]),
  "sensitive-configmap-content": (all) =>
    all
      .filter(({ kind }) => kind === "ConfigMap" || kind === "Secret")
      .filter(({ kind, data }) => {
        // The operator fills the Secret of the installation's key.
        const content = Object.entries(Data.parse(data ?? {}));
        return content.some(([name, text]) => kind === "Secret" || SECRET_NAME.test(name) || PRIVATE.test(text));
      })
      .map(nameOf),
  "mismatching-selector": (all) =>
    selectingIn(all)
      .filter(({ pods }) => pods.length === 0)
      .map(({ of }) => nameOf(of)),
  "stray-pods": (all) =>
    selectingIn(all)
      .filter(({ of }) => of.kind !== "NetworkPolicy")
      .flatMap(({ of, pods }) => pods.filter(({ hook }) => hook).map(({ what }) => `${nameOf(of)}: ${what}`)),
  "non-isolated-pod": (all) => {
    const policies = selectingIn(all).filter(({ of }) => of.kind === "NetworkPolicy");
    if (policies.length === 0) return [];
    const isolated = new Set(policies.flatMap(({ pods }) => pods.map(({ what }) => what)));
    return podsIn(all)
      .map(({ what }) => what)
      .filter((what) => !isolated.has(what));
  },
  "dangling-service": (all) =>
    selectingIn(all)
      .filter(({ of }) => of.kind === "Service")
      .flatMap(({ of, pods }) => {
        const ports = pods.flatMap(({ containers }) => containers).flatMap((container) => container.ports);
        const open = new Set(ports.flatMap(({ name, containerPort }) => [name, containerPort]));
        const closed = servedBy(of).ports.filter(({ targetPort }) => !open.has(targetPort));
        return closed.map(({ name }) => `${nameOf(of)}: ${name}`);
      }),
  "dangling-servicemonitor": (all) =>
    ofKind(all, "ServiceMonitor")
      .filter((monitor) => {
        const { selector, endpoints } = scrapedBy(monitor);
        const found = ofKind(all, "Service").filter(({ metadata }) => selects(selector, metadata.labels ?? {}));
        const ports = new Set(found.flatMap((service) => servedBy(service).ports.map(({ name }) => name)));
        return found.length !== 1 || !endpoints.every(({ port }) => ports.has(port));
      })
      .map(nameOf),
  "exposed-services": (all) =>
    ofKind(all, "Service")
      .filter((service) => servedBy(service).type !== "ClusterIP")
      .map(nameOf),
  "non-existent-service-account": (all) => {
    const accounts = new Set(
      ofKind(all, "ServiceAccount").map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
    );
    return podsIn(all)
      .filter(({ spec, namespace }) => !accounts.has(`${namespace}/${spec.serviceAccountName}`))
      .map(({ what, spec }) => `${what}: ${spec.serviceAccountName}`);
  },
  automountServiceAccountToken: (all) => [
    ...podsIn(all)
      .filter(({ spec }) => spec.automountServiceAccountToken)
      .map(({ what }) => what),
    ...ofKind(all, "ServiceAccount")
      .filter((account) => account["automountServiceAccountToken"] !== false)
      .map(nameOf),
  ],
  "bound-to-others": (all) => {
    const own = new Set(
      podsIn(all).map(({ namespace, spec }) => `ServiceAccount ${namespace}/${spec.serviceAccountName}`),
    );
    return bindingsIn(all).flatMap(({ of, subjects }) =>
      subjects
        .filter(({ kind, name, namespace }) => !own.has(`${kind} ${namespace}/${name}`))
        .map(({ kind, name }) => `${nameOf(of)}: ${kind} ${name}`),
    );
  },
  "dangling-role-binding": (all) =>
    bindingsIn(all)
      .filter(({ role }) => role === undefined)
      .map(({ of }) => nameOf(of)),
  "rights-to-more": (all) =>
    granted(all)
      .filter(({ groups, resource, verb }) => {
        const words = [...groups, resource, verb];
        return words.some((word) => word.includes("*") || MORE.has(word)) || /^(pods|nodes|services)\//.test(resource);
      })
      .map(({ what, resource, verb }) => `${what}: ${verb} ${resource}`),
  "access-to-secrets": (all) => {
    const verbs = bindingsIn(all).flatMap(({ role }) => (role === undefined ? [] : granted([role.of])));
    return [...new Set(verbs.filter(({ resource }) => resource === "secrets").map(({ verb }) => verb))];
  },
};

/** @returns the findings of all checks, each after the check's name */
export function findingsIn(all: readonly Rendered[]): readonly string[] {
  return Object.entries(CHECKS).flatMap(([name, check]) => check(all).map((finding) => `${name}: ${finding}`));
}

const ofKind = (all: readonly Rendered[], kind: string): readonly Rendered[] => all.filter((one) => one.kind === kind);

function containersIn(all: readonly Rendered[]) {
  return podsIn(all).flatMap(({ what, containers }) =>
    containers.map((container) => ({ ...container, what: `${what}/${container.name}` })),
  );
}

/** @returns each verb on each resource that some role grants */
function granted(all: readonly Rendered[]) {
  return rolesIn(all).flatMap(({ of, rules }) =>
    rules.flatMap(({ apiGroups: groups, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => ({ what: nameOf(of), groups, resource, verb }))),
    ),
  );
}
