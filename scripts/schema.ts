/**
 * zod → the structural schema of a CRD. Refuses everything that Kubernetes would drop or interpret differently, so that
 * no rule is lost silently.
 */
import { RE2JS } from "re2js";
import { z } from "zod";

import type { CelRule } from "../src/api/resource.ts";

/** The part of `JSONSchemaProps` (apiextensions.k8s.io/v1) that we use. Other attributes are refused. */
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
/** Left out on purpose: the API server would write a default into the user's spec; the description has it instead. */
const DROPPED = new Set(["default"]);
const NESTED = new Set(["properties", "items", "additionalProperties"]);

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Converts a zod object.
 * @param path names the schema in errors, e.g. "PlatformProject.spec".
 * @throws Error with the path of a part that a CRD cannot express, or of a field without description or bounds
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

/** Refuses flags, which JSON Schema does not have: zod and the API server would match differently. */
function checkFlags(pattern: RegExp, path: string): void {
  if (pattern.flags !== "") throw new Error(`${path}: the flags of ${String(pattern)} would be lost`);
}

/** Checks that RE2, which the API server uses, accepts the pattern: it supports less than JavaScript. */
function checkPattern(pattern: string, path: string): void {
  try {
    RE2JS.compile(pattern);
  } catch (cause) {
    throw new Error(`${path}: RE2 cannot read the pattern ${pattern}`, { cause });
  }
}

function convert(json: JsonSchema, path: string): Structural {
  // A CRD cannot express the type of a union, so only zod validates it.
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
  // The API server drops an empty one, which causes a conflict when another client applies the CRD.
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

/** Checks that a field has bounds: they limit the operator's memory and the API server's cost estimate of rules. */
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

/** Reports a bound that zod adds to every integer, the range of exact integers: it is left out of the CRD. */
function isSafeBound(key: string, value: unknown): boolean {
  return (
    (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
