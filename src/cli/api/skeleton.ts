/** Renders a PlatformBinding for a template, to be filled in. Pure. */
import { API_VERSION } from "../../api/names.ts";
import type {
  TemplateContext,
  FieldConstraints,
  Template,
  TemplateComponent,
  TemplateField,
  TemplateLayer,
} from "../../platform/areas/templates.ts";
import { printable } from "../../text/text.ts";
import { dnsLabel } from "../base/targets.ts";

export interface SkeletonOptions {
  /** The id of the cluster; a placeholder if absent. */
  readonly cluster?: string | undefined;
  readonly context?: TemplateContext | undefined;
}

const PLACEHOLDER = "00000000-0000-4000-8000-000000000000";
/** Words that YAML 1.1 or YAML 1.2 does not parse as strings. */
const NOT_PLAIN = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;
const PLAIN = /^[A-Za-z][\w.-]*$/;

/**
 * @returns YAML that the API server accepts. Required fields and fields with a default have values. All other fields,
 * the fields of layers that are off by default, and layers that the cluster cannot have are comments, as are
 * constraints and descriptions. Sensitive fields refer to a Secret.
 */
export function skeletonOf(template: Template, { cluster, context }: SkeletonOptions): string {
  const name = dnsLabel(template.key) || "template";
  const lines = [
    ...comment(template.description),
    `apiVersion: ${API_VERSION}`,
    "kind: PlatformBinding",
    "metadata:",
    `  name: ${name}`,
    "spec:",
    "  clusterRef:",
    `    externalId: ${cluster ?? `${PLACEHOLDER} # the id of your cluster`}`,
    ...contextLines(context),
    "  template:",
    `    key: ${scalar(template.key)}`,
    `    version: ${JSON.stringify(template.version)}`,
    ...layerLines(template, context),
    ...configLines(template, name, context),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function contextLines(context: TemplateContext | undefined): readonly string[] {
  if (context?.clusterMode === undefined || context.cloudProvider === undefined) return [];
  return ["  cluster:", `    mode: ${scalar(context.clusterMode)}`, `    provider: ${scalar(context.cloudProvider)}`];
}

/** A layer that the cluster cannot have must neither be selected nor, if mandatory, deselected. */
function layerLines({ layers }: Template, context: TemplateContext | undefined): readonly string[] {
  const lines = layers.map((layer) => {
    const { key, mandatory, description, modes, providers } = layer;
    const available = isAvailable(layer, context);
    const only = [modes.join(", "), providers?.join(", ") ?? ""].filter((words) => words !== "").join("; ");
    const about = [available ? "" : "not for this cluster", mandatory ? "mandatory" : "", description ?? "", only];
    const text = about.filter((words) => words !== "").join("; ");
    const line = `    ${scalar(key)}: ${String(isOn(layer))}${text === "" ? "" : ` # ${printable(text)}`}`;
    return { active: available, lines: commented([line], available) };
  });
  return mapping("layerSelections", lines);
}

function configLines({ layers }: Template, name: string, context: TemplateContext | undefined): readonly string[] {
  const parts = layers.flatMap((layer) =>
    layer.components
      .filter(({ fields }) => fields.length > 0)
      .map((component) => componentLines(component, name, isOn(layer) && isAvailable(layer, context))),
  );
  return mapping("managedConfig", parts);
}

interface Part {
  readonly active: boolean;
  readonly lines: readonly string[];
}

/** A mapping that has only comments would be null, which the API server refuses. */
function mapping(key: string, parts: readonly Part[]): readonly string[] {
  if (parts.length === 0) return [];
  const empty = parts.some(({ active }) => active) ? "" : " {}";
  return [`  ${key}:${empty}`, ...parts.flatMap(({ lines }) => lines)];
}

function isOn({ mandatory, enabledByDefault }: TemplateLayer): boolean {
  return mandatory || enabledByDefault;
}

function isAvailable({ modes, providers }: TemplateLayer, context: TemplateContext | undefined): boolean {
  const { clusterMode, cloudProvider } = context ?? {};
  const isMode = clusterMode === undefined || modes.includes(clusterMode);
  return isMode && (cloudProvider === undefined || providers?.includes(cloudProvider) !== false);
}

function componentLines(component: TemplateComponent, name: string, isActive: boolean): Part {
  const fields = component.fields.map((field) => ({
    active: isActive && (field.required || field.defaultValue !== undefined),
    lines: fieldLines(component.key, field, name),
  }));
  const active = fields.some((field) => field.active);
  const about = [component.kind, component.description].filter((words) => words !== undefined).join(": ");
  return {
    active,
    lines: [
      ...commented([`    ${scalar(component.key)}:${about === "" ? "" : ` # ${printable(about)}`}`], active),
      ...fields.flatMap((field) => commented(field.lines, field.active)),
    ],
  };
}

function fieldLines(component: string, field: TemplateField, name: string): readonly string[] {
  const key = `      ${scalar(field.key)}: # ${printable(describe(field))}`;
  if (!field.sensitive) return [key, `        value: ${valueOf(field)}`];
  const secretKey = `${component}.${field.key}`.replaceAll(/[^-._a-zA-Z0-9]/g, "-");
  return [
    key,
    "        valueFrom:",
    "          secretKeyRef:",
    `            name: ${name}`,
    `            key: ${secretKey}`,
  ];
}

/** Turns inactive lines into comments, at the same column. */
function commented(lines: readonly string[], active: boolean): readonly string[] {
  return active ? lines : lines.map((line) => line.replace(/^ {4}/, "    # "));
}

function describe(field: TemplateField): string {
  const { type, required, sensitive, constraints, defaultValue } = field;
  const toFill = required && defaultValue === undefined && !sensitive;
  const words = [
    [type, ...bounds(constraints)].join(", "),
    required ? `required${toFill ? ": fill it in" : ""}` : "",
    sensitive ? "sensitive" : "",
    aboutOf(field),
  ];
  return words.filter((word) => word !== "").join("; ");
}

/** Returns the description, else the label unless it only repeats the key. */
function aboutOf({ key, label = "", description }: TemplateField): string {
  const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return description ?? (letters(label) === letters(key) ? "" : label);
}

function bounds({ allowedValues, min, max, minLength, maxLength, pattern }: FieldConstraints): readonly string[] {
  return [
    allowedValues === undefined ? "" : `one of ${allowedValues.join(", ")}`,
    range("", min, max),
    range("length ", minLength, maxLength),
    pattern === undefined ? "" : `matching ${pattern}`,
  ].filter((words) => words !== "");
}

function range(what: string, least: bigint | number | undefined, most: bigint | number | undefined): string {
  if (least !== undefined && most !== undefined) return `${what}${least} to ${most}`;
  if (least !== undefined) return `${what}from ${least}`;
  return most === undefined ? "" : `${what}up to ${most}`;
}

/** Returns the default if it is allowed, else the first allowed value, else the minimum, else an empty string. */
function valueOf({ type, defaultValue, constraints }: TemplateField): string {
  const { allowedValues, min } = constraints;
  const usual =
    defaultValue !== undefined && allowedValues?.includes(defaultValue) !== false ? defaultValue : undefined;
  const text = usual ?? allowedValues?.[0] ?? String(min ?? "");
  if (type === "bool") return text === "true" ? "true" : "false";
  // Larger integers are texts in a binding, so that none is rounded.
  if (type === "number" && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return text;
  return JSON.stringify(text);
}

function comment(text: string | undefined): readonly string[] {
  return text === undefined || printable(text) === "" ? [] : [`# ${printable(text)}`];
}

function scalar(text: string): string {
  return PLAIN.test(text) && !NOT_PLAIN.test(text) ? text : JSON.stringify(text);
}
