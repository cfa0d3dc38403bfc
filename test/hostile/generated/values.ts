/** Values at the bounds of a schema and beyond, derived from a valid value. */
import type { Structural } from "../../../scripts/schema.ts";
import { isObject } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";

export interface Value {
  readonly title: string;
  /** Undefined when the leaf is absent. */
  readonly value: Json | undefined;
  /** What the API server names, below the leaf. */
  readonly within?: string;
}

/** @returns values at a leaf's bounds without `sample` itself, and absence if the leaf is optional */
export function boundariesOf(schema: Structural, sample: Json, optional: boolean): readonly Value[] {
  const values = [...typedBoundaries(schema, sample), ...(schema.nullable === true ? titled({ null: null }) : [])];
  const known = new Set([JSON.stringify(sample)]);
  const others = values.filter(({ value }) => !known.has(JSON.stringify(value)) && known.add(JSON.stringify(value)));
  return optional ? [...others, { title: "absent", value: undefined }] : others;
}

function typedBoundaries(schema: Structural, sample: Json): readonly Value[] {
  const { maximum = sample, minimum = sample, maxItems = 0, minItems = 0, maxProperties } = schema;
  if (schema.enum !== undefined) return schema.enum.map((value) => ({ title: `the value ${value}`, value }));
  if (typeof sample === "string")
    return titled({ "the longest": longest(schema, sample), "the shortest": shortest(schema, sample) });
  if (typeof sample === "boolean") return titled({ "the other": !sample });
  if (typeof sample === "number") return titled({ "the least": minimum, "the most": maximum });
  if (Array.isArray(sample)) {
    const [fewest, most] = [minItems, maxItems].map((count) => filled(schema, sample, count));
    return titled({ "the fewest": fewest, "as many as may be": most });
  }
  if (!isObject(sample)) return [];
  const most = maxProperties === undefined ? undefined : crowded(sample, maxProperties);
  return titled({ empty: {}, "as many as may be": most });
}

/** @returns the values that are defined */
function titled(values: Readonly<Record<string, Json | undefined>>): readonly Value[] {
  return Object.entries(values).flatMap(([title, value]) => (value === undefined ? [] : [{ title, value }]));
}

/** @returns values that the schema refuses: at least one of a wrong type, unless the leaf accepts any type */
export function invalidsOf(schema: Structural, sample: Json): readonly Value[] {
  // Of any type; a rule refuses the number of an int-or-string.
  if (schema.type === undefined && schema["x-kubernetes-int-or-string"] !== true) return [];
  return [{ title: "of another type", value: otherType(schema, sample) }, ...beyond(schema, sample)];
}

function beyond(schema: Structural, sample: Json): readonly Value[] {
  if (schema.enum !== undefined) return [{ title: "an unknown value", value: `${JSON.stringify(sample)}x` }];
  if (typeof sample === "string") return strangeTexts(schema, sample);
  if (typeof sample === "number") {
    const { minimum, maximum } = schema;
    const [less, more] = [minimum === undefined ? minimum : minimum - 1, maximum === undefined ? maximum : maximum + 1];
    return titled({ "too little": less, "too much": more, "a fraction": sample + 0.5 });
  }
  if (Array.isArray(sample)) return strangeLists(schema, sample);
  if (!isObject(sample) || schema.maxProperties === undefined) return [];
  return [{ title: "too many", value: crowded(sample, schema.maxProperties + 1) }];
}

function strangeTexts(schema: Structural, sample: string): readonly Value[] {
  const { maxLength, minLength, pattern } = schema;
  const odd = [" ", "a\nb", `${sample}\n`, `${sample}\u0000`, `\u202e${sample}`, `${sample}/../x`, "-", "ü"];
  return [
    ...(maxLength === undefined ? [] : [{ title: "too long", value: padded(sample, maxLength + 1) }]),
    ...(minLength === undefined || minLength === 0 ? [] : [{ title: "too short", value: "" }]),
    ...odd.filter((text) => !fits(pattern, text)).map((value) => ({ title: JSON.stringify(value), value })),
  ];
}

function strangeLists(schema: Structural, sample: readonly Json[]): readonly Value[] {
  const { minItems = 0, maxItems = Infinity } = schema;
  const [first] = sample;
  const isKeyed = schema["x-kubernetes-list-type"] !== "atomic";
  return [
    ...(minItems === 0 ? [] : [{ title: "too few", value: filled(schema, sample, minItems - 1) }]),
    ...(maxItems === Infinity ? [] : [{ title: "too many", value: filled(schema, sample, maxItems + 1) }]),
    ...(isKeyed && first !== undefined ? [{ title: "one twice", value: [first, first], within: "[1]" }] : []),
  ];
}

function otherType({ type }: Structural, sample: Json): Json {
  if (type === "string" || type === undefined) return 7;
  return type === "object" || type === "array" ? "text" : JSON.stringify(sample);
}

/** @returns the longest valid text that results from repeating one character of a sample */
function longest({ maxLength = 0, pattern }: Structural, sample: string): string {
  for (let length = maxLength; length > sample.length; length -= 1) {
    for (let at = 0; at < sample.length; at += 1) {
      const grown = padded(sample, length, at);
      if (fits(pattern, grown)) return grown;
    }
  }
  return sample;
}

/** @returns the shortest valid text that results from removing characters of a sample */
function shortest({ minLength = 0, pattern }: Structural, sample: string): string {
  if (sample.length <= minLength) return sample;
  for (let at = 0; at < sample.length; at += 1) {
    const shrunk = sample.slice(0, at) + sample.slice(at + 1);
    if (fits(pattern, shrunk)) return shortest({ minLength, ...(pattern !== undefined && { pattern }) }, shrunk);
  }
  return sample;
}

function padded(sample: string, length: number, at = 0): string {
  return sample.slice(0, at) + (sample[at] ?? "x").repeat(length - sample.length + 1) + sample.slice(at + 1);
}

function fits(pattern: string | undefined, text: string): boolean {
  return pattern === undefined || new RegExp(pattern).test(text);
}

/** @returns a list of `count` different items: those of the sample, then variations of its first one */
function filled(schema: Structural, sample: readonly Json[], count: number): readonly Json[] {
  const [first] = sample;
  const choice = schema.items?.enum;
  if (choice !== undefined)
    return [...sample, ...choice.filter((value) => !sample.includes(value)), "Other"].slice(0, count);
  const [key] = schema["x-kubernetes-list-map-keys"] ?? [];
  return Array.from({ length: count }, (_, index) => sample[index] ?? varied(first ?? null, index, key));
}

function varied(value: Json, index: number, key: string | undefined): Json {
  if (typeof value === "number") return value + index;
  if (typeof value === "string") {
    return /-[0-9a-f]{12}$/.test(value) ? value.slice(0, -4) + String(index).padStart(4, "d") : `${value}${index}`;
  }
  if (key === undefined || !isObject(value)) return value;
  return { ...value, [key]: varied(value[key] ?? null, index, undefined) };
}

function crowded(sample: JsonObject, count: number): JsonObject {
  const [first] = Object.values(sample);
  const own = Object.entries(sample).slice(0, count);
  const more = Array.from({ length: count - own.length }, (_, index): [string, Json] => [`key${index}`, first ?? true]);
  return Object.fromEntries([...own, ...more]);
}
