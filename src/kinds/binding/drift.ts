/** Compares the binding on the platform with the spec. Pure. */
import type { DriftField } from "../../engine/contract/kind.ts";
import type { Binding, TemplateField } from "../../platform/areas/templates.ts";
import { cleaned } from "../../platform/codec/text.ts";
import { type BindingContext, type ConfigLeaf, type Observed, pathOf } from "./model.ts";
import { templateFields, typed } from "./values.ts";

const ABSENT = "absent";

/**
 * Compares declared fields only, one by one. Values from Secrets are not compared: platforms mask them.
 * @returns undefined where the platform does not show its binding
 */
export function bindingDrift(
  context: BindingContext,
  { bound, template }: Observed,
): readonly DriftField[] | undefined {
  if (bound === undefined) return undefined;
  const { spec, inputs } = context;
  if (bound === "none") {
    if (context.memory.written === undefined) return [];
    return [{ path: "spec.template", desired: `${spec.template.key} ${spec.template.version}`, observed: ABSENT }];
  }
  const fields = templateFields(template);
  const drift = [
    ...different("spec.template.key", spec.template.key, bound.templateKey),
    ...different("spec.template.version", spec.template.version, bound.templateVersion),
    ...layerDrift(context, bound, template),
    ...inputs.config.flatMap((leaf) => leafDrift(leaf, bound.managedConfig, fields(leaf), "open")),
    ...inputs.customer.flatMap((leaf) => leafDrift(leaf, bound.customerProvidedInputs, fields(leaf), "hidden")),
  ];
  // A status may have each path once, and bounds its length.
  return [...new Map(drift.map((field) => [cleaned(field.path, []), field]))].map(([path, field]) => ({
    ...field,
    path,
  }));
}

/**
 * Reports whether the platform shows a binding that equals all that the spec declares: it is adopted without a write. A
 * value from a Secret cannot be compared.
 */
export function isAlike(context: BindingContext, observed: Observed): boolean {
  const { config, customer } = context.inputs;
  const isShown = observed.bound !== undefined && observed.bound !== "none";
  return (
    isShown &&
    ![...config, ...customer].some(({ from }) => from === "Secret") &&
    bindingDrift(context, observed)?.length === 0
  );
}

function different(path: string, desired: string, observed: string | undefined): readonly DriftField[] {
  return observed === undefined || observed === desired
    ? []
    : [{ path, desired: cleaned(desired, []), observed: cleaned(observed, []) }];
}

/** A selection that the platform does not return is drift only where the template would decide otherwise. */
function layerDrift({ spec }: BindingContext, { layerSelections }: Binding, template: Observed["template"]) {
  if (layerSelections === undefined) return [];
  return Object.entries(spec.layerSelections).flatMap(([key, desired]): readonly DriftField[] => {
    const layer = template?.layers.find((each) => each.key === key);
    const otherwise = layer === undefined ? desired : layer.mandatory || layer.enabledByDefault;
    const observed = textOf(memberOf(layerSelections, key) ?? otherwise);
    return different(pathOf("layerSelections", key), String(desired), observed);
  });
}

type Shown = Binding["managedConfig"];

function leafDrift(
  leaf: ConfigLeaf,
  shown: Shown,
  field: TemplateField | undefined,
  show: "open" | "hidden",
): readonly DriftField[] {
  if (shown === undefined || leaf.from === "Secret" || field?.sensitive === true) return [];
  const { path, value } = leaf;
  const held = textOf(memberOf(memberOf(shown, leaf.component), leaf.key));
  if (field === undefined) return hidden(path, String(value), held);
  const observed = held ?? field.defaultValue;
  const desired = String(typed(field.type, value) ?? value);
  if (show === "hidden") return hidden(path, desired, observed);
  return observed === undefined
    ? [{ path, desired: cleaned(desired, []), observed: ABSENT }]
    : different(path, desired, observed);
}

/** Hides values that may be secrets: all inputs, and fields that the template does not describe. */
function hidden(path: string, desired: string, observed: string | undefined): readonly DriftField[] {
  if (observed === desired) return [];
  return [{ path, desired: "the declared value", observed: observed === undefined ? ABSENT : "another value" }];
}

/** Returns the object's own member of that name. */
function memberOf<T>(object: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns a value as text, to compare it. Numbers and booleans equal their texts; other shapes equal nothing. */
function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return value === undefined || value === null ? undefined : "of another shape";
  }
}
