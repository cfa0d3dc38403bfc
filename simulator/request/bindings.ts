import { Problem } from "../base/problems.ts";
import {
  constraintsOf,
  isAvailable,
  type TemplateContext,
  type Field,
  type Layer,
  type TemplateVersion,
} from "../model/catalog.ts";
import { cloudVendors } from "../model/catalog.ts";
import { valueProblem } from "../model/field-values.ts";
import type { Binding, Cluster, Fields } from "../model/world.ts";
import type { Simulation } from "./simulation.ts";

/** The binding that a caller requests for a cluster. */
export type BindingRequest = Omit<Binding, "readyAt">;

/** A layer in the platform's answer. */
export interface LayerStatus {
  readonly key: string;
  readonly status: string;
  readonly reason: string;
  readonly componentKeys: readonly string[];
}

/**
 * @returns the template version that may be bound to the cluster.
 * @throws Problem 404 when the organization has none of that key and version, 400 when it is deprecated and not bound
 * to this cluster already.
 */
export function templateFor(sim: Simulation, cluster: Cluster, key: string, version: string): TemplateVersion {
  const template = sim.world.templates.find((each) => each.key === key && each.version === version);
  if (template === undefined || template.status === "DRAFT" || !isAvailable(template, cluster.organizationId)) {
    throw new Problem(404, `No template ${key} ${version}`);
  }
  const bound = cluster.binding?.templateKey === key && cluster.binding.templateVersion === version;
  if (template.status === "DEPRECATED" && !bound) throw new Problem(400, `Template ${key} ${version} is deprecated`);
  return template;
}

/** @throws Problem 400 with everything that does not match the template */
export function checkBinding(template: TemplateVersion, cluster: Cluster, requested: BindingRequest): void {
  const problems = [
    ...layerProblems(template, requested),
    ...configProblems(template, cluster, requested.managedConfig),
    ...configProblems(template, cluster, requested.customerProvidedInputs),
    ...missingFields(template, cluster, requested),
  ];
  if (problems.length > 0) throw new Problem(400, problems.join("; "));
}

function layerProblems(template: TemplateVersion, { layerSelections }: BindingRequest): string[] {
  return Object.entries(layerSelections).flatMap(([key, selected]) => {
    const layer = template.layers.find((each) => each.key === key);
    if (layer === undefined) return [`unknown layer ${key}`];
    return layer.mandatory && !selected ? [`layer ${key} is mandatory`] : [];
  });
}

function configProblems(template: TemplateVersion, cluster: Cluster, config: Record<string, Fields>): string[] {
  const components = template.layers.flatMap((layer) => layer.components);
  return Object.entries(config).flatMap(([componentKey, values]) => {
    const component = components.find((each) => each.key === componentKey);
    if (component === undefined) return [`unknown component ${componentKey}`];
    return Object.entries(values).flatMap(([key, value]) => {
      const field = component.fields.find((each) => each.key === key);
      const problem =
        field === undefined ? "is unknown" : valueProblem(field, constraintsOf(field, contextOf(cluster)), value);
      return problem === undefined ? [] : [`${componentKey}.${key} ${problem}`];
    });
  });
}

function missingFields(template: TemplateVersion, cluster: Cluster, requested: BindingRequest): string[] {
  const active = template.layers.filter((layer) => statusOf(layer, cluster, requested).status === "ENABLED");
  return active
    .flatMap((layer) => layer.components)
    .flatMap((component) =>
      component.fields
        .filter((field) =>
          isMissing(field, requested.managedConfig[component.key], requested.customerProvidedInputs[component.key]),
        )
        .map((field) => `${component.key}.${field.key} is required`),
    );
}

function isMissing(field: Field, ...given: readonly (Fields | undefined)[]): boolean {
  return field.required && field.defaultValue === null && given.every((fields) => fields?.[field.key] === undefined);
}

/** @returns every layer of the template with its status; until the binding is ready, no layer is enabled */
export function layersOf(
  sim: Simulation,
  template: TemplateVersion,
  cluster: Cluster,
  binding: Binding,
): LayerStatus[] {
  const ready = sim.time.virtual() >= binding.readyAt;
  return template.layers.map((layer) => {
    const status = statusOf(layer, cluster, binding);
    const given = sim.settings.layerStatuses[layer.key];
    if (given !== undefined) return { ...status, ...given };
    if (status.status !== "ENABLED" || ready) return status;
    return { ...status, status: "DISABLED", reason: "The layer is being enabled" };
  });
}

function statusOf(layer: Layer, cluster: Cluster, { layerSelections }: BindingRequest): LayerStatus {
  const base = { key: layer.key, componentKeys: layer.components.map((component) => component.key) };
  const { mode, provider } = contextOf(cluster);
  if (!layer.modes.includes(mode)) return { ...base, status: "SKIPPED", reason: `Not available for ${mode} clusters` };
  if (layer.providers !== null && !layer.providers.includes(provider)) {
    return { ...base, status: "SKIPPED", reason: `Not available on ${provider}` };
  }
  if (layer.mandatory) return { ...base, status: "ENABLED", reason: "The layer is mandatory" };
  const selected = layerSelections[layer.key];
  if (selected ?? layer.enabledByDefault) {
    return { ...base, status: "ENABLED", reason: selected === undefined ? "Enabled by default" : "Selected" };
  }
  return { ...base, status: "DISABLED", reason: selected === undefined ? "Disabled by default" : "Deselected" };
}

function contextOf(cluster: Cluster): TemplateContext {
  const provider = cloudVendors.find((vendor) => vendor === cluster.cloudProvider) ?? "UNKNOWN";
  return { mode: cluster.mode, provider };
}
