/**
 * The fields of the custom resources and the values of the chart, on which users' manifests and values rely. Compares
 * those of the repository with those of the last release (docs/versions.md).
 */
import { z } from "zod";

/** The facts of a field whose change may break users. Lists are sorted. */
const facts = z.strictObject({
  type: z.string(),
  required: z.boolean().optional(),
  enum: z.array(z.string()).optional(),
  default: z.string().optional(),
  pattern: z.string().optional(),
  rules: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});
type Facts = z.output<typeof facts>;

/** Fields by path, e.g. `PlatformProject/v1alpha1.spec.name` or `values.image.tag`. */
export const contract = z.record(z.string(), facts);
export type Contract = z.output<typeof contract>;

/** The part of OpenAPI v3 and of JSON Schema that the CRDs and the chart use. */
const schema = z.looseObject({
  type: z.string().optional(),
  get properties() {
    return z.record(z.string(), schema).optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), schema]).optional();
  },
  get items() {
    return schema.optional();
  },
  required: z.array(z.string()).optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  pattern: z.string().optional(),
});
type Schema = z.output<typeof schema>;

const definition = z.object({
  spec: z.object({
    names: z.object({ kind: z.string() }),
    versions: z.array(z.object({ name: z.string(), schema: z.object({ openAPIV3Schema: schema }) })),
  }),
});

/**
 * @param definitions the parsed CRDs
 * @param values the parsed JSON Schema of the chart's values
 * @returns the fields of all versions of the CRDs and of the values
 * @throws ZodError
 */
export function contractOf(definitions: readonly unknown[], values: unknown): Contract {
  const kinds = definitions
    .map((one) => definition.parse(one))
    .flatMap(({ spec: { names, versions } }) =>
      versions.flatMap((version) => fieldsOf(`${names.kind}/${version.name}`, version.schema.openAPIV3Schema)),
    );
  return Object.fromEntries([...kinds, ...fieldsOf("values", schema.parse(values))]);
}

function fieldsOf(path: string, shape: Schema, required = false): readonly (readonly [string, Facts])[] {
  const under = Object.entries(shape.properties ?? {}).flatMap(([name, field]) =>
    fieldsOf(`${path}.${name}`, field, shape.required?.includes(name)),
  );
  const items = shape.items === undefined ? [] : fieldsOf(`${path}[]`, shape.items);
  const { additionalProperties: values } = shape;
  const entries = typeof values === "object" ? fieldsOf(`${path}.*`, values) : [];
  return [[path, factsOf(shape, required)], ...under, ...items, ...entries];
}

const rule = z.array(z.looseObject({ rule: z.string() }));
const MINIMA = ["minimum", "minLength", "minItems", "minProperties"];
const MAXIMA = ["maximum", "maxLength", "maxItems", "maxProperties"];

