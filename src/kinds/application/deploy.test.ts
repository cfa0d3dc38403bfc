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
  seenFull,
  seenIn,
  statusOf,
} from "../../../test/support/services/applications.ts";
import type { ApplicationMemory } from "./crd.ts";
import type { Seen } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

/** What the plan comes to, with the commit that is deployed now. */
function planned(change: Change, seen: Seen): string {
  return plannedBy(passWith(change), seen);
}

const DEPLOY = `deployApplication ${COMMIT}`;
const deploy = (gitCommitId: string, policy = "Automatic") => ({ deploy: { gitCommitId, policy } });
const variables = [{ name: "KEY", value: "value", isSecret: false }];
const written = (change: ApplicationMemory["written"]) => ({ revision: 0, ...change });

describe("a deployment is due", () => {
  const never = seenIn("READY", { status: statusOf("READY", { serviceDeploymentStatus: "NEVER_DEPLOYED" }) });

  it.each<[string, Change, Seen, string]>([
    ["the first time", { memory: { lastDeployment: undefined } }, never, DEPLOY],
    ["for another commit", { spec: deploy(OTHER_COMMIT) }, seenIn("DEPLOYED"), `deployApplication ${OTHER_COMMIT}`],
    [
      "for another commit, after a failure",
      { spec: deploy(OTHER_COMMIT) },
      seenIn("BUILD_ERROR"),
      `deployApplication ${OTHER_COMMIT}`,
    ],
    [
      "for another commit, of what others stopped",
      { spec: deploy(OTHER_COMMIT) },
      seenIn("STOPPED"),
      `deployApplication ${OTHER_COMMIT}`,
    ],
    [
      "for settings that we wrote since",
      { memory: { written: written({ revision: 2 }), lastDeployment: deployment({ settings: 1 }) } },
      seenIn("DEPLOYED"),
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
      seenIn("DEPLOYED"),
      DEPLOY,
    ],
    [
      "for the first variables",
      {
        inputs: inputsWith(variables, print("new")),
        memory: { written: written({ variables: print("new"), variableNames: ["KEY"] }) },
      },
      seenIn("DEPLOYED"),
      DEPLOY,
    ],
    ["on request, after a failure", { requested: "now" }, seenIn("BUILD_ERROR"), DEPLOY],
    ["on request, in a state that tells nothing", { requested: "now" }, seenIn("UNAVAILABLE"), DEPLOY],
    [
      "for a new commit, in a state that tells nothing",
      { spec: deploy(OTHER_COMMIT) },
      seenIn("UNAVAILABLE"),
      `deployApplication ${OTHER_COMMIT}`,
    ],
    [
      "for a new commit, in a state that tells nothing, after an order without a request id",
      { spec: deploy(OTHER_COMMIT), memory: { lastDeployment: openDeployment({ requestId: undefined }) } },
      seenIn("HIBERNATING"),
      `deployApplication ${OTHER_COMMIT}`,
    ],
    [
      "on request, after a failure, also by hand",
      { requested: "now", spec: deploy(COMMIT, "Manual") },
      seenIn("CANCELED"),
      DEPLOY,
    ],
    [
      "on another request",
      { requested: "two", memory: { lastDeployment: deployment({ retry: "one" }) } },
      seenIn("BUILD_ERROR"),
      DEPLOY,
    ],
    ["to start what we stopped", { memory: { runState: "Stopped" } }, seenIn("STOPPED"), DEPLOY],
    [
      "to start what we stopped, also by hand",
      { memory: { runState: "Stopped" }, spec: deploy(COMMIT, "Manual") },
      seenIn("STOPPED"),
      DEPLOY,
    ],
    ["to start what others stopped, on request", { requested: "now" }, seenIn("STOPPED"), DEPLOY],
    ["to bring back what others uninstalled, on request", { requested: "now" }, seenIn("DELETED"), DEPLOY],
  ])("%s", (_name, change, seen, expected) => {
    expect(planned(change, seen)).toBe(expected);
  });
});

describe("no deployment is due", () => {
  it.each<[string, Change, Seen, string]>([
    ["when nothing changed", {}, seenIn("DEPLOYED"), "settled"],
    ["without a commit", { spec: { deploy: undefined } }, seenIn("DEPLOYED"), "settled"],
    ["for the same commit, abbreviated", { spec: deploy(COMMIT.slice(0, 7)) }, seenIn("DEPLOYED"), "settled"],
    [
      "for the same commit, in full",
      { memory: { lastDeployment: deployment({ gitCommitId: COMMIT.slice(0, 8) }) } },
      seenIn("DEPLOYED"),
      "settled",
    ],
    ["while a state is unknown", {}, seenIn("UNAVAILABLE"), "unknown UnknownState"],
    ["while work is under way", { spec: deploy(OTHER_COMMIT) }, seenIn("RESTARTING"), "waiting Restarting"],
    ["by hand", { spec: deploy(OTHER_COMMIT, "Manual") }, seenIn("DEPLOYED"), "settled"],
    [
      "by hand, the first time",
      { memory: { lastDeployment: undefined }, spec: deploy(COMMIT, "Manual") },
      seenIn("READY", { status: statusOf("READY", { serviceDeploymentStatus: "NEVER_DEPLOYED" }) }),
      "settled",
    ],
    ["after a failure", {}, seenIn("DEPLOYMENT_ERROR"), "stalled DeploymentFailed"],
    [
      "twice for one request",
      { requested: "now", memory: { lastDeployment: deployment({ retry: "now" }) } },
      seenIn("BUILD_ERROR"),
      "stalled BuildFailed",
    ],
    ["on request, when it runs", { requested: "now" }, seenIn("DEPLOYED"), "settled"],
    ["to undo a stop by others", {}, seenIn("STOPPED"), "stalled DriftDetected"],
    [
      "for settings, of what others stopped",
      { memory: { written: written({ revision: 1 }) } },
      seenIn("STOPPED"),
      "stalled DriftDetected",
    ],
    [
      "to undo an uninstallation by others",
      { spec: deploy(OTHER_COMMIT) },
      seenIn("DELETED"),
      "stalled ExternalResourceDeleted",
    ],
    [
      "to bring back what shall be stopped",
      { requested: "now", spec: { runState: "Stopped" } },
      seenIn("DELETED"),
      "stalled ExternalResourceDeleted",
    ],
    [
      "because others edited it",
      {},
      seenIn("DEPLOYED", { status: statusOf("DEPLOYED", { serviceDeploymentStatus: "OUT_OF_DATE" }) }),
      "settled",
    ],
    [
      "because others deployed another commit",
      { surface: "Full" },
      seenFull("DEPLOYED", { gitRepository: { deployedCommitId: OTHER_COMMIT } }),
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
      seenIn("DEPLOYED"),
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
      seenIn("DEPLOYED"),
      "settled",
    ],
  ])("%s", (_name, change, seen, expected) => {
    expect(planned(change, seen)).toBe(expected);
  });
});
