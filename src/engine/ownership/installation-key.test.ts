import { expect, it } from "vitest";

import { aKey } from "../../../test/support/engine/keys.ts";
import { sameCode, temporaryKey } from "./installation-key.ts";

it("a code is the same for the same purpose, parts and key", () => {
  expect(aKey().code("record", ["a", null])).toBe(aKey().code("record", ["a", null]));
});

it.each([
  ["another purpose", aKey().code("orphan", ["a", "b"])],
  ["another part", aKey().code("record", ["a", "c"])],
  ["parts that are divided elsewhere", aKey().code("record", ["ab"])],
  ["another key", aKey("another").code("record", ["a", "b"])],
])("a code differs for %s", (_, other) => {
  expect(other).not.toBe(aKey().code("record", ["a", "b"]));
});

it("two keys have two ids, and an id is no code", () => {
  expect(aKey("another").id).not.toBe(aKey().id);
  expect(aKey().id).toMatch(/^[\w-]{8}$/);
});

it("a temporary key is another one in each process, and is not stored", () => {
  expect(temporaryKey().id).not.toBe(temporaryKey().id);
  expect(temporaryKey().isStored).toBe(false);
});

it.each([
  ["abc", "abc", true],
  ["abc", "abd", false],
  ["abc", "ab", false],
  ["", "", true],
])("the comparison of %j and %j is %s", (left, right, same) => {
  expect(sameCode(left, right)).toBe(same);
});
