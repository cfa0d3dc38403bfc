import { expect, it } from "vitest";

import { yamlText } from "./yaml.ts";

// What sigs.k8s.io/yaml reads as a boolean, a number, a date or null where it is bare.
it.each(["no", "on", "y", "Yes", "off", "~", "2024_10", "0755", "0b11", "1e3", "12:30:45", "2026-01-01", "null"])(
  "the text %s is quoted",
  (text) => {
    expect(yamlText({ value: text })).toMatch(/^value: ["']/);
  },
);

it("numbers, booleans and plain words are bare", () => {
  expect(yamlText({ a: 1, b: true, c: "shop", d: 9_223_372_036_854_775_807n })).toBe(
    "a: 1\nb: true\nc: shop\nd: 9223372036854775807\n",
  );
});
