import { expect, it } from "vitest";

import { actionLines, inFuture } from "./plan-view.ts";

it.each([
  ['Creating project "new".', 'Will create project "new".'],
  ["Registering a webhook to https://ci.example.com.", "Will register a webhook to https://ci.example.com."],
  ['Bind the template "a" version "1" to the cluster.', 'Will bind the template "a" version "1" to the cluster.'],
  ["Delete the application.", "Will delete the application."],
  ["Import the variables.", "Will import the variables."],
  ["Remove the variable A.", "Will remove the variable A."],
  ["Replace the secret A.", "Will replace the secret A."],
  ["Update target, events and state of the webhook.", "Will update target, events and state of the webhook."],
  ["Commit 1a2b3c4 is being deployed.", "Commit 1a2b3c4 will be deployed."],
  ["The cluster is being upgraded to Kubernetes 1.31.", "The cluster will be upgraded to Kubernetes 1.31."],
  ["The settings are being applied.", "The settings will be applied."],
  ["constructor", "constructor"],
  ["", ""],
])("the message of a step %j is %j in a plan", (now, later) => {
  expect(inFuture(now)).toBe(later);
});

const action = { operation: "deployApplication", message: "", commit: "89abcdef".repeat(5), fields: [] };

it.each([
  ["0123456789abcdef", "  commit: 0123456789ab → 89abcdef89ab"],
  [undefined, "  commit: none → 89abcdef89ab"],
])("the lines of a deployment name both commits as the history does, after %s", (deployed, line) => {
  expect(actionLines([action], deployed)).toEqual(["deployApplication", line]);
});
