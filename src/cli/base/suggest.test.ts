import { expect, it } from "vitest";

import { didYouMean } from "./suggest.ts";

const known = ["status", "get", "reconcile", "resolve", "resume", "--namespace", "--output"];

it.each([
  ["statu", ' Did you mean "status"?'],
  ["Status", ' Did you mean "status"?'],
  ["statsu", ' Did you mean "status"?'],
  ["--namepsace", ' Did you mean "--namespace"?'],
  ["destroy", ""],
  ["gte", ' Did you mean "get"?'],
  ["g", ""],
  ["", ""],
])("didYouMean(%j) is %j", (word, expected) => {
  expect(didYouMean(word, known)).toBe(expected);
});
