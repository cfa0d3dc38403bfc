import { expect, it } from "vitest";

import { didYouMean } from "./suggest.ts";

const known = ["status", "get", "reconcile", "resolve", "resume", "--namespace", "--output"];

it.each([
  ["statu", ' Did you mean "status"?'],
  ["Status", ' Did you mean "status"?'],
  ["gte", ' Did you mean "get"?'],
  ["g", ""],
  ["", ""],
])("didYouMean %s:%s", (word, expected) => {
  expect(didYouMean(word, known)).toBe(expected);
});
