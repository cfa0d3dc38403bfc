/**
 * Static checks of manifests, with the names of kube-linter and Polaris, beyond those of kube-score (images, targets of an
 * Ingress) and Pod Security `restricted` (namespaces, paths, ports and sysctls of the host).
 */
import { z } from "zod";

import type { Rendered } from "./helm.ts";
import { nameOf, podsIn, scrapedBy, selectingIn, selects, servedBy, subjectsIn } from "./static-parts.ts";

/** Returns the findings, each with the object's kind and name. */
type Check = (all: readonly Rendered[]) => readonly string[];

const SECRET_NAME = /secret|passw|token|credential|api_?key|private_?key/i;
const PRIVATE = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const Data = z.record(z.string(), z.string());

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
        const content = Object.entries(Data.parse(data));
        return kind === "Secret" || content.some(([name, text]) => SECRET_NAME.test(name) || PRIVATE.test(text));
      })
      .map(nameOf),
  "mismatching-selector": (all) =>
    selectingIn(all)
      .filter(({ pods }) => pods.length === 0)
      .map(({ of }) => nameOf(of)),
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
        const targets = new Set(ports.flatMap(({ name, containerPort }) => [name, containerPort]));
        const dangling = servedBy(of).ports.filter(({ targetPort }) => !targets.has(targetPort));
        return dangling.map(({ name }) => `${nameOf(of)}: ${name}`);
      }),
  "dangling-servicemonitor": (all) =>
    all
      .filter(({ kind }) => kind === "ServiceMonitor")
      .filter((monitor) => {
        const { selector, endpoints } = scrapedBy(monitor);
        const services = all.filter(({ kind }) => kind === "Service");
        const found = services.filter(({ metadata }) => selects(selector, metadata.labels ?? {}));
        const ports = new Set(found.flatMap((service) => servedBy(service).ports.map(({ name }) => name)));
        return found.length !== 1 || !endpoints.every(({ port }) => ports.has(port));
      })
      .map(nameOf),
  automountServiceAccountToken: (all) => [
    ...podsIn(all)
      .filter(({ spec }) => spec.automountServiceAccountToken)
      .map(({ what }) => what),
    ...all
      .filter(({ kind }) => kind === "ServiceAccount")
      .filter((account) => account["automountServiceAccountToken"] !== false)
      .map(nameOf),
  ],
  "bound-to-others": (all) =>
    subjectsIn(all)
      .filter(({ kind, name, namespace }) => {
        const pods = podsIn(all).filter((pod) => pod.spec.serviceAccountName === name && pod.namespace === namespace);
        return kind !== "ServiceAccount" || pods.length === 0;
      })
      .map(({ of, kind, name }) => `${nameOf(of)}: ${kind} ${name}`),
};

/** @returns the findings of all checks, each after the check's name */
export function findingsIn(all: readonly Rendered[]): readonly string[] {
  return Object.entries(CHECKS).flatMap(([name, check]) => check(all).map((finding) => `${name}: ${finding}`));
}

function containersIn(all: readonly Rendered[]) {
  return podsIn(all).flatMap(({ what, containers }) =>
    containers.map((container) => ({ ...container, what: `${what}/${container.name}` })),
  );
}
