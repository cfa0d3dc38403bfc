/**
 * zod → the structural schema of a CRD. Refuses whatever Kubernetes would drop or read in another way than zod does,
 * so that a rule never vanishes silently.
 */
import { RE2JS } from "re2js";
import { z } from "zod";

import type { CelRule } from "../src/api/resource.ts";

/** The part of `JSONSchemaProps` (apiextensions.k8s.io/v1) that we use. Attributes that are not here are refused. */
export interface Structural {
  description?: string;
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  format?: "int64" | "date-time";
  nullable?: true;
  enum?: string[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  items?: Structural;
  properties?: Record<string, Structural>;
  required?: string[];
  additionalProperties?: Structural;
  "x-kubernetes-list-type"?: "map" | "set" | "atomic";
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-int-or-string"?: true;
  "x-kubernetes-preserve-unknown-fields"?: true;
  "x-kubernetes-validations"?: CelRule[];
}

const COPIED = new Set([
  "description",
  "type",
  "format",
  "nullable",
  "enum",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "required",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
]);
/** Left out on purpose: a default would be written into what users own; the description says it instead. */
const DROPPED = new Set(["default"]);
const NESTED = new Set(["properties", "items", "additionalProperties"]);

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Converts a zod object.
 * @param path names the schema in errors, e.g. "PlatformProject.spec".
 * @throws Error that names the path of what a CRD cannot say, or of a field without description or bounds.
 */
export function structural(schema: z.ZodType, path: string): Structural {
  const json = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    reused: "inline",
    cycles: "throw",
    override: ({ zodSchema }) => {
      for (const check of zodSchema._zod.def.checks ?? []) {
        if (check instanceof z.core.$ZodCheckRegex) checkFlags(check._zod.def.pattern, path);
      }
    },
  });
  return convert(json, path);
}

/** JSON Schema has no flags: zod would match in one way, the API server in another. */
function checkFlags(pattern: RegExp, path: string): void {
  if (pattern.flags !== "") throw new Error(`${path}: the flags of ${String(pattern)} would be lost`);
}

/** The API server reads patterns with RE2, which knows less than JavaScript. */
function checkPattern(pattern: string, path: string): void {
  try {
    RE2JS.compile(pattern);
  } catch (cause) {
    throw new Error(`${path}: RE2 cannot read the pattern ${pattern}`, { cause });
  }
}

function convert(json: JsonSchema, path: string): Structural {
  // The API server cannot type a union; what it holds is checked by zod alone.
  const open = json["x-kubernetes-preserve-unknown-fields"] === true;
  const copied = Object.entries(json).filter(([key, value]) => {
    if (open && key === "anyOf") return false;
    if (key === "additionalProperties" && (value === false || isEmpty(value))) return false;
    if (!COPIED.has(key) && !DROPPED.has(key) && !NESTED.has(key)) throw new Error(`${path}: a CRD has no "${key}"`);
    return COPIED.has(key) && !isSafeBound(key, value);
  });
  const result: Structural = Object.fromEntries(copied);
  if (result.type === "integer") result.format = "int64";
  if (result["x-kubernetes-int-or-string"] === true) delete result.type;
  if (result.pattern !== undefined) checkPattern(result.pattern, path);
  convertChildren(json, result, path);
  checkBounds(result, path);
  return result;
}

function convertChildren(json: JsonSchema, result: Structural, path: string): void {
  const child = (value: JsonSchema | boolean | undefined, at: string): Structural | undefined => {
    if (typeof value !== "object" || isEmpty(value)) return undefined;
    const converted = convert(value, at);
    if (converted.description === undefined) throw new Error(`${at}: has no description`);
    return converted;
  };
  // The API server drops an empty one: whoever applies the CRD after somebody else would find a conflict.
  if (json.properties !== undefined && !isEmpty(json.properties)) {
    result.properties = Object.fromEntries(
      Object.entries(json.properties).flatMap(([name, value]) => {
        const converted = child(value, `${path}.${name}`);
        return converted === undefined ? [] : [[name, converted]];
      }),
    );
  }
  if (Array.isArray(json.items)) throw new Error(`${path}: a CRD has no tuples`);
  const items = child(json.items, `${path}[]`);
  if (items !== undefined) result.items = items;
  const values = child(json.additionalProperties, `${path}{}`);
  if (values !== undefined) result.additionalProperties = values;
}

/** Every field has a bound: the API server's cost estimate of rules stands on them, and so does our memory. */
function checkBounds(schema: Structural, path: string): void {
  const missing = (what: string): Error => new Error(`${path}: has no ${what}`);
  if (schema.type === "string" && schema.maxLength === undefined && schema.enum === undefined)
    throw missing("maxLength");
  if (schema.type === "integer" && schema.minimum === undefined) throw missing("minimum");
  if (schema.type === "array" && schema.maxItems === undefined) throw missing("maxItems");
  if (schema.type === "array" && schema["x-kubernetes-list-type"] === undefined)
    throw missing("x-kubernetes-list-type");
  if (schema.additionalProperties !== undefined && schema.maxProperties === undefined) throw missing("maxProperties");
}

/** zod bounds every integer by what JavaScript counts exactly; that says nothing to a reader of the CRD. */
function isSafeBound(key: string, value: unknown): boolean {
  return (
    (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