function factsOf(shape: Schema, required: boolean): Facts {
  const numberOf = (keywords: readonly string[]) => keywords.map((keyword) => shape[keyword]).find(isNumber);
  const rules = rule.safeParse(shape["x-kubernetes-validations"]).data?.map((one) => one.rule);
  const type = shape["x-kubernetes-int-or-string"] === true ? "integer or string" : (shape.type ?? "any");
  const found = {
    type,
    required: required || undefined,
    enum: shape.enum?.map((value) => JSON.stringify(value)).toSorted(),
    default: shape.default === undefined ? undefined : JSON.stringify(shape.default),
    pattern: shape.pattern,
    rules: rules?.toSorted(),
    minimum: numberOf(MINIMA),
    maximum: numberOf(MAXIMA),
  };
  return facts.parse(JSON.parse(JSON.stringify(found)));
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

/** A change that may break users. */
export interface Break {
  readonly path: string;
  readonly what: string;
}

/**
 * Returns the changes that may break users. A field of a status, which users only read, must stay and keep its type;
 * new values of its enums are no break, as conditions and states may always have new values.
 */
export function breaksBetween(before: Contract, after: Contract): readonly Break[] {
  const changed = Object.entries(before).flatMap(([path, old]) => {
    const now = after[path];
    if (now === undefined) return hasParent(path, after) ? [{ path, what: "is gone" }] : [];
    const rules = now.rules?.filter((one) => !concernsNew(one, path, before));
    const what = isStatus(path)
      ? typeBreak(old, now)
      : [...typeBreak(old, now), ...inputBreaks(old, { ...now, rules })];
    return what.map((one) => ({ path, what: one }));
  });
  const demanded = Object.entries(after)
    .filter(([path, { required }]) => required === true && before[path] === undefined)
    .filter(([path]) => !isStatus(path) && before[parentOf(path)] !== undefined)
    .map(([path]) => ({ path, what: "is new and required" }));
  return [...changed, ...demanded];
}

/** Reports whether a rule applies only when a new field is set. */
function concernsNew(one: string, path: string, before: Contract): boolean {
  const [, field] = /^!has\(self\.([\w.]+)\) \|\| [^?]*$/.exec(one) ?? [];
  return field !== undefined && before[`${path}.${field}`] === undefined;
}

function isStatus(path: string): boolean {
  return /^[^.]+\.status(?:\.|$)/.test(path);
}

/** Reports whether the parent still exists: of a removed subtree, only the root is reported. */
function hasParent(path: string, after: Contract): boolean {
  const parent = parentOf(path);
  return parent === path || after[parent] !== undefined;
}

function parentOf(path: string): string {
  return path.replace(/(?:\[\]|\.[^.]+)$/, "");
}

function typeBreak(old: Facts, now: Facts): readonly string[] {
  const isWider = now.type === "any" || (now.type === "integer or string" && /^(?:integer|string)$/.test(old.type));
  return old.type === now.type || isWider ? [] : [`was of type ${old.type} and is of type ${now.type}`];
}

function inputBreaks(old: Facts, now: Facts): readonly string[] {
  const lost = old.enum?.filter((value) => now.enum?.includes(value) === false) ?? [];
  const rules = now.rules?.filter((one) => old.rules?.includes(one) !== true) ?? [];
  const breaks: readonly (readonly [boolean, string])[] = [
    [isTrue(now.required) && !isTrue(old.required), "is required now"],
    [old.enum === undefined && now.enum !== undefined, "takes only some values now"],
    [isChanged(old.default, now.default), `had the default ${old.default} and has ${now.default ?? "none"}`],
    [isChanged(now.pattern, old.pattern), `has another pattern: ${now.pattern}`],
  ];
  return [
    ...lost.map((value) => `no longer takes ${value}`),
    ...rules.map((one) => `has another rule: ${one}`),
    ...breaks.flatMap(([isBroken, what]) => (isBroken ? [what] : [])),
    ...boundBreaks(old, now),
  ];
}

function boundBreaks(old: Facts, { minimum = -Infinity, maximum = Infinity }: Facts): readonly string[] {
  const isHigher = minimum > (old.minimum ?? -Infinity);
  const isLower = maximum < (old.maximum ?? Infinity);
  return [
    ...(isHigher ? [`has the minimum ${minimum} now`] : []),
    ...(isLower ? [`has the maximum ${maximum} now`] : []),
  ];
}

function isTrue(value: boolean | undefined): boolean {
  return value === true;
}

/** Reports whether a value is set and the other one, which may be unset, differs. */
function isChanged(set: string | undefined, other: string | undefined): boolean {
  return set !== undefined && set !== other;
}

/**
 * Returns the breaks that the changelog does not announce: a line "- **Breaking:** …" of the part "Unreleased" names
 * the path in backticks, without the version.
 */
export function unannounced(breaks: readonly Break[], changelog: string): readonly Break[] {
  const [, unreleased = ""] = changelog.split(/^## /m);
  const lines = unreleased.split("\n").filter((line) => line.startsWith("- **Breaking:**"));
  return breaks.filter(({ path }) => !lines.some((line) => line.includes(`\`${nameOf(path)}\``)));
}

/** Returns a path as people write it, e.g. `PlatformProject.spec.name`. */
export function nameOf(path: string): string {
  return path.replace(/\/[^.]+/, "");
}
