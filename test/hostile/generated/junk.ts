/** Values that no schema accepts, at every leaf and every object and list around one: wrong types, hostile members. */
import { isObject } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import type { LeafCases } from "./cases.ts";
import type { Leaf } from "./leaves.ts";
import { placed, valueAt } from "./place.ts";

/** The value of members that no schema has: no call may carry it. */
export const CANARY = "canary-of-no-schema";

/** Members named like those of every object. A literal would set the prototype; JSON.parse creates a member. */
const HOSTILE = JSON.parse(
  `{"__proto__":{"polluted":"${CANARY}"},"constructor":{"prototype":{"polluted":"${CANARY}"}},"${CANARY}":"${CANARY}"}`,
) as JsonObject;
const DEEP = JSON.parse(`${'{"name":['.repeat(500)}1${"]}".repeat(500)}`) as JsonObject;

/** Values of each type of a schema, by their titles. */
const JUNK: readonly (readonly [types: readonly string[], values: Readonly<Record<string, Json>>])[] = [
  [["null"], { null: null }],
  [["boolean"], { true: true }],
  [["integer", "number"], { "-1": -1, "1e308": 1e308 }],
  [["string"], { "no text": "", "the text __proto__": "__proto__", "a long text": "x".repeat(70_000) }],
  [["array"], { "[]": [], "[null]": [null], "a deep list": [DEEP] }],
  [["object"], { "{}": {}, "hostile members": HOSTILE, "a deep object": DEEP }],
];
/** Names of members that every object has, and an escape from a path. */
const TEXTS: readonly string[] = ["__proto__", "constructor", "../../x"];
const WHOLE: readonly Json[] = [true, 7, "", "text", [], [null]];

export interface Junk {
  /** E.g. `ports[].protocol: null`. */
  readonly title: string;
  readonly spec: Json;
}

/** @returns specs with one value that its schema refuses */
export function refusedJunk(cases: readonly LeafCases[]): readonly Junk[] {
  const inside = placesOf(cases).flatMap(({ base, leaf }) => {
    const { type, nullable, pattern } = leaf.schema;
    const texts = TEXTS.filter((text) => type === "string" && pattern !== undefined && !new RegExp(pattern).test(text));
    const others = JUNK.filter(([types]) => type !== undefined && !types.includes(type))
      .filter(([types]) => nullable !== true || !types.includes("null"))
      .flatMap(([, values]) => Object.entries(values));
    return [...others, ...texts.map((text) => [text, text] as const)].map(([what, value]) => ({
      title: `${leaf.path}: ${what}`,
      spec: placed(base, leaf, value).spec,
    }));
  });
  return [...WHOLE.map((spec) => ({ title: `the spec: ${JSON.stringify(spec)}`, spec })), ...inside];
}

/** @returns specs with unknown members in one object that does not preserve them, an empty spec and null */
export function unknownMembers(cases: readonly LeafCases[]): readonly Junk[] {
  const inside = placesOf(cases).flatMap(({ base, leaf }) => {
    const { type, "x-kubernetes-preserve-unknown-fields": isOpen } = leaf.schema;
    const value = valueAt(base, leaf);
    if (type !== "object" || isOpen === true || !isObject(value)) return [];
    return [{ title: `${leaf.path}: more members`, spec: placed(base, leaf, { ...value, ...HOSTILE }).spec }];
  });
  return [
    { title: "the spec: null", spec: null },
    { title: "the spec: {}", spec: {} },
    { title: "the spec: more members", spec: { ...cases[0]?.base, ...HOSTILE } },
    ...inside,
  ];
}

interface Place {
  /** A spec that has the place, or could have it. */
  readonly base: JsonObject;
  readonly leaf: Leaf;
}

/** @returns every leaf, and every object and list around one, each once */
function placesOf(cases: readonly LeafCases[]): readonly Place[] {
  const places = new Map<string, Place>();
  for (const { leaf, base } of cases) {
    const [first, ...inner] = leaf.schemas;
    for (const [index, schema] of inner.entries()) {
      const segments = leaf.segments.slice(0, index + 1);
      const path = segments.map((one) => (typeof one === "string" ? one : `.${one.member}`)).join("");
      const schemas = [first, ...inner.slice(0, index + 1)] as const;
      if (!places.has(path))
        places.set(path, { base, leaf: { ...leaf, path: path.slice(1), segments, schemas, schema } });
    }
  }
  return [...places.values()];
}
