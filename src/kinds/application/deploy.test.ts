import { describe, expect, it } from "vitest";

import {
  openDeployment,
  COMMIT,
  deployment,
  inputsWith,
  OTHER_COMMIT,
  passWith,
  print,
  plannedBy,
  observedFull,
  observedIn,
  statusOf,
} from "../../../test/support/services/applications.ts";
import type { ApplicationMemory } from "./crd.ts";
import type { Observed } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

/** The result of the plan, with the commit that is deployed now. */
function planned(change: Change, observed: Observed): string {
  return plannedBy(passWith(change), observed);
}

const DEPLOY = `deployApplication ${COMMIT}`;
const deploy = (gitCommitId: string, policy = "Automatic") => ({ deploy: { gitCommitId, policy } });
const variables = [{ name: "KEY", value: "value", isSecret: false }];
const written = (change: ApplicationMemory["written"]) => ({ revision: 0, ...change });

describe("a deployment is due", () => {
  const never = observedIn("READY", { status: statusOf("READY", { serviceDeploymentStatus: "NEVER_DEPLOYED" }) });

  it.each<[string, Change, Observed, string]>([
    ["the first time", { memory: { lastDeployment: undefined } }, never, DEPLOY],
    ["for another commit", { spec: deploy(OTHER_COMMIT) }, observedIn("DEPLOYED"), `deployApplication ${OTHER_COMMIT}`],
    [
      "for another commit, after a failure",
      { spec: deploy(OTHER_COMMIT) },
      observedIn("BUILD_ERROR"),
      `deployApplication ${OTHER_COMMIT}`,
    ],
    [
      "for another commit, of what others stopped",
      { spec: deploy(OTHER_COMMIT) },
      observedIn("STOPPED"),
      `deployApplication ${OTHER_COMMIT}`,
    ],
    [
      "for settings that we wrote since",
      { memory: { written: written({ revision: 2 }), lastDeployment: deployment({ settings: 1 }) } },
      observedIn("DEPLOYED"),
      DEPLOY,
    ],
    [
      "for variables that we wrote since",
      {
        inputs: inputsWith(variables, print("new")),
        memory: {
          written: written({ variables: print("new"), variableNames: ["KEY"] }),
          lastDeployment: deployment({ variables: print("old") }),
        },
      },
      observedIn("DEPLOYED"),
      DEPLOY,
    ],
    [
      "for the first variables",
      {
        inputs: inputsWith(variables, print("new")),
        memory: { written: written({ variables: print("new"), variableNames: ["KEY"] }) },
      },
      observedIn("DEPLOYED"),
      DEPLOY,
    ],
    ["on request, after a failure", { requested: "now" }, observedIn("BUILD_ERROR"), DEPLOY],
    ["on request, in an unknown state", { requested: "now" }, observedIn("UNAVAILABLE"), DEPLOY],
    [
      "for a new commit, in an unknown state",
      { spec: deploy(OTHER_COMMIT) },
      observedIn("UNAVAILABLE"),
      `deployApplication ${OTHER_COMMIT}`,
    ],
    [
      "for a new commit, in an unknown state, after a request without an id",
      { spec: deploy(OTHER_COMMIT), memory: { lastDeployment: openDeployment({ requestId: undefined }) } },
      observedIn("HIBERNATING"),
      `deployApplication ${OTHER_COMMIT}`,
    ],
    [
      "on request, after a failure, also by hand",
      { requested: "now", spec: deploy(COMMIT, "Manual") },
      observedIn("CANCELED"),
      DEPLOY,
    ],
    [
      "on another request",
      { requested: "two", memory: { lastDeployment: deployment({ retry: "one" }) } },
      observedIn("BUILD_ERROR"),
      DEPLOY,
    ],
    ["to start what we stopped", { memory: { runState: "Stopped" } }, observedIn("STOPPED"), DEPLOY],
    [
      "to start what we stopped, also by hand",
      { memory: { runState: "Stopped" }, spec: deploy(COMMIT, "Manual") },
      observedIn("STOPPED"),
      DEPLOY,
    ],
    ["to start what others stopped, on request", { requested: "now" }, observedIn("STOPPED"), DEPLOY],
    ["to bring back what others uninstalled, on request", { requested: "now" }, observedIn("DELETED"), DEPLOY],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });
});

