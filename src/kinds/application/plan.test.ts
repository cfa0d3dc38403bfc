import { describe, expect, it } from "vitest";

import {
  APPLICATION,
  type Change,
  COMMIT,
  deployment,
  inputsWith,
  observedFull,
  observedIn,
  OTHER_COMMIT,
  passWith,
  planned,
  print,
  record,
  specOf,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { declaredSettings } from "../service/settings.ts";
import { application } from "./index.ts";
import { APPLICATION_SETTINGS, type Observed } from "./model.ts";

const OTHER = "00000000-0000-4000-8000-0000000000a2";
const full = { surface: "Full" } as const;
const variables = [{ name: "KEY", value: "value", isSecret: true }];
const sent = (variableNames: string[]) => ({
  memory: { written: { variables: print("some"), variableNames, revision: 0 } },
  inputs: inputsWith(variables),
});

const smaller = { ...full, spec: { cpu: 250 } };
const isOlder = (settings: Record<string, string>) => {
  return { spec: { cpu: 250 }, memory: { written: { settings, revision: 0 } } };
};

describe("the steps before a deployment", () => {
  /** This was sent, and 256 stored. */
  const written = (cpu: string) => {
    const sent = { settings: { "spec.cpu": cpu }, revision: 1, altered: { "spec.cpu": "256" } };
    return { ...smaller, memory: { written: sent, lastDeployment: { gitCommitId: "1a2b3c4d", settings: 1 } } };
  };

  const replaceable = observedFull("BUILDING", {}, { secretIds: new Map([["KEY", OTHER]]) });
  const elsewhere = observedIn("DEPLOYED", { siblings: [] });
  const requested = { ...written("250"), requested: "now" };
  const deployed = { lastDeployment: { gitCommitId: "1a2b3c4d", variables: print("some") } };
  const included = { ...sent([]), memory: { ...sent([]).memory, ...deployed } };

  it.each<[string, Change, Observed, string]>([
    ["settings that differ", smaller, observedFull("DEPLOYED", { cpu: 500 }), "updateApplication"],
    ["settings that differ, under way", smaller, observedFull("BUILDING", { cpu: 500 }), "updateApplication"],
    ["not settings that the spec leaves open", full, observedFull("DEPLOYED", { cpu: 500 }), "settled"],
    ["not settings that are not shown", smaller, observedFull("DEPLOYED"), "settled"],
    ["not what was sent in this pass", smaller, observedFull("DEPLOYED", { cpu: 500 }, { updated: true }), "settled"],
    ["[E11] nothing of what is recorded, but lies elsewhere", smaller, elsewhere, "stalled NotObservable"],
    ["not settings that are stored otherwise", written("250"), observedFull("DEPLOYED", { cpu: 256 }), "settled"],
    ["settings that others changed", written("250"), observedFull("DEPLOYED", { cpu: 512 }), "updateApplication"],
    ["settings that were changed since", written("200"), observedFull("DEPLOYED", { cpu: 256 }), "updateApplication"],
    ["settings stored otherwise, on request", requested, observedFull("DEPLOYED", { cpu: 256 }), "updateApplication"],
    ["not where it cannot be", isOlder({ "spec.cpu": "200" }), observedIn("DEPLOYED"), "stalled UpdateNotSupported"],
    ["not what was added where it cannot be", isOlder({}), observedIn("DEPLOYED"), "stalled UpdateNotSupported"],
    ["variables that were not sent", { inputs: inputsWith(variables) }, observedIn("DEPLOYED"), "importVariables"],
    ["variables not sent, under way", { inputs: inputsWith(variables) }, observedIn("BUILDING"), "importVariables"],
    ["a secret that was not taken over", { ...sent([]), ...full }, replaceable, "updateSecret"],
    ["not a secret that cannot be replaced", included, observedIn("DEPLOYED"), "settled"],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });
});

const DEPLOY = `deployApplication ${COMMIT}`;
const everything = { ...full, corrects: "Everything" } as const;
const stopped = { ...full, spec: { runState: "Stopped" }, memory: { runState: "Stopped" as const } };
const shown = (deployedCommitId: string, change: Partial<Observed> = {}) =>
  observedFull("DEPLOYED", { gitRepository: { ...record().gitRepository, deployedCommitId } }, change);
/** Others deployed another commit, by a request of their own. */
const foreign = shown(OTHER_COMMIT, { status: statusOf("DEPLOYED", { deploymentRequestId: "theirs" }) });

describe("a plan of an application that waits for approval", () => {
  const [update, deploy] = ["updateApplication", "deployApplication"];
  const deployed = { ...full, spec: { cpu: 2 } };

  it.each<[string, readonly string[], readonly string[], string]>([
    ["an update goes first", [], [], update],
    ["what is awaited is deployed as well", [update], [update], DEPLOY],
    ["what is forbidden is not", [update], [], "settled"],
    ["nothing comes after the deployment", [update, deploy], [update], "settled"],
  ])("%s", (_, blocked, pending, expected) => {
    const change = { ...deployed, blockedOperations: new Set(blocked), pendingOperations: new Set(pending) };
    expect(planned(change, observedFull("DEPLOYED", { cpu: 1 }))).toBe(expected);
  });
});

describe("what others did to an application", () => {
  const failed = { lastDeployment: deployment({ state: "DEPLOYMENT_ERROR" }) };
  const retried = { retry: { limit: 2, backoffMs: 60_000 }, memory: failed };

  const another = { ...everything, spec: { deploy: { gitCommitId: OTHER_COMMIT } } };
  const isStopped = { ...everything, memory: { runState: "Stopped" as const } };
  const declared = declaredSettings(APPLICATION_SETTINGS, specOf());
  const sent = (cpu: string) => ({ ...smaller, memory: { written: { settings: { ...declared, "spec.cpu": cpu } } } });
  const [undone, update] = [`${DEPLOY} corrects`, "updateApplication"];

  // states.test.ts has what is only reported: a stop and an uninstallation.
  it.each<[string, Change, Observed, string]>([
    ["a deployment of another commit is reported", full, foreign, "settled"],
    ["a deployment of another commit is undone where everything is", everything, foreign, undone],
    ["a list that lags behind our own deployment is nothing of others", everything, shown(OTHER_COMMIT), "settled"],
    ["what is under way is awaited", everything, { ...foreign, status: statusOf("DEPLOYING") }, "waiting Deploying"],
    ["a stop is undone where everything is", everything, observedFull("STOPPED"), undone],
    ["a stop is undone on the documented surface, too", { corrects: "Everything" }, observedIn("STOPPED"), undone],
    ["a stop is only reported", { ...full, corrects: "Nothing" }, observedFull("STOPPED"), "stalled DriftDetected"],
    ["a start of what is to be stopped is undone", stopped, observedFull("DEPLOYED"), "stopApplication corrects"],
    ["an uninstallation is undone where everything is", everything, observedFull("DELETED"), undone],
    ["a commit is nothing where none is wanted", { ...everything, spec: { deploy: undefined } }, foreign, "settled"],
    ["a setting of theirs is undone", sent("250"), observedFull("DEPLOYED", { cpu: 500 }), `${update} corrects`],
    ["a setting of ours is not theirs", sent("100"), observedFull("DEPLOYED", { cpu: 100 }), update],
    ["a stop of ours is not theirs", isStopped, observedFull("STOPPED"), DEPLOY],
    ["a new commit of ours is not theirs", another, observedFull("DEPLOYED"), `deployApplication ${OTHER_COMMIT}`],
    ["what a user asks for is not theirs", { ...everything, requested: "now" }, observedFull("STOPPED"), DEPLOY],
  ])("%s", (_name, change, observed, expected) => {
    const next = application.plan(passWith(change), observed);
    const corrects = next.is === "step" && next.step.corrects === true;
    expect(`${planned(change, observed)}${corrects ? " corrects" : ""}`).toBe(expected);
  });

  it.each<[string, Change, Observed, string]>([
    ["deployApplication", everything, foreign, "settled"],
    ["deployApplication", everything, observedFull("STOPPED"), "stalled DriftDetected"],
    ["deployApplication", everything, observedFull("DELETED"), "stalled ExternalResourceDeleted"],
    ["stopApplication", stopped, observedFull("DEPLOYED"), "settled"],
    ["deployApplication", retried, observedIn("DEPLOYMENT_ERROR"), "stalled DeploymentFailed"],
  ])("is reported when %s is blocked", (op, change, observed, expected) => {
    expect(planned({ ...change, blockedOperations: new Set([op]) }, observed)).toBe(expected);
  });

  it("is reported verbatim where a start is not undone", () => {
    const { ready, drift } = application.report(passWith(stopped), observedFull("DEPLOYED"));
    expect(ready.reason).toBe("Deployed");
    expect(drift).toEqual([{ path: "spec.runState", desired: "Stopped", observed: "Running" }]);
  });
});

const PROJECT = "00000000-0000-4000-8000-0000000000b1";
const held = { holderOf: () => "a/b" };
const deployed = observedIn("DEPLOYED");
const nowhere = observedIn(undefined);
const renamed = observedFull("DEPLOYED", { name: "web" });
const siblings = (...all: readonly ReturnType<typeof record>[]) => observedIn(undefined, { siblings: all });

const UNPROVEN = "stalled NotObservable";
const MANAGED = "stalled AlreadyManaged";
const CONFLICT = "stalled NameConflict";
const GONE = "stalled ExternalResourceDeleted";

// What holds for every kind, as its creation and its deletion, is in test/model/kinds-contract.test.ts.
describe("which application is meant", () => {
  const fresh = { id: undefined, identitySource: undefined, memory: { lastDeployment: undefined } } as const;
  const freshFull = { ...fresh, ...full };
  const limited = { allowedProjects: [OTHER] };
  const given = { identitySource: "given" } as const;
  const accepted = { ...given, allowUnverifiedIds: true };
  const claimed = { identitySource: "claimed" } as const;
  const left = { identitySource: "orphaned" } as const;
  const proven = { isGone: true };

  it.each<[string, Change, Observed, string]>([
    ["none yet, among others", freshFull, siblings(record({ id: OTHER, name: "web" })), "createApplication"],
    ["one of its name", freshFull, siblings(record({ name: "API" })), "adopt"],
    ["one of its name that may not be taken", { ...freshFull, adoption: "Never" }, siblings(record()), CONFLICT],
    ["two of its name", freshFull, siblings(record(), record({ id: OTHER })), "stalled DuplicateRemote"],
    ["one of its name that is held", { ...freshFull, ...held }, siblings(record()), MANAGED],
    ["none where one has to be", { ...freshFull, adoption: "Required" }, siblings(), "waiting DependencyNotReady"],
    ["in another organization", fresh, observedIn(undefined, { environmentIsOurs: false }), "stalled InvalidSpec"],
    ["outside", { ...fresh, ...limited }, observedIn(undefined, { projectId: PROJECT }), "stalled PermissionDenied"],
    ["ours, outside by now", limited, observedIn("DEPLOYED", { projectId: PROJECT }), "stalled PermissionDenied"],
    ["ours, gone", {}, nowhere, GONE],
    ["ours, and another's", held, deployed, MANAGED],
    ["a given one that is not there", { ...full, ...given }, nowhere, "stalled InvalidSpec"],
    ["a given one that is listed", { ...full, ...given }, renamed, "adopt"],
    ["a given one that nothing is known of", given, deployed, UNPROVEN],
    ["a given one that nothing shows, if the connection accepts it", accepted, deployed, "adopt"],
    ["a given one that is held", { ...accepted, ...held }, deployed, MANAGED],
    ["a claimed one of its name", { ...full, ...claimed }, observedFull("DEPLOYED"), "adopt"],
    ["a claimed one of another name", { ...full, ...claimed }, renamed, CONFLICT],
    ["a claimed one that nothing is known of", claimed, deployed, UNPROVEN],
    ["one that was left, where nothing is shown", left, deployed, "adopt"],
    ["one that was left and is held", { ...left, ...held }, deployed, MANAGED],
    ["one that was left, with another name by now", { ...full, ...left }, renamed, CONFLICT],
    ["one that was left, gone", { ...left, onMissing: "Recreate" }, observedIn(undefined, proven), GONE],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });

  it("is created behind the ledger, marked with the platform's clock", () => {
    const serverNow = new Date("2026-11-21T10:00:00Z");
    const mark = { absentAt: "2026-11-21T10:00:00.000Z" };
    const why = { reason: "Creating", message: 'Creating application "api".' };
    const create = { repeat: "once", op: "createApplication", action: { what: "create" }, creates: true, name: "api" };
    const planned = application.plan(passWith(fresh), observedIn(undefined, { serverNow }));
    expect(planned).toEqual({ is: "step", step: { ...create, mark, why } });
    expect(application.plan(passWith(freshFull), siblings(record()))).toEqual({ is: "adopt", id: APPLICATION });
  });
});

describe("the deletion of an application", () => {
  const absent = { ...full, goal: "absent" } as const;
  const outside = { ...absent, identitySource: "claimed", allowedProjects: [OTHER] } as const;
  const deleting = (state: string) => observedFull(state, {}, { deleting: true });

  it.each<[string, Change, Observed, string]>([
    ["nothing to delete", absent, nowhere, "settled"],
    ["delete what failed", absent, observedFull("BUILD_ERROR"), "deleteApplication"],
    ["[E11] not delete what is recorded, but lies elsewhere", absent, observedIn("READY", { siblings: [] }), UNPROVEN],
    ["wait for what is under way", absent, observedFull("BUILDING"), "waiting Building"],
    ["wait for the deletion", absent, deleting("DEPLOYED"), "waiting Deleting"],
    ["report that it failed", absent, deleting("DELETE_ERROR"), "waiting DeleteFailed"],
    ["try again", absent, observedFull("DELETE_ERROR"), "deleteApplication"],
    ["spare one of another name", absent, renamed, CONFLICT],
    ["spare what is only claimed, outside", outside, observedFull("DEPLOYED", {}, { projectId: PROJECT }), UNPROVEN],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });
});

describe("the stop of an application whose object is deleted", () => {
  const goal = { ...full, goal: "stopped" } as const;
  const asked = { ...goal, memory: { runState: "Stopped" } } as const;
  const open = { ...goal, memory: { stopping: '["2026-11-21T09:01:00.000Z","run-1",0]' } };
  const since = observedFull("DEPLOYED", {}, { status: statusOf("DEPLOYED", { executionId: "run-2" }) });

  it.each<[string, Change, Observed, string]>([
    ["stop", goal, observedFull("DEPLOYED"), "stopApplication"],
    ["stop what failed", goal, observedFull("BUILD_ERROR"), "stopApplication"],
    ["report that stopping failed", asked, observedFull("STOP_ERROR"), "stalled StopFailed"],
    ["try again, on request", { ...asked, requested: "now" }, observedFull("STOP_ERROR"), "stopApplication"],
    ["nothing to stop, stopped", goal, observedFull("STOPPED"), "settled"],
    ["nothing to stop, never deployed", goal, observedFull("READY"), "settled"],
    ["nothing to stop, uninstalled", goal, observedFull("DELETED"), "settled"],
    ["wait before it is stopped", goal, observedFull("DEPLOYING"), "waiting Deploying"],
    ["wait for a state that says something", goal, observedFull("UNAVAILABLE"), "waiting UnknownState"],
    ["wait for a stop to be shown", open, observedFull("DEPLOYED"), "waiting Stopping"],
    ["stop what was started since", open, since, "stopApplication"],
    ["spare what the surface cannot stop", { goal: "stopped" }, deployed, "stalled NotSupportedByApi"],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });
});
