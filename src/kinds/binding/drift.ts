/** Compares the binding on the platform with the spec. Pure. */
import type { DriftField } from "../../engine/contract/kind.ts";
import type { Binding, TemplateField } from "../../platform/areas/templates.ts";
import { cleaned } from "../../platform/codec/text.ts";
import type { Difference } from "../shared/altered.ts";
import { type BindingContext, type ConfigLeaf, type Observed, pathOf } from "./model.ts";
import { templateFields, typed } from "./values.ts";

const ABSENT = "absent";

/** A difference with its whole values. `isHidden`: they may be secrets, and the status must not show them. */
interface BindingDifference extends Difference {
  readonly isHidden?: true;
}

/**
 * Returns the differences of the binding on the platform from the declared fields. Values from Secrets and of sensitive
 * fields are not compared, as platforms mask them.
 * @returns undefined where the platform does not show its binding
 */
export function bindingDifferences(
  context: BindingContext,
  { bound, template }: Pick<Observed, "bound" | "template">,
): readonly BindingDifference[] | undefined {
  if (bound === undefined) return undefined;
  const { spec, inputs } = context;
  if (bound === "none") {
    if (context.memory.written === undefined) return [];
    return [{ path: "spec.template", desired: `${spec.template.key} ${spec.template.version}`, observed: undefined }];
  }
  const fields = templateFields(template);
  return [
    ...different("spec.template.key", spec.template.key, bound.templateKey),
    ...different("spec.template.version", spec.template.version, bound.templateVersion),
    ...layerDrift(context, bound, template),
    ...inputs.config.flatMap((leaf) => leafDrift(leaf, bound.managedConfig, fields(leaf), "open")),
    ...inputs.customer.flatMap((leaf) => leafDrift(leaf, bound.customerProvidedInputs, fields(leaf), "hidden")),
  ];
}

/** Returns the same differences as the status shows them: each path once, and texts within their bounds. */
export function bindingDrift(context: BindingContext, observed: Observed): readonly DriftField[] | undefined {
  const differences = bindingDifferences(context, observed);
  if (differences === undefined) return undefined;
  return [...new Map(differences.map((one) => [cleaned(one.path, []), one]))].map(([path, one]) => ({
    path,
    ...(one.isHidden === true ? hiddenValues(one) : shownValues(one)),
  }));
}

function shownValues({ desired, observed }: Difference): Omit<DriftField, "path"> {
  return { desired: cleaned(desired, []), observed: observed === undefined ? ABSENT : cleaned(observed, []) };
}

function hiddenValues({ observed }: Difference): Omit<DriftField, "path"> {
  return { desired: "the declared value", observed: observed === undefined ? ABSENT : "another value" };
}

/**
 * Reports whether the platform shows a binding that equals all that the spec declares: it is adopted without a write.
 * Returns false for a spec with a value from a Secret, which cannot be compared.
 */
export function isAlike(context: BindingContext, observed: Observed): boolean {
  const { config, customer } = context.inputs;
  const isShown = observed.bound !== undefined && observed.bound !== "none";
  return (
    isShown &&
    ![...config, ...customer].some(({ from }) => from === "Secret") &&
    bindingDifferences(context, observed)?.length === 0
  );
}

function different(path: string, desired: string, observed: string | undefined): readonly Difference[] {
  return observed === undefined || observed === desired ? [] : [{ path, desired, observed }];
}

/** A selection that the platform does not return is drift only where the template would decide otherwise. */
function layerDrift({ spec }: BindingContext, { layerSelections }: Binding, template: Observed["template"]) {
  if (layerSelections === undefined) return [];
  return Object.entries(spec.layerSelections).flatMap(([key, desired]): readonly Difference[] => {
    const layer = template?.layers.find((each) => each.key === key);
    const otherwise = layer === undefined ? desired : layer.mandatory || layer.enabledByDefault;
    const observed = JSON.stringify(memberOf(layerSelections, key) ?? otherwise);
    return different(pathOf("layerSelections", key), JSON.stringify(desired), observed);
  });
}

type Shown = Binding["managedConfig"];

function leafDrift(
  leaf: ConfigLeaf,
  shown: Shown,
  field: TemplateField | undefined,
  show: "open" | "hidden",
): readonly BindingDifference[] {
  if (shown === undefined || leaf.from === "Secret" || field?.sensitive === true) return [];
  const { path, value } = leaf;
  const held = textOf(memberOf(memberOf(shown, leaf.component), leaf.key));
  if (field === undefined) return hidden(path, String(value), held);
  const observed = held ?? field.defaultValue;
  const desired = String(typed(field.type, value) ?? value);
  if (show === "hidden") return hidden(path, desired, observed);
  return observed === undefined ? [{ path, desired, observed }] : different(path, desired, observed);
}

/** Hides values that may be secrets: all inputs, and fields that the template does not describe. */
function hidden(path: string, desired: string, observed: string | undefined): readonly BindingDifference[] {
  return observed === desired ? [] : [{ path, desired, observed, isHidden: true }];
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
