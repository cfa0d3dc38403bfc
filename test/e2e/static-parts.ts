/** The parts of manifests for the static checks: Pods and their templates, selectors, roles and bindings. */
import { z } from "zod";

import type { Rendered } from "./helm.ts";

const Labels = z.record(z.string(), z.string());
const Container = z.looseObject({
  name: z.string(),
  env: z
    .array(z.looseObject({ name: z.string(), value: z.string().optional(), valueFrom: z.looseObject({}).optional() }))
    .default([]),
  envFrom: z.array(z.looseObject({})).default([]),
  ports: z.array(z.looseObject({ name: z.string().optional(), containerPort: z.number() })).default([]),
});

/** A label selector of Kubernetes. */
const Selector = z.strictObject({
  matchLabels: Labels.default({}),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.literal("In"), values: z.array(z.string()) }))
    .default([]),
});
type Selector = z.infer<typeof Selector>;

const PodSpec = z.looseObject({
  serviceAccountName: z.string().default("default"),
  automountServiceAccountToken: z.boolean().default(true),
  containers: z.array(Container),
  initContainers: z.array(Container).default([]),
});
const Template = z.looseObject({ metadata: z.looseObject({ labels: Labels.default({}) }), spec: PodSpec });

/** @returns an object's name in findings */
export const nameOf = ({ kind, metadata }: Rendered): string => `${kind} ${metadata.name}`;

/** @returns every Pod, and every template of Pods; `hook`: whether it is a hook of helm */
export function podsIn(all: readonly Rendered[]) {
  return all.flatMap((one) => {
    const made = z.looseObject({ template: Template }).safeParse(one["spec"]);
    if (one.kind !== "Pod" && !made.success) return [];
    const { metadata, spec } = made.success ? made.data.template : Template.parse(one);
    const { namespace, annotations = {} } = one.metadata;
    const containers = [...spec.initContainers, ...spec.containers];
    const hook = "helm.sh/hook" in annotations;
    return [{ what: nameOf(one), namespace, hook, labels: metadata.labels, spec, containers }];
  });
}

/** The selectors of a spec; that of a Service has no `matchLabels`. */
const Selectors = z.looseObject({ selector: z.unknown().optional(), podSelector: z.unknown().optional() });
/** The kinds with a selector of Pods. */
const SELECTING = new Set(["Deployment", "NetworkPolicy", "PodDisruptionBudget", "Service"]);

/** @returns every object with a selector, and the selected Pods of its namespace */
export function selectingIn(all: readonly Rendered[]) {
  const pods = podsIn(all);
  return all
    .filter(({ kind }) => SELECTING.has(kind))
    .map((of) => {
      const { selector, podSelector } = Selectors.parse(of["spec"]);
      const { kind, metadata } = of;
      const given = Selector.parse(kind === "Service" ? { matchLabels: selector } : (podSelector ?? selector));
      const near = pods.filter(({ namespace }) => namespace === metadata.namespace);
      return { of, pods: near.filter(({ labels }) => selects(given, labels)) };
    });
}

/** @returns whether a selector matches labels; an empty one matches all */
export function selects({ matchLabels, matchExpressions }: Selector, labels: z.infer<typeof Labels>): boolean {
  const equal = Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
  return equal && matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ""));
}

const Rule = z.strictObject({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  resourceNames: z.array(z.string()).default([]),
  verbs: z.array(z.string()),
});
const Binding = z.looseObject({
  roleRef: z.strictObject({ apiGroup: z.string(), kind: z.string(), name: z.string() }),
  subjects: z.array(z.strictObject({ kind: z.string(), name: z.string(), namespace: z.string().optional() })),
});

/** @returns every Role and ClusterRole. @throws Error on one with rules for URLs */
export function rolesIn(all: readonly Rendered[]) {
  return all
    .filter(({ kind }) => kind === "Role" || kind === "ClusterRole")
    .map((of) => ({ of, rules: z.array(Rule).parse(of["rules"]) }));
}

/** @returns every RoleBinding and ClusterRoleBinding, with its role if the manifests contain it */
export function bindingsIn(all: readonly Rendered[]) {
  const roles = rolesIn(all);
  return all
    .filter(({ kind }) => kind === "RoleBinding" || kind === "ClusterRoleBinding")
    .map((of) => {
      const binding = Binding.parse(of);
      const { kind, name } = binding.roleRef;
      const role = roles.find(({ of: { kind: ofKind, metadata } }) => {
        const reaches = kind === "ClusterRole" || metadata.namespace === of.metadata.namespace;
        return ofKind === kind && metadata.name === name && reaches;
      });
      return { ...binding, of, role };
    });
}

const Endpoints = z.looseObject({ selector: Selector, endpoints: z.array(z.looseObject({ port: z.string() })) });
const ServicePorts = z.looseObject({
  type: z.string().default("ClusterIP"),
  ports: z.array(z.looseObject({ name: z.string(), port: z.number(), targetPort: z.union([z.string(), z.number()]) })),
});

/** @returns the type and ports of a Service */
export const servedBy = (service: Rendered): z.infer<typeof ServicePorts> => ServicePorts.parse(service["spec"]);
/** @returns the selector and endpoints of a ServiceMonitor */
export const scrapedBy = (monitor: Rendered): z.infer<typeof Endpoints> => Endpoints.parse(monitor["spec"]);
