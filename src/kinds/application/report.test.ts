import { describe, expect, it } from "vitest";

import {
  type Change,
  COMMIT,
  deployment,
  inputsWith,
  listedVariable,
  listsWith,
  NOW,
  observedFull,
  observedIn,
  OLD_REQUEST,
  openDeployment,
  ownedOf,
  OTHER_COMMIT,
  contextWith,
  planned,
  print,
  record,
  REQUEST,
  specOf,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { serviceBaseline } from "../service/progress.ts";
import { declaredSettings } from "../service/settings.ts";
import type { ApplicationMemory } from "./crd.ts";
import { application } from "./index.ts";
import { APPLICATION_SETTINGS, type Observed } from "./model.ts";

/** Others deployed since, and no list shows which commit. */
const deployedUnseen = observedIn("DEPLOYED", { status: statusOf("DEPLOYED", { deploymentRequestId: REQUEST }) });
const shown = <T>(value: T) => ({ value, fault: undefined });
const FORBIDDEN = { reason: "PermissionDenied", message: "The platform answered 403." } as const;

const reportOf = (change: Change, observed: Observed) => application.report(contextWith(change), observed);
const memoryOf = (change: Change, observed: Observed) => reportOf(change, observed).status as ApplicationMemory;
const condition = (type: string, change: Change, observed: Observed) => {
  const found = reportOf(change, observed).conditions.find((each) => each.type === type);
  return found && `${found.status} ${found.reason}`;
};
const variables = [{ name: "KEY", value: "value", isSecret: true }];
const inputs = inputsWith(variables);
/** What is remembered of an application of the operator, with this of its variables. */
const ours = (owned: ApplicationMemory["owned"]) => ({ inputs, memory: { written: { settings: {} }, owned } });

/** Another commit is left to others to deploy. */
const waits = { spec: { deploy: { gitCommitId: OTHER_COMMIT, policy: "Manual" } } };

describe("when all is done, an application says", () => {
  const undeployed = { memory: { lastDeployment: undefined }, spec: { deploy: undefined } };
  const COMMIT_RUNS = "Commit 1a2b3c4 is deployed.";
  const STOPPED = "The application is stopped, as spec.runState says.";
  const NOTHING = 'Application "api" exists on the platform; nothing is to be deployed.';
  const UNKNOWN = 'Application "api" runs; the platform does not show its commit.';

  it.each<[string, Change, Observed, string, string]>([
    ["what is deployed", {}, observedIn("DEPLOYED"), "Deployed", COMMIT_RUNS],
    ["what is deployed, while another waits to be", waits, observedIn("DEPLOYED"), "Deployed", COMMIT_RUNS],
    ["that its commit is not known after a deployment of others", {}, deployedUnseen, "Available", UNKNOWN],
    ["that it is stopped", { spec: { runState: "Stopped" } }, observedIn("STOPPED"), "Stopped", STOPPED],
    ["that nothing was to be deployed", undeployed, observedIn("READY"), "NotDeployed", NOTHING],
  ])("%s", (_name, change, observed, reason, message) => {
    expect(reportOf(change, observed).ready).toEqual({ reason, message });
  });
});

describe("the status of an application", () => {
  const open = { lastDeployment: openDeployment() };
  const failed = deployment({ gitCommitId: OTHER_COMMIT, state: "BUILD_ERROR" });
  const earlier = { commit: "0000001" };
  const gitRepository = { ...record().gitRepository, deployedCommitId: OTHER_COMMIT };
  const deployedByOthers = observedFull("DEPLOYED", { gitRepository });
  const failedLater = { memory: { lastDeployment: failed, ...earlier } };

  it.each<[string, Change, Observed, string | undefined]>([
    ["the commit that runs", {}, observedIn("DEPLOYED"), "1a2b3c4"],
    ["the commit before, during another", { memory: { ...open, ...earlier } }, observedIn("DEPLOYING"), "0000001"],
    ["no commit, during the first deployment", { memory: open }, observedIn("DEPLOYING"), undefined],
    ["the commit before a failed one", failedLater, observedIn("BUILD_ERROR"), "0000001"],
    ["the commit that others deployed", { surface: "Full" }, deployedByOthers, "feedfac"],
  ])("has %s", (_name, change, observed, commit) => {
    expect(reportOf(change, observed).status).toMatchObject({ commit });
  });

  it("shows no commit after a deployment of others, which no read shows", () => {
    expect(memoryOf({ memory: { commit: "1a2b3c4" } }, deployedUnseen).commit).toBeUndefined();
  });

  it("keeps since when a state is shown", () => {
    const since = (memory: ApplicationMemory) => memoryOf({ memory }, observedIn("DEPLOYED"));
    const [stateSince, now] = ["2026-11-20T10:00:00Z", "2026-11-21T10:00:00Z"];
    expect(since({ state: "DEPLOYED", stateSince })).toMatchObject({ stateSince });
    expect(since({ state: "DEPLOYING", stateSince })).toMatchObject({ stateSince: now });
  });
});

describe("the time of the running commit", () => {
  const NOW = "2026-11-21T10:00:00Z";
  const finishedAt = "2026-11-21T09:58:00Z";
  const commitSince = "2026-11-20T10:00:00Z";
  const failed = deployment({ gitCommitId: OTHER_COMMIT, state: "BUILD_ERROR", finishedAt });
  const gitRepository = { ...record().gitRepository, deployedCommitId: OTHER_COMMIT };

  it.each<[string, Change, Observed, string]>([
    [
      "is the end of the operator's deployment",
      { memory: { lastDeployment: deployment({ finishedAt }) } },
      observedIn("DEPLOYED"),
      finishedAt,
    ],
    [
      "is when the operator sees what others deployed",
      { surface: "Full" },
      observedFull("DEPLOYED", { gitRepository }),
      NOW,
    ],
    [
      "stays in another deployment of the same commit",
      { memory: { commit: "1a2b3c4", commitSince, lastDeployment: deployment({ finishedAt }) } },
      observedIn("DEPLOYED"),
      commitSince,
    ],
    [
      "stays after a deployment that failed",
      { memory: { commit: "1a2b3c4", commitSince, lastDeployment: failed } },
      observedIn("BUILD_ERROR"),
      commitSince,
    ],
  ])("%s", (_name, change, observed, since) => {
    expect(memoryOf(change, observed).commitSince).toBe(since);
  });
});

describe("the conditions of an application", () => {
  const withIngress = (value: object) => observedIn("DEPLOYED", { ingress: shown(value) });
  const noIngress = observedIn("DEPLOYED", { ingress: { value: undefined, fault: FORBIDDEN } });
  const plain = inputsWith([{ name: "KEY", value: "v", isSecret: false }]);
  const unread = { inputs: plain, memory: { lastDeployment: undefined } };
  const noVariables = observedIn("DEPLOYED", { variablesFault: FORBIDDEN });
  const adopted = { inputs, memory: { lastDeployment: undefined } };
  const found = observedIn("DEPLOYED", { lists: listsWith(listedVariable("KEY")) });
  const missing = observedIn("DEPLOYED", { lists: listsWith() });
  const older = inputsWith([{ name: "KEY", value: "older", isSecret: true }], print("old"));
  const refused = { variables: [{ key: "KEY", failed: true as const }], written: print("some"), attempts: 3 };
  const gone = inputsWith([...variables, { name: "OLD", value: "old", isSecret: false }], print("old"));
  const open = { memory: { lastDeployment: openDeployment() } };
  const unknown = { memory: { lastDeployment: undefined, written: { revision: 0 } } };
  const PENDING = "False VariablesPending";
  const SYNCED = "True VariablesSynced";

  const sent = (cpu: number) => ({ "spec.cpu": String(cpu) });
  const declared = declaredSettings(APPLICATION_SETTINGS, specOf());
  const edited = { spec: { cpu: 750 }, memory: { written: { settings: { ...declared, ...sent(500) } } } };
  const back = { ...edited, spec: { cpu: 500 } };
  const full = { ...edited, surface: "Full" } as const;
  const UNSENT = "False UpdateNotSupported";
  const port = { internalPort: 8080 };
  const settings = { ...declaredSettings(APPLICATION_SETTINGS, specOf({ ports: [port] })) };
  const named = { spec: { ports: [{ ...port, name: "http" }] }, memory: { written: { settings } } };
  const open8080 = observedFull("DEPLOYED", { ports: [{ ...port, publiclyAccessible: false }] });

  it.each<[string, string, Change, Observed, string | undefined]>([
    ["no change of its settings", "SettingsSynced", {}, observedIn("DEPLOYED"), undefined],
    ["settings that cannot be sent", "SettingsSynced", edited, observedIn("DEPLOYED"), UNSENT],
    ["a name of a port that cannot be sent, and is not shown", "SettingsSynced", named, open8080, UNSENT],
    ["settings changed back", "SettingsSynced", back, observedIn("DEPLOYED"), undefined],
    ["settings that are sent next", "SettingsSynced", full, observedFull("DEPLOYED", { cpu: 500 }), undefined],
    ["settings without a record", "SettingsSynced", full, observedIn("DEPLOYED"), "False NotObservable"],
    ["no state", "Deployed", {}, observedIn(undefined), undefined],
    ["its ingress", "IngressReady", {}, withIngress({ status: "DEPLOYED", routerId: REQUEST }), "True DEPLOYED"],
    ["an ingress under way", "IngressReady", {}, withIngress({ status: "RECAP" }), "False RECAP"],
    ["an ingress without a state", "IngressReady", {}, withIngress({ routerId: REQUEST }), undefined],
    ["an ingress that cannot be read", "IngressReady", {}, noIngress, "Unknown PermissionDenied"],
    ["no variables", "VariablesSynced", {}, observedIn("DEPLOYED"), undefined],
    ["variables that cannot be read", "VariablesSynced", unread, noVariables, "Unknown PermissionDenied"],
    ["variables that were not sent", "VariablesSynced", ours(undefined), observedIn("DEPLOYED"), PENDING],
    ["variables that were sent", "VariablesSynced", ours(ownedOf(inputs)), observedIn("DEPLOYED"), SYNCED],
    ["variables that are there", "VariablesSynced", ours(ownedOf(inputs)), found, SYNCED],
    ["variables that others removed", "VariablesSynced", ours(ownedOf(inputs)), missing, PENDING],
    ["variables changed since", "VariablesSynced", ours(ownedOf(older)), found, PENDING],
    ["variables that were not taken over", "VariablesSynced", ours(refused), missing, PENDING],
    ["variables found", "VariablesSynced", adopted, found, SYNCED],
    ["variables that an adopted application lacks", "VariablesSynced", adopted, missing, PENDING],
    [
      "variables that left the spec",
      "VariablesSynced",
      ours(ownedOf(gone)),
      observedIn("DEPLOYED"),
      "False VariablesLeft",
    ],
    ["variables that left the platform as well", "VariablesSynced", ours(ownedOf(gone)), found, SYNCED],
    ["nothing to deploy", "UpToDate", { spec: { deploy: undefined } }, observedIn("DEPLOYED"), undefined],
    ["what is deployed", "UpToDate", {}, observedIn("DEPLOYED"), "True UpToDate"],
    ["what is stopped", "UpToDate", { memory: { runState: "Stopped" } }, observedIn("STOPPED"), "True UpToDate"],
    ["what is deployed by now", "UpToDate", open, observedIn("BUILDING"), "False DeployPending"],
    ["what failed", "UpToDate", {}, observedIn("BUILD_ERROR"), "False DeployPending"],
    ["an unknown commit", "UpToDate", unknown, observedIn("DEPLOYED"), "Unknown NotObservable"],
    ["a deployment of others", "UpToDate", {}, deployedUnseen, "Unknown NotObservable"],
    ["what waits, after a deployment of others", "UpToDate", waits, deployedUnseen, "False DeployPending"],
    ["what waits", "UpToDate", waits, observedIn("DEPLOYED"), "False DeployPending"],
  ])("%s", (_name, type, change, observed, expected) => {
    expect(condition(type, change, observed)).toEqual(expected);
  });

  it.each<[string, number, Partial<Observed>, number | undefined]>([
    ["a deployment where none is known", 10, {}, 60_000],
    ["the same, a minute later", 61, {}, undefined],
    ["a deployment where one is known", 10, { ingress: shown({ status: "DEPLOYED" }) }, undefined],
    ["a deployment on a platform with lists, which read it with the state", 10, { siblings: [] }, undefined],
  ])("have the ingress read soon after %s", (_name, seconds, change, expected) => {
    const finishedAt = new Date(NOW.getTime() - seconds * 1_000).toISOString();
    const memory = { lastDeployment: deployment({ finishedAt }) };
    expect(reportOf({ memory }, observedIn("DEPLOYED", { siblings: undefined, ...change })).lookWithin).toBe(expected);
  });

  it("report what has to be done by hand", () => {
    const messageOf = (policy: string) => {
      const spec = { deploy: { gitCommitId: OTHER_COMMIT, policy } };
      return reportOf({ spec }, observedIn("DEPLOYED")).conditions.find(({ type }) => type === "UpToDate")?.message;
    };
    const waits = "A change of the commit is not deployed yet.";
    expect(messageOf("Automatic")).toBe(waits);
    expect(messageOf("Manual")).toBe(`${waits} spec.deploy.policy is Manual: deploy it on the platform.`);
  });
});

const deploy = (gitCommitId: string, policy = "Automatic") => ({ deploy: { gitCommitId, policy } });

describe("the drift of an application", () => {
  const drift = (change: Change, observed: Observed) => reportOf(change, observed).drift;
  const outOfDate = statusOf("DEPLOYED", { serviceDeploymentStatus: "OUT_OF_DATE" });
  const edited = observedIn("DEPLOYED", { status: outOfDate });
  const open = { memory: { lastDeployment: openDeployment({ baseline: serviceBaseline(outOfDate) }) } };
  const deployed = (deployedCommitId: string) => observedFull("DEPLOYED", { gitRepository: { deployedCommitId } });

  it.each<[string, Change, Observed, [path: string, desired: string, observed: string]?]>([
    ["is none while all is as the spec says", {}, observedIn("DEPLOYED")],
    ["is an edit by others", {}, edited, ["serviceDeploymentStatus", "UP_TO_DATE", "OUT_OF_DATE"]],
    [
      "is no edit of our own that waits",
      { memory: { written: { revision: 1 } }, spec: deploy(COMMIT, "Manual") },
      edited,
    ],
    ["is no edit while a deployment is under way", open, edited],
    [
      "is another commit",
      { surface: "Full" },
      deployed(OTHER_COMMIT),
      ["spec.deploy.gitCommitId", COMMIT, OTHER_COMMIT],
    ],
    ["is no other commit, when it is abbreviated", { surface: "Full" }, deployed(COMMIT.slice(0, 7))],
    ["is a stop by others", {}, observedIn("STOPPED"), ["spec.runState", "Running", "Stopped"]],
    ["is no stop of our own", { memory: { runState: "Stopped" } }, observedIn("STOPPED")],
    ["is no stop that is wanted", { spec: { runState: "Stopped" } }, observedIn("STOPPED")],
  ])("%s", (_name, change, observed, expected) => {
    const actual = (drift(change, observed) ?? []).map((one) => [one.path, one.desired, one.observed]);
    expect(actual).toEqual(expected === undefined ? [] : [expected]);
  });

  it("hides a password in the URL of a repository", () => {
    const gitRepository = { url: "https://me:s3cret@github.com/acme/api.git", branch: "main" };
    const actual = JSON.stringify(drift({ surface: "Full" }, observedFull("DEPLOYED", { gitRepository })));
    expect(actual).toContain("https://•••@github.com/acme/api.git");
    expect(actual).not.toContain("s3cret");
  });

  it("forgets that we stopped what others started since", () => {
    const memory = memoryOf({ memory: { runState: "Stopped" } }, observedIn("DEPLOYED"));
    expect(memory.runState).toBe("Running");
    expect(planned({ memory }, observedIn("STOPPED"))).toBe("stalled DriftDetected");
  });

  it("marks the deployment with all that a later trace compares with", () => {
    const memory = { written: { revision: 3 }, owned: ownedOf(inputs, { writtenAt: NOW.toISOString() }) };
    const context = contextWith({ requested: "now", memory, inputs });
    const baseline = serviceBaseline(statusOf("BUILD_ERROR"));
    const mark = {
      baseline,
      state: "BUILD_ERROR",
      requestId: OLD_REQUEST,
      settings: 3,
      variablesAt: NOW.toISOString(),
      retry: "now",
    };
    const why = { reason: "Deploying", message: "Commit 1a2b3c4 is being deployed." };
    const action = { what: "deploy", commit: COMMIT, retry: "now" };
    const step = { repeat: "once", creates: false, commit: COMMIT, action, mark, why };
    expect(application.plan(context, observedIn("BUILD_ERROR"))).toMatchObject({ is: "step", step });
  });
});

describe("the last failure", () => {
  const failed = { request: { status: "BUILD_ERROR", deploymentRequestId: REQUEST } };
  const open = { memory: { lastDeployment: openDeployment({ baseline: serviceBaseline(statusOf("DEPLOYED")) }) } };
  const at = NOW.toISOString();
  const message = expect.stringMatching(/^The platform reports BUILD_ERROR for commit 1a2b3c4\. Read the build log/);
  const failure = { state: "BUILD_ERROR", gitCommitId: COMMIT, requestId: REQUEST, at, message: message as string };
  const { lastFailure: seenFirst, lastDeployment } = memoryOf(open, observedIn("BUILD_ERROR", failed));
  const later = { now: new Date("2026-11-22T10:00:00Z") };

  it("has its commit and request, and keeps its time", () => {
    expect(seenFirst).toEqual(failure);
    const memory = { lastFailure: seenFirst!, lastDeployment: lastDeployment! };
    expect(memoryOf({ ...later, memory }, observedIn("BUILD_ERROR")).lastFailure).toEqual(seenFirst);
  });

  it("is kept while the next one is under way, and forgotten once one succeeds", () => {
    const memory = { lastFailure: seenFirst!, lastDeployment: openDeployment() };
    expect(memoryOf({ memory }, observedIn("BUILDING")).lastFailure).toEqual(seenFirst);
    const over = { ...memory, lastDeployment: deployment() };
    expect(memoryOf({ memory: over }, observedIn("DEPLOYED")).lastFailure).toBeUndefined();
  });

  it.each([
    ["another state", { state: "DEPLOYMENT_ERROR" }],
    ["another commit", { gitCommitId: "feedface" }],
    ["another request", { requestId: "00000000-0000-4000-8000-0000000000d9" }],
  ])("is another one with %s", (_name, change) => {
    const before = { ...seenFirst!, ...change, at: "2026-11-20T10:00:00.000Z" };
    const memory = { lastFailure: before, lastDeployment: lastDeployment! };
    expect(memoryOf({ memory }, observedIn("BUILD_ERROR")).lastFailure).toEqual(failure);
  });

  it("does not name a successful deployment of the operator", () => {
    const message: unknown = expect.stringMatching(/^The platform reports RESTART_ERROR\. /);
    expect(memoryOf({}, observedIn("RESTART_ERROR")).lastFailure).toEqual({ state: "RESTART_ERROR", at, message });
  });
});

describe("what an application remembers", () => {
  it("is empty before the application is recorded", () => {
    for (const identitySource of ["given", "claimed"] as const) {
      const reported = reportOf({ identitySource, surface: "Full" }, observedFull("DEPLOYED"));
      expect(reported).toMatchObject({ status: {}, conditions: [] });
    }
  });

  it("is, of an adopted application, the secrets that it was found with", () => {
    const observed = observedIn("DEPLOYED", { lists: listsWith(listedVariable("KEY")) });
    const { owned } = memoryOf({ inputs, memory: { lastDeployment: undefined } }, observed);
    const variable = { key: "KEY", secret: true, digest: "KEY=value", updatedAt: "2026-11-20T10:00:00Z" };
    expect(owned).toEqual({ variables: [variable], written: inputs.fingerprint });
  });

  it("that it was asked to stop, until that is seen", () => {
    const stopping = serviceBaseline(statusOf("DEPLOYED"));
    const memory = { stopping, runState: "Stopped" } as const;
    const change = { memory, spec: { runState: "Stopped" } };
    const stoppingOf = (state: string, status = {}) =>
      memoryOf(change, observedIn(state, { status: statusOf(state, status) })).stopping;
    const moved = { executionId: "run-2" };
    for (const at of [stoppingOf("DEPLOYED"), stoppingOf("STOP_QUEUED", moved), stoppingOf("STOPPING")])
      expect(at).toBe(stopping);
    for (const at of [stoppingOf("STOPPED"), stoppingOf("STOP_ERROR", moved), stoppingOf("DEPLOYED", moved)])
      expect(at).toBeUndefined();
  });
});
