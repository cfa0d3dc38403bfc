import fc from "fast-check";
import { expect, it } from "vitest";

import { newLines } from "./logs.ts";

it.each([
  ["the first ones", [], ["a"], ["a"]],
  ["a log that began anew", ["a", "b"], ["x", "y"], ["x", "y"]],
  ["the same line again", ["a", "a"], ["a", "a", "a"], ["a"]],
  ["a log that became empty", ["a"], [], []],
])("new lines of a log: %s", (_, before, now, added) => {
  expect(newLines(before, now)).toEqual(added);
});

it("new lines of a log are all that were added while the window still holds something of before", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { minLength: 2 }), fc.nat(), fc.nat(), (lines, a, b) => {
      const seen = 1 + (a % lines.length);
      const from = b % seen;
      expect(newLines(lines.slice(0, seen), lines.slice(from))).toEqual(lines.slice(seen));
    }),
  );
});
