import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseExactJson, stringifyJson } from "./json.ts";

describe("JSON with exact integers", () => {
  it.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -9223372036854775808n],
    ["1234567890.1234567890", 1234567890.1234567],
    ["1e30", 1e30],
    [`"9007199254740993"`, "9007199254740993"],
  ])("reads %s", (text, expected) => {
    expect(parseExactJson(`{"a": [${text}]}`)).toEqual({ a: [expected] });
  });

  it("writes and reads every int64 digit by digit", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        const text = stringifyJson({ value });
        expect(text).toBe(`{"value":${value}}`);
        const read = parseExactJson(text) as { value: number | bigint };
        expect(BigInt(read.value)).toBe(value);
      }),
    );
  });

  it("leaves out undefined members", () => {
    expect(stringifyJson({ a: undefined, b: null })).toBe(`{"b":null}`);
  });
});
