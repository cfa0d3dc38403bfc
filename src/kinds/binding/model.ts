/** What the parts of the binding exchange. */
import type { ValueFrom } from "../../api/fields.ts";
import type { ReconcileContext, ResolvedNeeds, ValueRequest } from "../../engine/contract/kind.ts";
import type { Binding, Template } from "../../platform/areas/templates.ts";
import type { TypesOf } from "../shared/types.ts";
import { requestsOf } from "../variables/declared.ts";
import type { BindingSpec, platformBinding } from "./crd.ts";

/** A value of the spec, or of what it refers to: one field of one component. */
export interface ConfigLeaf {
  /** E.g. `spec.managedConfig[ingress][domain]`. */
  readonly path: string;
  readonly component: string;
  readonly key: string;
  readonly value: string | number | boolean;
  readonly from: "spec" | "Secret" | "ConfigMap";
}

export type Inputs = ReturnType<typeof bindingInputs>;

/** The mode and provider of a cluster. */
export interface ClusterKind {
  readonly mode: string;
  readonly provider: string;
}

/** What the platform shows of the cluster. */
export interface ClusterObserved {
  /** Whether it is in the organization's list of clusters; undefined where there is no such list. */
  readonly listed: boolean | undefined;
  /** undefined: not known, and nothing is excluded. */
  readonly kind: ClusterKind | undefined;
}

export interface Observed {
  readonly cluster: ClusterObserved;
  /** The template and version of the spec; undefined when the platform does not list them. */
  readonly template: Template | undefined;
  /** The templates that the platform lists. */
  readonly offered: readonly { readonly key: string; readonly version: string }[];
  /** What is wrong with the spec by the template's rules, in a fixed order, without values. */
  readonly problems: readonly string[];
  /** The binding as the platform shows it, "none" when there is none; undefined where it is not shown. */
  readonly bound: Binding | "none" | undefined;
  /** Whether this reconcile has written the binding. */
  readonly sent: boolean;
}

/** The types of the kind. */
export type BindingTypes = TypesOf<typeof platformBinding, { inputs: Inputs; observed: Observed; action: "put" }>;

export type BindingContext = ReconcileContext<BindingTypes>;

/** A declared value, before it is resolved. */
interface Declared {
  readonly path: string;
  readonly component: string;
  readonly key: string;
  readonly value?: string | number | boolean | undefined;
  readonly valueFrom?: ValueFrom | undefined;
}

type Values = Readonly<Record<string, Readonly<Record<string, Pick<Declared, "value" | "valueFrom">>>>>;

/** Returns a path in the spec. Keys that are not plain are quoted, so that two keys never give one path. */
export function pathOf(member: string, ...keys: readonly string[]): string {
  return `spec.${member}${keys.map((key) => `[${/^[\w.-]+$/.test(key) ? key : JSON.stringify(key)}]`).join("")}`;
}

/** Returns the requests for the values from Secrets and ConfigMaps. */
export function valueRequests(spec: BindingSpec): readonly ValueRequest[] {
  return [...configOf(spec), ...customerOf(spec)].flatMap(({ path, valueFrom }) => requestsOf(path, valueFrom));
}

/** Returns all values, and the fingerprint of the binding with them. */
export function bindingInputs(spec: BindingSpec, resolved: ResolvedNeeds) {
  const clusterId = resolved.id("spec.clusterRef");
  const config = configOf(spec).map((declared) => resolve(declared, resolved));
  const customer = customerOf(spec).map((declared) => resolve(declared, resolved));
  const content = {
    cluster: clusterId,
    template: [spec.template.key, spec.template.version],
    layers: Object.entries(spec.layerSelections)
      .map(([key, selected]) => [key, JSON.stringify(selected)])
      .toSorted(([left = ""], [right = ""]) => (left < right ? -1 : 1)),
    config: config.map(({ component, key, value }) => [component, key, value]),
    customer: customer.map(({ component, key, value }) => [component, key, value]),
  };
  return { clusterId, config, customer, fingerprint: resolved.fingerprint(content) };
}

const configOf = (spec: BindingSpec): readonly Declared[] => declared("managedConfig", spec.managedConfig);

const customerOf = (spec: BindingSpec): readonly Declared[] =>
  declared("customerProvidedInputs", spec.customerProvidedInputs);

function declared(member: string, values: Values): readonly Declared[] {
  return Object.entries(values)
    .flatMap(([component, fields]) =>
      Object.entries(fields).map(([key, field]) => ({
        path: pathOf(member, component, key),
        component,
        key,
        ...field,
      })),
    )
    .toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

function resolve({ path, component, key, value, valueFrom }: Declared, resolved: ResolvedNeeds): ConfigLeaf {
  if (value !== undefined) return { path, component, key, value, from: "spec" };
  const from = valueFrom?.secretKeyRef === undefined ? "ConfigMap" : "Secret";
  return { path, component, key, value: resolved.value(path), from };
}
