/**
 * Static checks of manifests, with the names of kube-linter and Polaris, beyond those of kube-score and Pod Security
 * `restricted`.
 */
import { z } from "zod";

import type { Rendered } from "./helm.ts";
import { bindingsIn, nameOf, podsIn, rolesIn, scrapedBy, selectingIn, selects, servedBy } from "./static-parts.ts";

/** @returns the findings, each with the object's kind and name */
export type Check = (all: readonly Rendered[]) => readonly string[];

const SECRET_NAME = /secret|passw|token|credential|api_?key|private_?key/i;
/** Roles of Kubernetes with all rights, or all rights of a namespace. */
const ADMIN_ROLES = new Set(["cluster-admin", "admin", "edit"]);
const SSH = 22;
const FIRST_UNPRIVILEGED_PORT = 1024;

export const CHECKS = {
  "env-var-secret": (all) =>
    containersIn(all).flatMap(({ what, env, envFrom }) => [
      ...env
        .filter(({ name, value }) => value !== undefined && SECRET_NAME.test(name))
        .map(({ name }) => `${what}: ${name}`),
      ...env
        .filter(({ valueFrom }) => valueFrom !== undefined && "secretKeyRef" in valueFrom)
        .map(({ name }) => `${what}: ${name}`),
      ...envFrom.filter((source) => "secretRef" in source).map(() => `${what}: envFrom`),
    ]),
  "sensitive-configmap-content": (all) =>
    all.flatMap((one) => {
      if (one.kind === "Secret") return [nameOf(one)];
      if (one.kind !== "ConfigMap") return [];
      const { data, binaryData } = ConfigMap.parse(one);
      const secret = Object.entries({ ...data, ...binaryData }).filter(
        ([name, content]) => SECRET_NAME.test(name) || PRIVATE.test(content),
      );
      return secret.map(([name]) => `${nameOf(one)}: ${name}`);
    }),
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
    selectingIn(all).flatMap(({ of, pods }) =>
      of.kind !== "Service"
        ? []
        : unserved(
            of,
            pods.flatMap(({ containers }) => containers).flatMap(({ ports }) => ports),
          ),
    ),
  "dangling-servicemonitor": (all) =>
    all
      .filter(({ kind }) => kind === "ServiceMonitor")
      .filter((monitor) => {
        const { selector, endpoints } = scrapedBy(monitor);
        const found = services(all).filter(({ metadata }) => selects(selector, metadata.labels ?? {}));
        const ports = new Set(found.flatMap((service) => servedBy(service).ports.map(({ name }) => name)));
        return found.length !== 1 || !endpoints.every(({ port }) => ports.has(port));
      })
      .map(nameOf),
  "dangling-ingress": (all) =>
    all
      .filter(({ kind }) => kind === "Ingress")
      .filter((ingress) => !backendsOf(ingress).every((backend) => isServed(backend, all)))
      .map(nameOf),
  "exposed-services": (all) =>
    services(all)
      .filter((service) => servedBy(service).type !== "ClusterIP")
      .map(nameOf),
  "ssh-port": (all) =>
    services(all)
      .filter((service) => servedBy(service).ports.some(({ port, targetPort }) => port === SSH || targetPort === SSH))
      .map(nameOf),
  "privileged-ports": (all) =>
    containersIn(all).flatMap(({ what, ports }) =>
      ports
        .filter(({ containerPort, hostPort }) => containerPort < FIRST_UNPRIVILEGED_PORT || hostPort !== undefined)
        .map(({ containerPort }) => `${what}: ${containerPort}`),
    ),
  "non-existent-service-account": (all) => {
    const accounts = all.filter(({ kind }) => kind === "ServiceAccount");
    const has = (name: string, namespace: string | undefined): boolean =>
      accounts.some(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    return podsIn(all)
      .filter(({ spec, namespace }) => !has(spec.serviceAccountName, namespace))
      .map(({ what, spec }) => `${what}: ${spec.serviceAccountName}`);
  },
  "default-service-account": (all) =>
    podsIn(all)
      .filter(({ spec }) => spec.serviceAccountName === "default")
      .map(({ what }) => what),
  automountServiceAccountToken: (all) => [
    ...podsIn(all)
      .filter(({ spec }) => spec.automountServiceAccountToken)
      .map(({ what }) => what),
    ...all
      .filter(({ kind }) => kind === "ServiceAccount")
      .filter((account) => account["automountServiceAccountToken"] !== false)
      .map(nameOf),
  ],
  "host-network, host-pid, host-ipc": (all) =>
    podsIn(all)
      .filter(({ spec }) => spec.hostNetwork || spec.hostPID || spec.hostIPC)
      .map(({ what }) => what),
  "docker-sock, sensitive-host-mounts": (all) =>
    podsIn(all).flatMap(({ what, spec }) =>
      spec.volumes.filter((volume) => "hostPath" in volume).map(({ name }) => `${what}: ${name}`),
    ),
  "unsafe-sysctls": (all) =>
    podsIn(all)
      .filter(({ spec }) => spec.securityContext.sysctls.length > 0)
      .map(({ what }) => what),
  "latest-tag": (all) =>
    containersIn(all)
      .filter(({ image }) => !/@sha256:[0-9a-f]{64}$|:(?!latest$)[\w.-]+$/.test(image))
      .map(({ what, image }) => `${what}: ${image}`),
  "cluster-admin-role-binding": (all) =>
    bindingsIn(all)
      .filter(({ roleRef }) => ADMIN_ROLES.has(roleRef.name))
      .map(({ of }) => nameOf(of)),
  "bound-to-others": (all) =>
    bindingsIn(all).flatMap(({ of, subjects }) =>
      subjects
        .filter(
          ({ kind, name, namespace }) =>
            !podsIn(all).some(
              (pod) => kind === "ServiceAccount" && name === pod.spec.serviceAccountName && namespace === pod.namespace,
            ),
        )
        .map(({ kind, name }) => `${nameOf(of)}: ${kind} ${name}`),
    ),
  "dangling-role-binding": (all) =>
    bindingsIn(all)
      .filter(({ role }) => role === undefined)
      .map(({ of }) => nameOf(of)),
  "wildcard-in-rules": (all) =>
    granted(all)
      .filter(({ groups, resource, verb }) => groups.includes("*") || resource.includes("*") || verb === "*")
      .map(({ what }) => what),
  clusterrolePodExecAttach: (all) =>
    granted(all)
      .filter(({ resource }) => /^(pods|nodes|services)\//.test(resource))
      .map(({ what, resource }) => `${what}: ${resource}`),
  "privilege-escalating-verbs": (all) =>
    granted(all)
      .filter(({ verb }) => ["escalate", "bind", "impersonate"].includes(verb))
      .map(({ what, verb }) => `${what}: ${verb}`),
  "access-to-create-pods": (all) =>
    granted(all)
      .filter(
        ({ groups, resource }) => resource === "pods" || ["apps", "batch"].some((group) => groups.includes(group)),
      )
      .map(({ what }) => what),
  "access-to-secrets": (all) => {
    const verbs = bindingsIn(all).flatMap(({ role }) => (role === undefined ? [] : granted([role.of])));
    return [...new Set(verbs.filter(({ resource }) => resource === "secrets").map(({ verb }) => verb))];
  },
} as const satisfies Record<string, Check>;

const ConfigMap = z.looseObject({
  data: z.record(z.string(), z.string()).default({}),
  binaryData: z.record(z.string(), z.string()).default({}),
});
const PRIVATE = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

const services = (all: readonly Rendered[]): readonly Rendered[] => all.filter(({ kind }) => kind === "Service");

function containersIn(all: readonly Rendered[]) {
  return podsIn(all).flatMap(({ what, containers }) =>
    containers.map((container) => ({ ...container, what: `${what}/${container.name}` })),
  );
}

/** @returns the ports of a Service that no container has */
function unserved(
  service: Rendered,
  ports: readonly { name?: string | undefined; containerPort: number }[],
): readonly string[] {
  return servedBy(service)
    .ports.filter(
      ({ targetPort }) => !ports.some(({ name, containerPort }) => [name, containerPort].includes(targetPort)),
    )
    .map(({ name }) => `${nameOf(service)}: ${name}`);
}

const Backend = z.strictObject({ name: z.string(), port: z.strictObject({ name: z.string() }) });
type Backend = z.infer<typeof Backend>;
const Paths = z.looseObject({ paths: z.array(z.looseObject({ backend: z.strictObject({ service: Backend }) })) });
const Ingress = z.looseObject({ rules: z.array(z.looseObject({ http: Paths })) });

function backendsOf(ingress: Rendered): readonly Backend[] {
  return Ingress.parse(ingress["spec"]).rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service));
}

function isServed({ name, port }: Backend, all: readonly Rendered[]): boolean {
  return services(all).some(
    (service) => service.metadata.name === name && servedBy(service).ports.some((served) => served.name === port.name),
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
