/** The values of a spec: where they come from, and their resolved values. Pure. */
import type { ValueFrom } from "../../api/fields.ts";
import type { ResolvedNeeds, ValueRequest } from "../../engine/contract/kind.ts";
import type { BindingSpec } from "./crd.ts";
import { byCodeUnit, type Inputs, type Leaf } from "./model.ts";

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

/** Returns what has to be read from Secrets and ConfigMaps. */
export function valueRequests(spec: BindingSpec): readonly ValueRequest[] {
  return [...configOf(spec), ...customerOf(spec)].flatMap(({ path: field, valueFrom }): readonly ValueRequest[] => {
    if (valueFrom?.secretKeyRef !== undefined) return [{ field, from: "Secret", ...valueFrom.secretKeyRef }];
    if (valueFrom?.configMapKeyRef !== undefined) return [{ field, from: "ConfigMap", ...valueFrom.configMapKeyRef }];
    return [];
  });
}

/** Returns all values, and the fingerprint of them and the rest of what is bound. */
export function inputsOf(spec: BindingSpec, resolved: ResolvedNeeds): Inputs {
  const clusterId = resolved.id("spec.clusterRef");
  const config = configOf(spec).map((declared) => resolve(declared, resolved));
  const customer = customerOf(spec).map((declared) => resolve(declared, resolved));
  const content = {
    cluster: clusterId,
    template: [spec.template.key, spec.template.version],
    layers: Object.entries(spec.layerSelections).toSorted(([left], [right]) => byCodeUnit(left, right)),
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
    .toSorted((left, right) => byCodeUnit(left.path, right.path));
}

function resolve({ path, component, key, value, valueFrom }: Declared, resolved: ResolvedNeeds): Leaf {
  if (value !== undefined) return { path, component, key, value, from: "spec" };
  const from = valueFrom?.secretKeyRef === undefined ? "ConfigMap" : "Secret";
  return { path, component, key, value: resolved.value(path), from };
}
