import { expect, it } from "vitest";

import { shortNameOf } from "./hierarchy.ts";
import { ageOf, wordOf } from "./labels.ts";

it.each([
  ["PlatformApplication", "application", "papp"],
  ["ClusterPlatformConnection", "cluster connection", "cpconn"],
  ["PlatformVariableSet", "variable set", "pvars"],
])("a kind %s has the word %j and the short name %j", (kind, word, short) => {
  expect(wordOf(kind)).toBe(word);
  expect(shortNameOf(kind)).toBe(short);
});

it("a kind of another API group has no short name", () => {
  expect(shortNameOf("ConfigMap")).toBe("configmap");
});

const now = new Date("2026-11-21T12:00:00Z");

it.each([
  ["2026-11-21T11:59:57Z", "3s"],
  ["2026-11-21T11:58:30Z", "90s"],
  ["2026-11-21T11:50:00Z", "10m"],
  ["2026-11-21T10:30:00Z", "90m"],
  ["2026-11-20T11:00:00Z", "25h"],
  ["2026-11-11T12:00:00Z", "10d"],
  ["2026-11-21T12:00:05Z", "0s"],
  ["yesterday", ""],
  [undefined, ""],
])("the age since %s is %j", (since, age) => {
  expect(ageOf(since, now)).toBe(age);
});
