/** Checks one value against one field of a template. Pure; no answer quotes the value. */
import type { FieldConstraints, Template, TemplateField, ConfigValue } from "../../platform/areas/templates.ts";
import type { ConfigLeaf } from "./model.ts";

/** Returns a function that finds the field of a value in a template. */
export function templateFields(template: Template | undefined): (leaf: ConfigLeaf) => TemplateField | undefined {
  const components = template?.layers.flatMap((layer) => layer.components) ?? [];
  return ({ component, key }) =>
    components.find((each) => each.key === component)?.fields.find((field) => field.key === key);
}

const INTEGER = /^-?(0|[1-9]\d*)$/;
const DECIMAL = /^-?(0|[1-9]\d*)\.\d+$/;
/** An int64 has at most 19 digits; longer texts are not worth converting. */
const MAX_DIGITS = 20;

/**
 * Converts a value to the type of the field. A text is accepted for each type; an integer that a double would round
 * becomes a bigint.
 * @returns undefined when the value is not of that type; a type that is not documented accepts every value
 */
export function typed(type: string, value: ConfigLeaf["value"]): ConfigValue | undefined {
  switch (type) {
    case "string":
      return typeof value === "string" ? value : undefined;
    case "bool":
      if (typeof value === "boolean") return value;
      return value === "true" ? true : value === "false" ? false : undefined;
    case "number":
      return typeof value === "string" ? numberOf(value) : typeof value === "number" ? value : undefined;
    default:
      return value;
  }
}

/** Converts a text to a number if nothing rounds it: an int64, or a decimal that a double holds exactly as written. */
function numberOf(text: string): number | bigint | undefined {
  if (text.length > MAX_DIGITS) return undefined;
  if (INTEGER.test(text)) {
    const integer = BigInt(text);
    if (BigInt.asIntN(64, integer) !== integer) return undefined;
    return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
  }
  if (!DECIMAL.test(text)) return undefined;
  return String(Number(text)) === text.replace(/\.?0+$/, "") ? Number(text) : undefined;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ["string", "must be a string (quote numbers and booleans)"],
  ["bool", "must be true or false"],
  ["number", "must be a number, of at most 64 bits"],
]);

/**
 * Returns the rules of its field that a value breaks, except the pattern. Each text continues the path: "must be …".
 */
export function valueProblems(field: TemplateField, leaf: ConfigLeaf): readonly string[] {
  const sensitive = field.sensitive && leaf.from !== "Secret" ? ["is sensitive and may come only from a Secret"] : [];
  const value = typed(field.type, leaf.value);
  if (value === undefined) return [...sensitive, TYPES.get(field.type) ?? ""];
  return [...sensitive, ...boundProblems(field.constraints, value), ...allowedProblems(field, value)];
}

/** Compares numbers and bigints exactly, and lengths leniently: it is not documented what counts as a character. */
function boundProblems({ min, max, minLength, maxLength }: FieldConstraints, value: ConfigValue): readonly string[] {
  const problems: string[] = [];
  if (typeof value === "number" || typeof value === "bigint") {
    if (min !== undefined && value < min) problems.push(`must be at least ${min}`);
    if (max !== undefined && value > max) problems.push(`must be at most ${max}`);
  }
  if (typeof value === "string") {
    if (minLength !== undefined && value.length < minLength)
      problems.push(`must have at least ${minLength} characters`);
    if (maxLength !== undefined && charactersOf(value) > maxLength)
      problems.push(`must have at most ${maxLength} characters`);
  }
  return problems;
}

/** Counts code points, which are never more than UTF-16 units or bytes. */
const charactersOf = (text: string): number => Array.from(text).length;

/** Ignores an empty list: it would allow nothing at all, and only the platform knows whether that is meant. */
function allowedProblems({ type, constraints }: TemplateField, value: ConfigValue): readonly string[] {
  const allowed = constraints.allowedValues ?? [];
  if (allowed.length === 0) return [];
  if (allowed.some((one) => one === String(value) || typed(type, one) === value)) return [];
  return [`must be ${allowed.length > 1 ? "one of " : ""}${listOf(allowed)}`];
}

const LISTED = 8;

/** Returns "a, b, c", or the first eight names and the number of all. */
export function listOf(names: readonly string[]): string {
  return names.length > LISTED ? `${names.slice(0, LISTED).join(", ")}, … (${names.length} in all)` : names.join(", ");
}
