import { describe, expect, it } from "vitest";

import { field } from "../../../test/support/kinds/bindings.ts";
import type { FieldConstraints } from "../../platform/areas/templates.ts";
import type { ConfigLeaf } from "./model.ts";
import { listOf, typed, valueProblems } from "./values.ts";

const leaf = (value: ConfigLeaf["value"], from: ConfigLeaf["from"] = "spec"): ConfigLeaf => {
  return { path: "spec.managedConfig[c][f]", component: "c", key: "f", value, from };
};

describe("a value in the type of its field", () => {
  const SAME = { string: ["a", ""], bool: [true], number: [5, 1.5], duration: ["5m"] }; // a type that may come one day
  const NO_NUMBERS = ["9223372036854775808", "1e3", "0x10", "010", " 5", "", "NaN", true, "0.1000000000000000001"];
  const NONE = { string: [5, true], bool: ["True", 1], number: NO_NUMBERS };
  const each = (values: Readonly<Record<string, readonly ConfigLeaf["value"][]>>) =>
    Object.entries(values).flatMap(([type, all]) => all.map((value) => [type, value] as const));

  it.each(each(SAME))("%s %j is the same", (type, value) => {
    expect(typed(type, value)).toBe(value);
  });

  it.each(each(NONE))("%s %j is none, as it is of another type or would be rounded", (type, value) => {
    expect(typed(type, value)).toBeUndefined();
  });

  it.each([
    ["bool", "true", true],
    ["bool", "false", false],
    ["number", "5", 5],
    ["number", "1.50", 1.5],
    ["number", "9007199254740991", 9_007_199_254_740_991],
    ["number", "9007199254740993", 9_007_199_254_740_993n],
    ["number", "9223372036854775807", 9_223_372_036_854_775_807n],
    ["number", "-9223372036854775808", -9_223_372_036_854_775_808n],
  ])("%s %j is %s", (type, value, expected) => {
    expect(typed(type, value)).toBe(expected);
  });
});

describe("a value against the rules of its field", () => {
  it.each<[string, ConfigLeaf["value"], FieldConstraints, string[]]>([
    ["number", 1, { min: 1n, max: 3n }, []],
    ["number", 3, { min: 1n, max: 3n }, []],
    ["number", 0, { min: 1n }, ["must be at least 1"]],
    ["number", 3.5, { max: 3n }, ["must be at most 3"]],
    ["number", "9007199254740993", { max: 9_007_199_254_740_992n }, ["must be at most 9007199254740992"]],
    ["number", "9007199254740993", { min: 9_007_199_254_740_994n }, ["must be at least 9007199254740994"]],
    ["number", "9007199254740993", { min: 9_007_199_254_740_993n, max: 9_007_199_254_740_993n }, []],
    ["number", 10, { allowedValues: ["5", "10"] }, []],
    ["number", 1.5, { allowedValues: ["1.50"] }, []],
    ["number", 7, { allowedValues: ["5", "10"] }, ["must be one of 5, 10"]],
    ["number", "many", {}, ["must be a number, of at most 64 bits"]],
    ["number", 5, { minLength: 3, pattern: "^x$" }, []], // lengths and patterns are for strings
    ["string", "abc", { minLength: 3, maxLength: 3 }, []],
    ["string", "ab", { minLength: 3 }, ["must have at least 3 characters"]],
    ["string", "abcd", { maxLength: 3 }, ["must have at most 3 characters"]],
    ["string", "👍👍", { minLength: 4, maxLength: 2 }, []], // either way of counting will do
    ["string", "b", { allowedValues: ["a", "b"] }, []],
    ["string", "c", { allowedValues: ["a", "b"] }, ["must be one of a, b"]],
    ["string", "c", { allowedValues: ["a"] }, ["must be a"]],
    ["string", "c", { allowedValues: [] }, []],
    ["string", "10", { min: 20n }, []],
    ["string", 5, {}, ["must be a string (quote numbers and booleans)"]],
    ["bool", "maybe", {}, ["must be true or false"]],
    ["bool", true, { allowedValues: ["false"] }, ["must be false"]],
  ])("%s %j with %o", (type, value, constraints, expected) => {
    expect(valueProblems(field("f", { type, constraints }), leaf(value))).toEqual(expected);
  });

  it.each<[ConfigLeaf["from"], string[]]>([
    ["Secret", []],
    ["ConfigMap", ["is sensitive and may come only from a Secret"]],
    ["spec", ["is sensitive and may come only from a Secret"]],
  ])("takes sensitive values from a Secret, not from %s", (from, expected) => {
    expect(valueProblems(field("f", { sensitive: true }), leaf("hunter22", from))).toEqual(expected);
  });

  it("quotes no value", () => {
    const constraints = { allowedValues: ["a"], minLength: 100, maxLength: 1, min: 100n, max: 1n };
    const said = ["string", "number", "bool"].flatMap((type) =>
      valueProblems(field("f", { type, sensitive: true, constraints }), leaf("hunter22", "ConfigMap")),
    );
    expect(said.join()).not.toContain("hunter22");
  });

  it("cuts long lists", () => {
    expect(listOf("abcdefghij".split(""))).toBe("a, b, c, d, e, f, g, h, … (10 in all)");
  });
});