describe("no deployment is due", () => {
  it.each<[string, Change, Observed, string]>([
    ["when nothing changed", {}, observedIn("DEPLOYED"), "settled"],
    ["without a commit", { spec: { deploy: undefined } }, observedIn("DEPLOYED"), "settled"],
    ["for the same commit, abbreviated", { spec: deploy(COMMIT.slice(0, 7)) }, observedIn("DEPLOYED"), "settled"],
    [
      "for the same commit, in full",
      { memory: { lastDeployment: deployment({ gitCommitId: COMMIT.slice(0, 8) }) } },
      observedIn("DEPLOYED"),
      "settled",
    ],
    ["while a state is unknown", {}, observedIn("UNAVAILABLE"), "unknown UnknownState"],
    ["while work is under way", { spec: deploy(OTHER_COMMIT) }, observedIn("RESTARTING"), "waiting Restarting"],
    ["by hand", { spec: deploy(OTHER_COMMIT, "Manual") }, observedIn("DEPLOYED"), "settled"],
    [
      "by hand, the first time",
      { memory: { lastDeployment: undefined }, spec: deploy(COMMIT, "Manual") },
      observedIn("READY", { status: statusOf("READY", { serviceDeploymentStatus: "NEVER_DEPLOYED" }) }),
      "settled",
    ],
    ["after a failure", {}, observedIn("DEPLOYMENT_ERROR"), "stalled DeploymentFailed"],
    [
      "twice for one request",
      { requested: "now", memory: { lastDeployment: deployment({ retry: "now" }) } },
      observedIn("BUILD_ERROR"),
      "stalled BuildFailed",
    ],
    ["on request, when it runs", { requested: "now" }, observedIn("DEPLOYED"), "settled"],
    ["to undo a stop by others", {}, observedIn("STOPPED"), "stalled DriftDetected"],
    [
      "for settings, of what others stopped",
      { memory: { written: written({ revision: 1 }) } },
      observedIn("STOPPED"),
      "stalled DriftDetected",
    ],
    [
      "to undo an uninstallation by others",
      { spec: deploy(OTHER_COMMIT) },
      observedIn("DELETED"),
      "stalled ExternalResourceDeleted",
    ],
    [
      "to bring back what shall be stopped",
      { requested: "now", spec: { runState: "Stopped" } },
      observedIn("DELETED"),
      "stalled ExternalResourceDeleted",
    ],
    [
      "because others edited it",
      {},
      observedIn("DEPLOYED", { status: statusOf("DEPLOYED", { serviceDeploymentStatus: "OUT_OF_DATE" }) }),
      "settled",
    ],
    [
      "because others deployed another commit",
      { surface: "Full" },
      observedFull("DEPLOYED", { gitRepository: { deployedCommitId: OTHER_COMMIT } }),
      "settled",
    ],
    [
      "because a Secret was only touched",
      {
        inputs: inputsWith(variables, print("same", "key-1", "2 s@2")),
        memory: {
          written: written({ variables: print("same"), variableNames: ["KEY"] }),
          lastDeployment: deployment({ variables: print("same") }),
        },
      },
      observedIn("DEPLOYED"),
      "settled",
    ],
    [
      "because the token was rotated",
      {
        inputs: inputsWith(variables, print("other digest", "key-2")),
        memory: {
          written: written({ variables: print("same"), variableNames: ["KEY"] }),
          lastDeployment: deployment({ variables: print("same") }),
        },
      },
      observedIn("DEPLOYED"),
      "settled",
    ],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });
});
