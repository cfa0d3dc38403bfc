import { describe, expect, it } from "vitest";

import {
  COMMIT,
  deployment,
  observedFull,
  observedIn,
  OTHER_COMMIT,
  passWith,
  plannedBy,
  record,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { application } from "./index.ts";
import type { Observed } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

const DEPLOY = `deployApplication ${COMMIT}`;
const full = { surface: "Full" } as const;
const everything = { ...full, corrects: "Everything" } as const;
const stopped = { ...full, spec: { runState: "Stopped" }, memory: { runState: "Stopped" as const } };
const retry = { retry: { limit: 2, backoffMs: 60_000 } };
const failed = (change: Parameters<typeof deployment>[0] = {}) => ({
  memory: { lastDeployment: deployment({ state: "DEPLOYMENT_ERROR", ...change }) },
});
const repository = (deployedCommitId: string) => ({ ...record().gitRepository, deployedCommitId });
/** Others deployed another commit, by a request of their own. */
const foreign = observedFull(
  "DEPLOYED",
  { gitRepository: repository(OTHER_COMMIT) },
  { status: statusOf("DEPLOYED", { deploymentRequestId: "theirs" }) },
);

describe("a plan of an application that waits for approval", () => {
  const running = observedFull("DEPLOYED", { cpu: 1 });
  const deployed = { ...full, spec: { cpu: 2 }, memory: { lastDeployment: deployment() } };

  it.each<[string, readonly string[], readonly string[], string]>([
    ["an update goes first", [], [], "updateApplication"],
    ["what is awaited is deployed as well", ["updateApplication"], ["updateApplication"], DEPLOY],
    ["what is forbidden is not", ["updateApplication"], [], "settled"],
    [
      "nothing comes after the deployment",
      ["updateApplication", "deployApplication"],
      ["updateApplication"],
      "settled",
    ],
  ])("%s", (_, blockedOperations, pendingOperations, expected) => {
    const change = {
      ...deployed,
      blockedOperations: new Set(blockedOperations),
      pendingOperations: new Set(pendingOperations),
    };
    expect(plannedBy(passWith(change), running)).toBe(expected);
  });
});

describe("what others did to an application", () => {
  it.each<[string, Change, Observed, string]>([
    ["a deployment of another commit is reported", full, foreign, "settled"],
    ["a deployment of another commit is undone where everything is", everything, foreign, DEPLOY],
    [
      "a list that lags behind our own deployment is nothing of others",
      everything,
      observedFull("DEPLOYED", { gitRepository: repository(OTHER_COMMIT) }),
      "settled",
    ],
    [
      "a deployment that is under way is awaited",
      everything,
      { ...foreign, status: statusOf("DEPLOYING") },
      "waiting Deploying",
    ],
    ["a stop is told", full, observedFull("STOPPED"), "stalled DriftDetected"],
    ["a stop is undone where everything is", everything, observedFull("STOPPED"), DEPLOY],
    ["a stop is undone on the documented surface, too", { corrects: "Everything" }, observedIn("STOPPED"), DEPLOY],
    [
      "a stop is only reported where nothing is undone",
      { ...full, corrects: "Nothing" },
      observedFull("STOPPED"),
      "stalled DriftDetected",
    ],
    ["a start of what is to be stopped is undone", stopped, observedFull("DEPLOYED"), "stopApplication"],
    ["an uninstallation is reported", full, observedFull("DELETED"), "stalled ExternalResourceDeleted"],
    ["an uninstallation is undone where everything is", everything, observedFull("DELETED"), DEPLOY],
    [
      "a commit is nothing where none is to be deployed",
      { ...everything, spec: { deploy: undefined } },
      foreign,
      "settled",
    ],
  ])("%s", (_name, change, observed, expected) => {
    expect(plannedBy(passWith(change), observed)).toBe(expected);
  });

  it.each<[string, Change, Observed, boolean]>([
    ["their commit", everything, foreign, true],
    ["their stop", everything, observedFull("STOPPED"), true],
    ["their start", stopped, observedFull("DEPLOYED"), true],
    ["a stop of ours", { ...everything, memory: { runState: "Stopped" } }, observedFull("STOPPED"), false],
    [
      "a new commit of ours",
      { ...everything, spec: { deploy: { gitCommitId: OTHER_COMMIT } } },
      observedFull("DEPLOYED"),
      false,
    ],
    ["what a user asks for", { ...everything, requested: "now" }, observedFull("STOPPED"), false],
    [
      "a setting of theirs",
      { ...full, spec: { cpu: 250 }, memory: { written: { settings: settingsWith("250") } } },
      observedFull("DEPLOYED", { cpu: 500 }),
      true,
    ],
    [
      "a setting of ours",
      { ...full, spec: { cpu: 250 }, memory: { written: { settings: settingsWith("100") } } },
      observedFull("DEPLOYED", { cpu: 100 }),
      false,
    ],
  ])("is undone by a step that says so, or not: %s", (_name, change, observed, corrects) => {
    const next = application.plan(passWith(change), observed);
    expect(next.is === "step" && (next.step.corrects ?? false)).toBe(corrects);
  });

  it.each<[string, Change, Observed, string]>([
    ["deployApplication", everything, foreign, "settled"],
    ["deployApplication", everything, observedFull("STOPPED"), "stalled DriftDetected"],
    ["deployApplication", everything, observedFull("DELETED"), "stalled ExternalResourceDeleted"],
    ["stopApplication", stopped, observedFull("DEPLOYED"), "settled"],
    ["deployApplication", { ...failed(), ...retry }, observedIn("DEPLOYMENT_ERROR"), "stalled DeploymentFailed"],
  ])("is reported when %s is blocked", (op, change, observed, expected) => {
    expect(plannedBy(passWith({ ...change, blockedOperations: new Set([op]) }), observed)).toBe(expected);
  });

  it("is reported verbatim where a start is not undone", () => {
    const { ready, drift } = application.report(passWith(stopped), observedFull("DEPLOYED"));
    expect(ready.reason).toBe("Deployed");
    expect(drift).toEqual([{ path: "spec.runState", desired: "Stopped", observed: "Running" }]);
  });
});

/** All settings of the spec as they were sent, with this many CPUs. */
function settingsWith(cpu: string): Record<string, string> {
  return {
    "spec.name": '"api"',
    "spec.gitRepository.url": '"https://github.com/acme/api.git"',
    "spec.gitRepository.branch": '"main"',
    "spec.cpu": cpu,
  };
}

describe("an application that is gone", () => {
  const missing = (change: Partial<Observed>) =>
    observedFull("DEPLOYED", {}, { siblings: [], status: undefined, ...change });

  it.each<[string, Change, Observed, string]>([
    ["is told", full, missing({ isGone: true }), "stalled ExternalResourceDeleted"],
    [
      "is forgotten where it is to be created again",
      { ...full, onMissing: "Recreate" },
      missing({ isGone: true }),
      "forget ExternalResourceDeleted",
    ],
    [
      "is told where nothing proves it",
      { ...full, onMissing: "Recreate" },
      missing({}),
      "stalled ExternalResourceDeleted",
    ],
    [
      "is told where it was never recorded",
      { ...full, onMissing: "Recreate", identitySource: "given" },
      missing({ isGone: true }),
      "stalled InvalidSpec",
    ],
    [
      "is no matter when its object is deleted",
      { ...full, onMissing: "Recreate", goal: "absent" },
      missing({ isGone: true }),
      "settled",
    ],
  ])("%s", (_name, change, observed, expected) => {
    expect(plannedBy(passWith(change), observed)).toBe(expected);
  });
});
