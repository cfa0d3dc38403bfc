/** Checks the spec against the template that it names, before anything is sent. */
import type { Template, TemplateField } from "../../platform/areas/templates.ts";
import { cleaned } from "../../platform/codec/text.ts";
import type { BindingSpec } from "./crd.ts";
import { isActive, unavailable } from "./layers.ts";
import { type ClusterKind, type ConfigLeaf, type Inputs, pathOf } from "./model.ts";
import { listOf, valueProblems } from "./values.ts";

/** What a spec is checked against. */
interface Rules {
  readonly spec: BindingSpec;
  readonly inputs: Pick<Inputs, "config" | "customer">;
  readonly template: Template;
  readonly cluster: ClusterKind | undefined;
}

/** The fields of each component, by key; undefined for a component that the template only names. */
type Components = ReadonlyMap<string, ReadonlyMap<string, TemplateField> | undefined>;

/**
 * Returns what is wrong with a spec by the rules of its template. Pure. Patterns are left to the platform: one from a
 * catalog may take for ever.
 * @returns texts of a path and its problem, sorted, without values of the spec
 */
export function problemsOf(rules: Rules): readonly string[] {
  const components = componentsOf(rules.template);
  const leaves = [...rules.inputs.config, ...rules.inputs.customer];
  const problems = [
    ...layerProblems(rules),
    ...(rules.template.isIncomplete ? [] : unknownComponents(rules.spec, components)),
    ...(rules.template.isIncomplete ? [] : unknownFields(rules.inputs.config, components)),
    ...missing(rules),
    ...leaves.flatMap((leaf) => leafProblems(leaf, fieldOf(leaf, components))),
  ];
  return [...new Set(problems.map((problem) => cleaned(problem, [])))].toSorted();
}

function componentsOf({ layers }: Template): Components {
  const components = new Map<string, Map<string, TemplateField> | undefined>();
  for (const key of layers.flatMap((layer) => layer.componentKeys)) components.set(key, undefined);
  for (const { key, fields } of layers.flatMap((layer) => layer.components)) {
    const known = components.get(key) ?? new Map<string, TemplateField>();
    for (const field of fields) if (!known.has(field.key)) known.set(field.key, field);
    components.set(key, known);
  }
  return components;
}

function fieldOf({ component, key }: ConfigLeaf, components: Components): TemplateField | undefined {
  return components.get(component)?.get(key);
}

function layerProblems({ spec, template, cluster }: Rules): readonly string[] {
  return Object.entries(spec.layerSelections).flatMap(([key, selected]) => {
    const path = pathOf("layerSelections", key);
    const layer = template.layers.find((each) => each.key === key);
    if (layer === undefined && template.isIncomplete) return [];
    if (layer === undefined) return [`${path} is no layer of the template${offering(template.layers.map(keyOf))}`];
    if (typeof selected !== "boolean") return [];
    if (!selected) return layer.mandatory ? [`${path} must not be false: the layer is mandatory`] : [];
    const where = unavailable(layer, cluster);
    return where === undefined ? [] : [`${path} must not be true: the layer is not available ${where}`];
  });
}

const keyOf = ({ key }: { readonly key: string }): string => key;

/** Returns e.g. " (it has a, b)". */
function offering(names: readonly string[]): string {
  return names.length === 0 ? "" : ` (it has ${listOf(names)})`;
}

/** Returns the named components that the template does not have. */
function unknownComponents(spec: BindingSpec, components: Components): readonly string[] {
  return (["managedConfig", "customerProvidedInputs"] as const).flatMap((member) =>
    Object.keys(spec[member])
      .filter((key) => !components.has(key))
      .map((key) => `${pathOf(member, key)} is no component of the template${offering([...components.keys()])}`),
  );
}

/**
 * Returns the keys of managedConfig for which the component has no field. For customerProvidedInputs this cannot be
 * checked: components may have inputs that the catalog does not describe.
 */
function unknownFields(config: readonly ConfigLeaf[], components: Components): readonly string[] {
  return config.flatMap(({ path, component, key }) => {
    const fields = components.get(component);
    if (fields === undefined || fields.has(key)) return [];
    return [`${path} is no field of the component${offering([...fields.keys()])}`];
  });
}

function leafProblems(leaf: ConfigLeaf, field: TemplateField | undefined): readonly string[] {
  return field === undefined ? [] : valueProblems(field, leaf).map((problem) => `${leaf.path} ${problem}`);
}

function missing({ spec, inputs, template, cluster }: Rules): readonly string[] {
  const given = new Set([...inputs.config, ...inputs.customer].map(({ component, key }) => pathOf("", component, key)));
  return template.layers
    .filter((layer) => isActive(layer, spec, cluster))
    .flatMap((layer) => layer.components)
    .flatMap((component) =>
      component.fields
        .filter((field) => field.required && field.defaultValue === undefined)
        .filter((field) => !given.has(pathOf("", component.key, field.key)))
        .map((field) => {
          const path = pathOf("managedConfig", component.key, field.key);
          return `${path} is required${field.sensitive ? ", from a Secret" : ""}`;
        }),
    );
}
