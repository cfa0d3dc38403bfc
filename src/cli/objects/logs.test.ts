import fc from "fast-check";
import { expect, it } from "vitest";

import { newLines } from "./logs.ts";

it.each([
  ["the first lines", [], ["a"], ["a"]],
  ["a log that shares no line with what was shown", ["a", "b"], ["x", "y"], ["x", "y"]],
  ["a line equal to those before it", ["a", "a"], ["a", "a", "a"], ["a"]],
  ["the same lines as before", ["a", "b"], ["a", "b"], []],
  ["no lines at all", ["a"], [], []],
])("newLines() finds what to print after %s", (_, before, now, added) => {
  expect(newLines(before, now)).toEqual(added);
});

it("newLines() finds every added line as long as the window still overlaps what was shown", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { minLength: 2 }), fc.nat(), fc.nat(), (lines, a, b) => {
      const seen = 1 + (a % lines.length);
      const from = b % seen;
      expect(newLines(lines.slice(0, seen), lines.slice(from))).toEqual(lines.slice(seen));
    }),
  );
});
