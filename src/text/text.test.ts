import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cleanText, hasCredentials, printable, printableLines, withoutCredentials } from "./text.ts";

describe("[E5] text from outside", () => {
  it.each([
    ["control characters", "a\u0000b", "a b"],
    ["line breaks", "a\r\nb", "a b"],
    ["escape sequences", "\u001b[31mred", "[31mred"],
    ["characters that change the direction of text", "a\u202eb", "a b"],
    ["line separators", "a\u2028b", "a b"],
    ["a half of a surrogate pair", "a\ud800b", "a b"],
    ["no printable character", "plain – text 🙂", "plain – text 🙂"],
  ])("loses %s in printable()", (_, given, expected) => {
    expect(printable(given)).toBe(expected);
  });

  it("keeps its lines and their indentation in printableLines()", () => {
    expect(printableLines("a\u001b[2J\r\n  b\u009b\u202ec\n")).toBe("a [2J\n  b c\n");
  });

  it.each([
    ["https://user:pass@git.example.com/shop", "https://•••@git.example.com/shop", true],
    ["https://user:p@ss@git.example.com/shop", "https://•••@git.example.com/shop", true],
    ["https://token@git.example.com/shop", "https://•••@git.example.com/shop", true],
    ["see https://a:b@x.example and ssh://c@y.example", "see https://•••@x.example and ssh://•••@y.example", true],
    ["https://git.example.com/@scope/shop", "https://git.example.com/@scope/shop", false],
    ['"ssh://git@git.example.com/a.git"', '"ssh://•••@git.example.com/a.git"', true],
    ['"git@git.example.com:a.git"', '"git@git.example.com:a.git"', false],
    ["mail a@example.com", "mail a@example.com", false],
  ])("is masked where it has credentials: %s", (given, expected, has) => {
    expect(withoutCredentials(given)).toBe(expected);
    expect(hasCredentials(given)).toBe(has);
  });
});

it("[E5] cleanText() returns well-formed text within its bytes, without control and bidirectional characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 8, max: 64 }), (text, maxBytes) => {
      const clean = cleanText(text, maxBytes);
      expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(maxBytes);
      expect(clean.isWellFormed()).toBe(true);
      expect(clean).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});

it.each([
  ["  plain  ", 20, "plain"],
  ["a\r\n\tb", 20, "a b"],
  ["👩‍👩‍👧", 40, "👩‍👩‍👧"],
  ["ääää", 7, "ää…"],
  ["a\ud800b", 20, "a\ufffdb"],
  ["\u202eevil\u2066", 20, "evil"],
])("cleanText() of %j within %d bytes is %j", (text, maxBytes, wanted) => {
  expect(cleanText(text, maxBytes)).toBe(wanted);
});
