/** The leaves of a schema: all values that a user can set in a spec. */
import type { Structural } from "../../../scripts/schema.ts";
import type { CelRule } from "../../../src/api/resource.ts";

/** A step from a value to one inside it: a member by its name, some item of a list, some entry of a map. */
export type Segment = { readonly member: string } | "[]" | "{}";

export interface Leaf {
  /** E.g. `ports[].internalPort`, `layerSelections{}`. */
  readonly path: string;
  readonly segments: readonly Segment[];
  /** The schemas on the path, from the spec's to the leaf's. */
  readonly schemas: readonly [Structural, ...Structural[]];
  readonly schema: Structural;
  /** Whether it alone can be absent. */
  readonly optional: boolean;
}

/**
 * @returns every scalar, every list and map (for its size), and every object without properties in its schema
 * @param spec the schema of a spec
 * @param rules the rules of the whole object
 */
export function leavesOf(spec: Structural, rules: readonly CelRule[] = []): readonly Leaf[] {
  return [...walk({ segments: [], schemas: [spec], rules }, false)];
}

interface Way {
  readonly segments: readonly Segment[];
  readonly schemas: readonly [Structural, ...Structural[]];
  /** The rules of the whole object, which refer to members as `self.spec.x`. */
  readonly rules: readonly CelRule[];
}

function* walk(way: Way, optional: boolean): Generator<Leaf> {
  const { segments, schemas, rules } = way;
  const schema = schemas.at(-1) ?? schemas[0];
  const into = (segment: Segment, next: Structural): Way => ({
    segments: [...segments, segment],
    schemas: [...schemas, next],
    rules: [],
  });
  if (Object.keys(schema.properties ?? {}).length === 0)
    yield { segments, schemas, path: textOf(segments), schema, optional };
  const applied = [...rules, ...(schema["x-kubernetes-validations"] ?? [])];
  for (const [member, next] of Object.entries(schema.properties ?? {})) {
    const isFree = schema.minProperties === undefined && !applied.some((rule) => mayRequire(rule, member));
    yield* walk(into({ member }, next), isFree && schema.required?.includes(member) !== true);
  }
  if (schema.items !== undefined) yield* walk(into("[]", schema.items), false);
  if (schema.additionalProperties !== undefined) yield* walk(into("{}", schema.additionalProperties), false);
}

/** Whether a rule can require a member; `!has(…)` cannot. */
function mayRequire({ rule }: CelRule, member: string): boolean {
  return new RegExp(String.raw`(?<!!)has\(self\.(spec\.)?${member}\)`).test(rule);
}

function textOf(segments: readonly Segment[]): string {
  return segments
    .map((segment) => (typeof segment === "string" ? segment : `.${segment.member}`))
    .join("")
    .replace(/^\./, "");
}
