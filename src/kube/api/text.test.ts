import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cleanText } from "./text.ts";

describe("cleanText", () => {
  it("[E5] fits, is well-formed, and holds no control or bidirectional character", () => {
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
    ["\u202eevil\u2066", 20, "evil"],
    ["👩‍👩‍👧", 40, "👩‍👩‍👧"],
    ["ääää", 7, "ää…"],
    ["a\ud800b", 20, "a\ufffdb"],
  ])("%j within %d bytes is %j", (text, maxBytes, wanted) => {
    expect(cleanText(text, maxBytes)).toBe(wanted);
  });
});
