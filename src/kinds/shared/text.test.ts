import fc from "fast-check";
import { expect, it } from "vitest";

import { TEXT } from "../../api/status.ts";
import { countOf, fitOptional, fitText, ID } from "./text.ts";

it("a text of the platform stays as it is when it fits", () => {
  const longest = "x".repeat(TEXT);
  expect([fitText(longest), fitOptional(undefined), fitOptional("a", ID)]).toEqual([longest, undefined, "a"]);
});

it("a text of the platform is cut, with an ellipsis, and well-formed, whatever it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 90 }), fc.integer({ min: 1, max: 80 }), (text, max) => {
      const shown = fitText(text, max);
      expect(shown.length).toBeLessThanOrEqual(max);
      expect(shown.isWellFormed()).toBe(true);
    }),
  );
  expect([fitText("abcdef", 4), fitText("😀😀", 2)]).toEqual(["abc…", "\uFFFD…"]);
});

it.each([
  [undefined, 0],
  [0, 0],
  [3, 3],
  [-1, 0],
  [2.9, 2],
  [1e300, Number.MAX_SAFE_INTEGER],
])("counted as a number of things, %s is %s", (value, expected) => {
  expect(countOf(value)).toBe(expected);
});
