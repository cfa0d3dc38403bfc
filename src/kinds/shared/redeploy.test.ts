import { expect, it } from "vitest";

import * as applications from "../../../test/support/services/applications.ts";
import * as databases from "../../../test/support/services/databases.ts";
import { redeployDue, redeployRefusal } from "./redeploy.ts";

const redeploy = { redeploy: "now" };

it.each<[string, applications.Change, string | undefined]>([
  ["not due without a request", {}, undefined],
  ["due for its value", redeploy, "now"],
  ["not due once that value was answered", { ...redeploy, memory: { lastHandledRedeployAt: "now" } }, undefined],
  ["due for the next value", { ...redeploy, memory: { lastHandledRedeployAt: "before" } }, "now"],
])("another deployment is %s", (_what, change, expected) => {
  expect(redeployDue(applications.contextWith(change))).toBe(expected);
});

it.each<[string, applications.Change, string | undefined]>([
  ["not where it can be carried out", redeploy, undefined],
  ["not without a request", { spec: { runState: "Stopped" } }, undefined],
  [
    "while the application is to be stopped",
    { ...redeploy, spec: { runState: "Stopped" } },
    "The application is to be stopped, as spec.runState or spec.runSchedule says. Its next start deploys it.",
  ],
  [
    "by a policy that forbids writes",
    { ...redeploy, forbiddenBy: "ObserveOnly" },
    "spec.lifecycle.managementPolicy is ObserveOnly, which forbids a deployment.",
  ],
  ["during its deletion", { ...redeploy, goal: "stopped" }, "The application is being deleted."],
])("a request to deploy again is refused %s", (_what, change, expected) => {
  const context = applications.contextWith(change);
  expect(redeployRefusal("application", context, context.spec.runState)).toBe(expected);
});

const blocked = new Set(["deployApplication", "deployDatabase"]);

it.each<[string, applications.Change, string]>([
  ["deploys what runs", redeploy, "deploy"],
  ["changes nothing once it was answered", { ...redeploy, memory: { lastHandledRedeployAt: "now" } }, "settled"],
  ["deploys nothing while a policy forbids that", { ...redeploy, blockedOperations: blocked }, "settled"],
  ["deploys nothing that is refused", { ...redeploy, forbiddenBy: "ObserveOnly" }, "settled"],
])("a request to deploy again %s", (_what, change, expected) => {
  const commit = expected === "deploy" ? `deployApplication ${applications.COMMIT}` : expected;
  expect(applications.planned(change, applications.observedIn("DEPLOYED"))).toBe(commit);
  const database = expected === "deploy" ? "deployDatabase" : expected;
  expect(databases.planned(change as never, databases.observedFull("DEPLOYED"))).toBe(database);
});
