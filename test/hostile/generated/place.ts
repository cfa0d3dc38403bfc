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
export function placed(spec: JsonObject, leaf: Leaf, value: Json | undefined): Placed {
  const { segments, schemas } = leaf;
  const { container, at } = put(spec, { segments, schemas, value, at: "spec" });
  return { spec: asObject(container), at };
}

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

interface Put {
  readonly container: Json;
  readonly at: string;
}

interface Way {
  readonly segments: readonly Segment[];
  readonly schemas: readonly Structural[];
  readonly value: Json | undefined;
  readonly at: string;
}

function put(container: Json | undefined, way: Way): Put {
  const [segment, ...segments] = way.segments;
  if (segment === undefined) return { container: way.value ?? null, at: way.at };
  const next = { ...way, segments, schemas: way.schemas.slice(1) };
  if (segment === "[]") return putItem(listOf(container), next);
  const object = isObject(container) ? container : {};
  if (segment === "{}") return putMember(object, keyFor(object, segments, way.at), [], next);
  return putMember(object, segment.member, excludedBy(way.schemas[0], segment.member), next);
}

function putItem(list: readonly Json[], way: Way): Put {
  if (list.length === 0) throw new RangeError(`${way.at} has no item`);
  const found = list.findIndex((item) => find(item, way.segments) !== undefined);
  const index = Math.max(0, found);
  const inner = put(list[index], { ...way, at: `${way.at}[${index}]` });
  return { container: list.toSpliced(index, 1, ...(isGone(way) ? [] : [inner.container])), at: inner.at };
}

function putMember(object: JsonObject, key: string, excluded: readonly string[], way: Way): Put {
  const inner = put(object[key], { ...way, at: `${way.at}.${key}` });
  const others = Object.entries(object).filter(([name]) => name !== key && !excluded.includes(name));
  const own: readonly (readonly [string, Json])[] = isGone(way) ? [] : [[key, inner.container]];
  return { container: Object.fromEntries([...others, ...own]), at: inner.at };
}

const isGone = ({ segments, value }: Way): boolean => segments.length === 0 && value === undefined;

function keyFor(object: JsonObject, rest: readonly Segment[], at: string): string {
  const [first, ...others] = Object.keys(object);
  if (first === undefined) throw new RangeError(`${at} has no entry`);
  return [first, ...others].find((key) => find(object[key], rest) !== undefined) ?? first;
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
  if (typeof segment === "object") return isObject(value) ? find(value[segment.member], rest) : undefined;
  const inside = segment === "[]" ? listOf(value) : Object.values(isObject(value) ? value : {});
  return inside.map((one) => find(one, rest)).find((found) => found !== undefined);
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const listOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : []);

function asObject(value: Json): JsonObject {
  if (!isObject(value)) throw new TypeError("a spec is an object");
  return value;
}
