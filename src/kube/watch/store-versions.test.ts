import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compareVersions, isOlder } from "./store.ts";

describe("compareVersions", () => {
  it("orders decimal numbers of any length (KEP-5504)", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), fc.bigInt({ min: 0n, max: 2n ** 80n }), (a, b) => {
        expect(Math.sign(compareVersions(String(a), String(b)) ?? Number.NaN)).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it.each([
    ["abc", "12"],
    ["012", "13"],
    ["", "1"],
    ["-1", "1"],
  ])("does not order %o and %o", (a, b) => {
    expect(compareVersions(a, b)).toBeUndefined();
    expect(isOlder(a, b)).toBe(false);
  });
});
