/** Reads and sets the values of leaves in specs. */
import type { Structural } from "../../../scripts/schema.ts";
import { isObject } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import type { Leaf, Segment } from "./leaves.ts";

/** A spec with another value at a leaf, and the leaf's path as the API server writes it: `spec.ports[0].protocol`. */
export interface Placed {
  readonly spec: JsonObject;
  readonly at: string;
}

/**
 * Sets a leaf of a spec: in the first item or entry that has it, else in the first one. Creates missing objects on the
 * way, and removes the member that a rule "exactly one of" excludes.
 * @param value undefined removes the leaf
 * @throws RangeError when a list or map on the way is empty
 */
export function placed(spec: JsonObject, { segments, schemas }: Leaf, value: Json | undefined): Placed {
  const copy: Members = structuredClone(spec);
  let container = copy;
  let at = "spec";
  for (const [index, segment] of segments.entries()) {
    const rest = segments.slice(index + 1);
    const key = keyOf(container, segment, rest, at);
    at += segment === "[]" ? `[${key}]` : `.${key}`;
    for (const excluded of excludedBy(schemas[index], key)) delete container[excluded];
    if (rest.length > 0) container = (container[key] ??= {}) as Members;
    else if (value !== undefined) container[key] = value;
    else if (Array.isArray(container)) container.splice(Number(key), 1);
    else delete container[key];
  }
  return { spec: copy, at };
}

/** An object or a list, by its keys or indexes. */
type Members = Record<string, Json | undefined>;

export function valueAt(spec: JsonObject, leaf: Leaf): Json | undefined {
  return find(spec, leaf.segments);
}

/** @returns a merge patch (RFC 7386) that changes `from` into `to` */
export function mergePatch(from: JsonObject, to: JsonObject): JsonObject {
  const gone = Object.keys(from).filter((key) => to[key] === undefined);
  const changed = Object.entries(to).map(([key, value]): [string, Json | undefined] => {
    const old = from[key];
    return [key, isObject(old) && isObject(value) ? mergePatch(old, value) : value];
  });
  return Object.fromEntries([...gone.map((key): [string, Json] => [key, null]), ...changed]);
}

function keyOf(container: Members, segment: Segment, rest: readonly Segment[], at: string): string {
  if (typeof segment === "object") return segment.member;
  const [first, ...others] = Object.keys(container);
  if (first === undefined) throw new RangeError(`${at} is empty`);
  return [first, ...others].find((key) => find(container[key], rest) !== undefined) ?? first;
}

/** @returns the other member of a rule `has(self.a) != has(self.b)` */
function excludedBy(schema: Structural | undefined, member: string): readonly string[] {
  return (schema?.["x-kubernetes-validations"] ?? []).flatMap(({ rule }) => {
    const [, one, other] = /^has\(self\.(\w+)\) != has\(self\.(\w+)\)$/.exec(rule) ?? [];
    if (one === undefined || other === undefined) return [];
    return one === member ? [other] : other === member ? [one] : [];
  });
}

function find(value: Json | undefined, [segment, ...rest]: readonly Segment[]): Json | undefined {
  if (segment === undefined) return value;
  if (typeof value !== "object" || value === null) return undefined;
  if (typeof segment === "object") return find((value as JsonObject)[segment.member], rest);
  return Object.values<Json | undefined>(value)
    .map((one) => find(one, rest))
    .find((found) => found !== undefined);
}
