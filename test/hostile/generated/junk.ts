/** What no schema lets pass, at every leaf and at all that is on the way to one: other types, and hostile members. */
import { isObject } from "../../../src/kube/api/json.ts";
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import type { LeafCases } from "./cases.ts";
import type { Leaf } from "./leaves.ts";
import { placed, valueAt } from "./place.ts";

/** What stands under members that no schema knows: no call may carry it. */
export const CANARY = "canary-of-no-schema";

/** Members that reach for what every object has; only a parser makes `__proto__` a member like others. */
const HOSTILE = JSON.parse(
  `{"__proto__":{"polluted":"${CANARY}"},"constructor":{"prototype":{"polluted":"${CANARY}"}},"${CANARY}":"${CANARY}"}`,
) as JsonObject;
const DEEP = JSON.parse(`${'{"name":['.repeat(500)}1${"]}".repeat(500)}`) as JsonObject;

/** Values of each type, as a schema names it, by what they are called. */
const JUNK: readonly (readonly [types: readonly string[], values: Readonly<Record<string, Json>>])[] = [
  [["null"], { null: null }],
  [["boolean"], { true: true }],
  [["integer", "number"], { "-1": -1, "1e308": 1e308 }],
  [["string"], { "no text": "", "the text __proto__": "__proto__", "a long text": "x".repeat(70_000) }],
  [["array"], { "[]": [], "[null]": [null], "a deep list": [DEEP] }],
  [["object"], { "{}": {}, "hostile members": HOSTILE, "a deep object": DEEP }],
];
/** Names that exist where nobody made them, and ways out of a path. */
const TEXTS: readonly string[] = ["__proto__", "constructor", "../../x"];
/** In place of a whole spec. */
const WHOLE: readonly Json[] = [true, 7, "", "text", [], [null]];

export interface Junk {
  /** E.g. `ports[].protocol: null`. */
  readonly title: string;
  readonly spec: Json;
}

/** Specs with a value in one place that its schema refuses. */
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

/** Specs in which one object has members that nobody knows, an object of any members left out; and no spec at all. */
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
  /** A spec in which the place is, or could be. */
  readonly base: JsonObject;
  readonly leaf: Leaf;
}

/** Every leaf, and every object and list on the way to one, each once. */
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
