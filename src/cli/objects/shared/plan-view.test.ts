import { expect, it } from "vitest";

import { actionLines, inFuture } from "./plan-view.ts";

it.each([
  ['Creating project "new".', 'Will create project "new".'],
  ['Bind the template "a" version "1" to the cluster.', 'Will bind the template "a" version "1" to the cluster.'],
  ["Commit 1a2b3c4 is being deployed.", "Commit 1a2b3c4 will be deployed."],
  ["The cluster is being upgraded to Kubernetes 1.31.", "The cluster will be upgraded to Kubernetes 1.31."],
  ["The settings are being applied.", "The settings will be applied."],
  ["constructor", "constructor"],
  ["", ""],
])("a plan shows the message of a step %j as %j", (now, later) => {
  expect(inFuture(now)).toBe(later);
});

const action = { operation: "deployApplication", message: "", commit: "89abcdef".repeat(5), fields: [] };

it.each([
  ["that replaces another", "0123456789abcdef", "  commit: 0123456789ab → 89abcdef89ab"],
  ["that is the first", undefined, "  commit: none → 89abcdef89ab"],
])("a plan shows the commits of a deployment %s", (_, deployed, line) => {
  expect(actionLines([action], deployed)).toEqual(["deployApplication", line]);
});
