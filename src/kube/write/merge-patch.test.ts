import { isDeepStrictEqual } from "node:util";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { mergePatched } from "../../../test/support/kube/patches.ts";
import { isObject } from "../api/json.ts";
import type { Json, JsonObject } from "../api/types.ts";
import { diffMerge } from "./merge-patch.ts";

const { json } = fc.letrec<{ json: Json; object: JsonObject }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    fc.integer({ min: 0, max: 3 }),
    fc.boolean(),
    fc.constantFrom("a", "b"),
    fc.array(fc.nat(2), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__", "constructor"), tie("json"), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
}));
const object = json.filter(isObject);

describe("diffMerge, the merge patch from one object to another,", () => {
  it("makes one object into the other, and is absent if they are equal", () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const patch = diffMerge(before, after);
        expect(isDeepStrictEqual(mergePatched(before, patch ?? {}), after)).toBe(true);
        expect(patch === undefined).toBe(isDeepStrictEqual(before, after));
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, unknown, JsonObject, JsonObject | undefined]>([
    ["has only what differs", { a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3 } }, { b: { d: 3 } }],
    ["has no member for undefined and null", { a: 1 }, { a: 1, b: undefined, c: null }, undefined],
    ["removes a member that is undefined", { a: 1, b: 2 }, { a: 1, b: undefined }, { b: null }],
    ["has the whole object where there was none", undefined, { a: 1 }, { a: 1 }],
    ["ignores the order of members", { a: { c: 1, d: 2 } }, { a: { d: 2, c: 1 } }, undefined],
  ])("%s", (_, before, after, wanted) => {
    expect(diffMerge(before, after)).toEqual(wanted);
  });

  it("[E3] changes no prototype", () => {
    const after = JSON.parse('{"__proto__": {"polluted": true}}') as JsonObject;
    expect(JSON.stringify(diffMerge({}, after))).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
