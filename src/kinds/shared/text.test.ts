import fc from "fast-check";
import { expect, it } from "vitest";

import { TEXT } from "../../api/status.ts";
import { countOf, fitOptional, fitText, ID } from "./text.ts";

it("a text of the platform stays as it is when it fits", () => {
  const longest = "x".repeat(TEXT);
  expect(fitText(longest)).toBe(longest);
  expect(fitOptional("a", ID)).toBe("a");
});

it("a text that the platform does not show stays absent", () => {
  expect(fitOptional(undefined)).toBeUndefined();
});

it("a text of the platform fits and is well-formed, whatever it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 90 }), fc.integer({ min: 1, max: 80 }), (text, max) => {
      const shown = fitText(text, max);
      expect(shown.length).toBeLessThanOrEqual(max);
      expect(shown.isWellFormed()).toBe(true);
    }),
  );
});

it.each([
  ["a letter", "abcdef", 4, "abc…"],
  ["half of a character of two code units", "😀😀", 2, "\uFFFD…"],
])("a text that is cut at %s ends with an ellipsis", (_where, text, max, expected) => {
  expect(fitText(text, max)).toBe(expected);
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
