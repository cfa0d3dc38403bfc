import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseExactJson, stringifyJson } from "./json.ts";

describe("JSON without rounding", () => {
  it.each([
    ["9007199254740991", 9007199254740991],
    ["1234567890.1234567890", 1234567890.1234567],
    ["1e30", 1e30],
    [`"9007199254740993"`, "9007199254740993"],
  ])("reads %s", (text, expected) => {
    expect(parseExactJson(`{"a": [${text}]}`)).toEqual({ a: [expected] });
  });

  it("gives every int64 back digit by digit", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const text = stringifyJson({ value });
        expect(text).toBe(`{"value":${value}}`);
        const read = parseExactJson(text) as { value: number | bigint };
        expect(BigInt(read.value)).toBe(value);
      }),
    );
  });

  it("leaves undefined members out", () => {
    expect(stringifyJson({ a: undefined, b: null })).toBe(`{"b":null}`);
  });
});
