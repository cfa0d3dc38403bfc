/** The parts of manifests for the static checks: Pods and their templates, selectors, roles and bindings. */
import { z } from "zod";

import type { Rendered } from "./helm.ts";

const Labels = z.record(z.string(), z.string());
const Port = z.looseObject({
  name: z.string().optional(),
  containerPort: z.number(),
  hostPort: z.number().optional(),
});
const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  env: z
    .array(z.looseObject({ name: z.string(), value: z.string().optional(), valueFrom: z.looseObject({}).optional() }))
    .default([]),
  envFrom: z.array(z.looseObject({})).default([]),
  ports: z.array(Port).default([]),
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
  hostNetwork: z.boolean().default(false),
  hostPID: z.boolean().default(false),
  hostIPC: z.boolean().default(false),
  securityContext: z.looseObject({ sysctls: z.array(z.unknown()).default([]) }).prefault({}),
  containers: z.array(Container),
  initContainers: z.array(Container).default([]),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
});
const Template = z.looseObject({ metadata: z.looseObject({ labels: Labels.default({}) }), spec: PodSpec });

/** A Pod or a template of Pods. */
export interface PodLike {
  readonly what: string;
  readonly namespace: string | undefined;
  /** Whether it is a hook of helm. */
  readonly hook: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: z.infer<typeof PodSpec>;
  readonly containers: readonly z.infer<typeof Container>[];
}

/** @returns an object's name in findings */
export const nameOf = ({ kind, metadata }: Rendered): string => `${kind} ${metadata.name}`;

/** @returns every Pod, and every template of Pods */
export function podsIn(all: readonly Rendered[]): readonly PodLike[] {
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

/** Returns the selector of Pods of each kind. */
const SELECTS = {
  Deployment: (spec) => z.looseObject({ selector: Selector }).parse(spec).selector,
  NetworkPolicy: (spec) => z.looseObject({ podSelector: Selector }).parse(spec).podSelector,
  PodDisruptionBudget: (spec) => z.looseObject({ selector: Selector }).parse(spec).selector,
  StatefulSet: (spec) => z.looseObject({ selector: Selector }).parse(spec).selector,
  Service: (spec) => Selector.parse({ matchLabels: z.looseObject({ selector: Labels }).parse(spec).selector }),
} as const satisfies Record<string, (spec: unknown) => Selector>;

/** An object with a selector, and the Pods that it selects. */
export interface Selecting {
  readonly of: Rendered;
  readonly pods: readonly PodLike[];
}

/** @returns every object with a selector, and the selected Pods of its namespace */
export function selectingIn(all: readonly Rendered[]): readonly Selecting[] {
  const pods = podsIn(all);
  return all.flatMap((of) => {
    const read = Object.entries(SELECTS).find(([kind]) => kind === of.kind)?.[1];
    if (read === undefined) return [];
    const selector = read(of["spec"]);
    const near = pods.filter(({ namespace }) => namespace === of.metadata.namespace);
    return [{ of, pods: near.filter(({ labels }) => selects(selector, labels)) }];
  });
}

/** @returns whether a selector matches labels; an empty one matches all */
export function selects({ matchLabels, matchExpressions }: Selector, labels: PodLike["labels"]): boolean {
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

/** A Role or ClusterRole. */
export interface RoleLike {
  readonly of: Rendered;
  readonly rules: readonly z.infer<typeof Rule>[];
}
/** A RoleBinding or ClusterRoleBinding, with its role if the manifests contain it. */
export interface BindingLike extends z.infer<typeof Binding> {
  readonly of: Rendered;
  readonly role: RoleLike | undefined;
}

/** @returns every role. @throws Error on one with rules for URLs */
export function rolesIn(all: readonly Rendered[]): readonly RoleLike[] {
  return all
    .filter(({ kind }) => kind === "Role" || kind === "ClusterRole")
    .map((of) => ({ of, rules: z.array(Rule).parse(of["rules"]) }));
}

/** @returns every binding */
export function bindingsIn(all: readonly Rendered[]): readonly BindingLike[] {
  const roles = rolesIn(all);
  return all
    .filter(({ kind }) => kind === "RoleBinding" || kind === "ClusterRoleBinding")
    .map((of) => {
      const binding = Binding.parse(of);
      const { kind, name } = binding.roleRef;
      const reaches = ({ of: { metadata } }: RoleLike): boolean =>
        kind === "ClusterRole" || metadata.namespace === of.metadata.namespace;
      const role = roles.find((one) => one.of.kind === kind && one.of.metadata.name === name && reaches(one));
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
