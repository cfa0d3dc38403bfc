import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { isOlder } from "./store.ts";

describe("isOlder", () => {
  it("orders decimal numbers of any length (KEP-5504)", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), fc.bigInt({ min: 0n, max: 2n ** 80n }), (a, b) => {
        expect(isOlder(String(a), String(b))).toBe(a < b);
      }),
    );
  });

  it.each([
    ["abc", "12"],
    ["012", "13"],
    ["", "1"],
    ["-1", "1"],
  ])("does not order %o and %o", (a, b) => {
    expect([isOlder(a, b), isOlder(b, a)]).toEqual([false, false]);
  });
});
