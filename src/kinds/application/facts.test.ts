import { describe, expect, it } from "vitest";

import {
  type Change,
  COMMIT,
  deployment,
  inputsWith,
  listedVariable,
  listsWith,
  observedFull,
  observedIn,
  OLD_REQUEST,
  openDeployment,
  ownedOf,
  OTHER_COMMIT,
  contextWith,
  planned,
  plans,
  print,
  REQUEST,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { serviceBaseline } from "../service/progress.ts";
import type { ListedVariable } from "../variables/compare.ts";
import type { ApplicationMemory } from "./crd.ts";
import { application } from "./index.ts";
import type { Observed } from "./model.ts";

const lastOf = (change: Change, observed: Observed) =>
  (application.report(contextWith(change), observed).status as ApplicationMemory).lastDeployment;

describe("[C10] a deployment is followed by its request id", () => {
  const open = (change: Partial<Parameters<typeof openDeployment>[0]> = {}) => ({
    memory: { lastDeployment: openDeployment({ baseline: serviceBaseline(statusOf("DEPLOYED")), ...change }) },
  });
  const request = (status: string) => ({ request: { status, deploymentRequestId: REQUEST } });
  const asked = (status: string, service = "DEPLOYED", change: Partial<Observed> = {}) =>
    observedIn(service, { ...request(status), ...change });
  const ours = { status: statusOf("DEPLOYED", { deploymentRequestId: REQUEST, executionId: "run-2" }) };
  const later = { lastDeploymentDate: "2026-11-21T10:00:00Z" };
  const unnamed = { status: statusOf("DEPLOYED", { deploymentRequestId: undefined as never, ...later }) };
  const since = observedIn("RUNNING", { status: statusOf("RUNNING", later) });
  const canceled = { status: statusOf("CANCELED", { deploymentRequestId: REQUEST, executionId: "run-2" }) };
  it.each<[string, Observed, string, state: string, isOver: boolean]>([
    ["queued, not shown by the service yet", asked("DEPLOYMENT_QUEUED"), "waiting Queued", "DEPLOYMENT_QUEUED", false],
    ["under way, the service saying more", asked("QUEUED", "BUILDING"), "waiting Building", "BUILDING", false],
    ["over, the service not showing it yet", asked("DEPLOYED", "DEPLOYING"), "settled", "DEPLOYED", true],
    ["failed, the service not showing it yet", asked("BUILD_ERROR"), "stalled BuildFailed", "BUILD_ERROR", true],
    ["failed for another service", asked("BUILD_ERROR", "DEPLOYED", ours), "settled", "DEPLOYED", true],
    ["failed for another, without a request", asked("BUILD_ERROR", "DEPLOYED", unnamed), "settled", "DEPLOYED", true],
    ["failed because of another", asked("BUILD_ERROR", "CANCELED", canceled), "stalled Canceled", "CANCELED", true],
    ["canceled before it began", asked("CANCELED", "DEPLOYED", ours), "stalled Canceled", "CANCELED", true],
    ["in an undocumented state", asked("PONDERING"), "unknown UnknownState", "PONDERING", false],
    ["ended, the service in an unknown state", asked("DEPLOYED", "UNAVAILABLE"), "settled", "DEPLOYED", true],
    ["unknown, the service RUNNING as before", observedIn("RUNNING"), "waiting Progressing", "RUNNING", false],
    ["unknown, the service RUNNING since", since, "settled", "RUNNING", true],
    ["unknown, the service in ERROR as before", observedIn("ERROR"), "waiting Progressing", "ERROR", false],
    ["unknown, the service as before", observedIn("DEPLOYED"), "waiting Progressing", "DEPLOYED", false],
    ["unknown, the service having moved", observedIn("DEPLOYED", ours), "settled", "DEPLOYED", true],
  ])("%s", (_name, observed, expected, state, isOver) => {
    expect(planned(open(), observed)).toBe(expected);
    const last = lastOf(open(), observed);
    expect(last).toMatchObject({ gitCommitId: COMMIT, requestId: REQUEST, state });
    expect(last?.finishedAt).toBe(isOver ? "2026-11-21T10:00:00.400Z" : undefined);
  });

  it("ends once: the time of its end is not written again", () => {
    const first = lastOf(open(), observedIn("DEPLOYED", request("DEPLOYED")));
    const later = { memory: { lastDeployment: first }, now: new Date("2026-11-22T10:00:00Z") };
    for (const state of ["DEPLOYED", "BUILDING", "STOPPED", "BUILD_ERROR"])
      expect(lastOf(later, observedIn(state))).toEqual(first);
  });
});

describe("a deployment without a request id", () => {
  const before = statusOf("DEPLOYED", { deploymentRequestId: undefined as never });
  const open = { requestId: undefined, baseline: serviceBaseline(before) };
  const change = { memory: { lastDeployment: openDeployment(open) } };
  const over = (observed: Observed, of: Change = change) => lastOf(of, observed)?.finishedAt !== undefined;
  const hidden = { lastDeploymentDate: undefined as never, executionId: undefined as never };

  it.each<[string, Partial<typeof before>, string, boolean]>([
    ["is not believed while nothing moved", {}, "waiting Progressing", false],
    ["is not believed where less is shown", hidden, "waiting Progressing", false],
    ["is believed once the date moved", { lastDeploymentDate: "2026-11-21T10:00:00Z" }, "settled", true],
    ["is followed by the state", { state: "BUILDING" }, "waiting Building", false],
    ["waits for what is still queued", { state: "READY", deploymentRequestsCount: 1 }, "waiting Progressing", false],
    ["may fail", { state: "BUILD_ERROR", executionId: "run-2" }, "stalled BuildFailed", true],
  ])("%s", (_name, shown, expected, isOver) => {
    const observed = observedIn("DEPLOYED", { status: { ...before, ...shown } });
    expect(planned(change, observed)).toBe(expected);
    expect(over(observed)).toBe(isOver);
  });

  it("has its result once it was observed at work, also where nothing else changes", () => {
    const building = observedIn("BUILDING", { status: { ...before, state: "BUILDING" } });
    const memory = application.report(contextWith(change), building).status as ApplicationMemory;
    const failed = observedIn("BUILD_ERROR", { status: { ...before, state: "BUILD_ERROR" } });
    expect(over(failed)).toBe(false);
    expect(planned({ memory }, failed)).toBe("stalled BuildFailed");
    expect(over(failed, { memory })).toBe(true);
  });
});

const DEPLOY = `deployApplication ${COMMIT}`;
const DEPLOY_OTHER = `deployApplication ${OTHER_COMMIT}`;
const other = { deploy: { gitCommitId: OTHER_COMMIT } };
const byHand = { deploy: { gitCommitId: COMMIT, policy: "Manual" } };
const otherByHand = { deploy: { gitCommitId: OTHER_COMMIT, policy: "Manual" } };
const isStopped = { memory: { runState: "Stopped" } } as const;
const isNew = { memory: { lastDeployment: undefined } };
const last = (change: Parameters<typeof deployment>[0]) => ({ memory: { lastDeployment: deployment(change) } });
const written = (change: ApplicationMemory["written"]) => ({ revision: 0, ...change });
const inputs = inputsWith([{ name: "KEY", value: "value", isSecret: false }], print("new"));
const never = observedIn("READY", { status: statusOf("READY", { serviceDeploymentStatus: "NEVER_DEPLOYED" }) });

const [BEFORE, SINCE] = ["2026-11-21T08:00:00.000Z", "2026-11-21T09:30:00.000Z"];

/** The variables are written as these inputs declare them, and were changed at this time; a deployment includes those before. */
const sent = (wanted: typeof inputs, writtenAt: string): ApplicationMemory => ({
  written: written({ settings: {} }),
  owned: ownedOf(wanted, { writtenAt }),
  lastDeployment: deployment({ variablesAt: BEFORE }),
});

describe("another deployment", () => {
  const unnamed = { lastDeployment: openDeployment({ requestId: undefined }) };
  const abbreviated = { spec: { deploy: { gitCommitId: COMMIT.slice(0, 7) } } };
  const touched = { ...inputs, fingerprint: print("new", "key-1", "2 s@2") };
  const rotated = { ...inputs, fingerprint: print("other digest", "key-2") };

  // states.test.ts has the states in which nothing has changed.
  plans([
    ["for another commit", { spec: other }, observedIn("DEPLOYED"), DEPLOY_OTHER],
    ["for another commit, of what others stopped", { spec: other }, observedIn("STOPPED"), DEPLOY_OTHER],
    ["for variables that we wrote since", { inputs, memory: sent(inputs, SINCE) }, observedIn("DEPLOYED"), DEPLOY],
    ["not for variables that it includes", { inputs, memory: sent(inputs, BEFORE) }, observedIn("DEPLOYED"), "settled"],
    ["also after a request without an id", { spec: other, memory: unnamed }, observedIn("HIBERNATING"), DEPLOY_OTHER],
    ["on request, also by hand", { requested: "now", spec: byHand }, observedIn("CANCELED"), DEPLOY],
    ["to start what we stopped, also by hand", { ...isStopped, spec: byHand }, observedIn("STOPPED"), DEPLOY],
    ["for the same commit, abbreviated", abbreviated, observedIn("DEPLOYED"), "settled"],
    ["for the same commit, in full", last({ gitCommitId: COMMIT.slice(0, 8) }), observedIn("DEPLOYED"), "settled"],
    ["by hand", { spec: otherByHand }, observedIn("DEPLOYED"), "settled"],
    ["by hand, the first time", { ...isNew, spec: byHand }, never, "settled"],
    ["to undo an uninstallation by others", { spec: other }, observedIn("DELETED"), "stalled ExternalResourceDeleted"],
    ["for a touched Secret", { inputs: touched, memory: sent(inputs, BEFORE) }, observedIn("DEPLOYED"), "settled"],
    ["for another token", { inputs: rotated, memory: sent(inputs, BEFORE) }, observedIn("DEPLOYED"), "settled"],
  ]);
});

describe("an application that was deployed before we came, or whose status was lost", () => {
  const adopted = { surface: "Full", ...isNew } as const;
  const unshown = { memory: { lastDeployment: undefined, ...application.adopted?.("Found") } };
  const unreadable = (commit: string) => ({ memory: { ...unshown.memory, commit: commit.slice(0, 7) } });
  const deployed = (deployedCommitId: string) => observedFull("DEPLOYED", { gitRepository: { deployedCommitId } });
  const withVariables = (...some: readonly ListedVariable[]) =>
    observedFull("DEPLOYED", {}, { lists: listsWith(...some) });

  plans([
    ["is not deployed again when its commit is the spec's", adopted, deployed(COMMIT), "settled"],
    ["is not deployed again when it failed", isNew, observedIn("BUILD_ERROR"), "stalled BuildFailed"],
    ["gets the spec's commit when none is shown, if it was adopted", unshown, observedIn("DEPLOYED"), DEPLOY],
    ["is left as it is by hand when none is shown", { ...unshown, spec: byHand }, observedIn("DEPLOYED"), "settled"],
    ["is not deployed again when none is shown, if its status was lost", isNew, observedIn("DEPLOYED"), "settled"],
    [
      "is not deployed again when only its last deployment was lost",
      unreadable(COMMIT),
      observedIn("DEPLOYED"),
      "settled",
    ],
    ["gets the spec's commit when its status says another", unreadable(OTHER_COMMIT), observedIn("DEPLOYED"), DEPLOY],
    ["gets the spec's commit when it shows another", adopted, deployed(OTHER_COMMIT), DEPLOY],
    ["keeps variables that it has", { ...adopted, inputs }, withVariables(listedVariable("KEY", "value")), "settled"],
    ["gets the variables that it misses", { ...adopted, inputs }, withVariables(), "importVariables"],
  ]);

  it("takes what it found as the baseline, once", () => {
    const found = (change: Change) => lastOf({ surface: "Full", ...change }, deployed(COMMIT));
    const first = found(adopted);
    const finishedAt = "2026-11-21T10:00:00.400Z";
    const included = { settings: 0, variablesAt: "" };
    expect(first).toEqual({ gitCommitId: COMMIT, state: "DEPLOYED", finishedAt, ...included });
    expect(found({ memory: { lastDeployment: first }, now: new Date("2026-11-22T10:00:00Z") })).toEqual(first);
  });
});

it("a commit that others deploy under the policy Manual becomes the last deployment's", () => {
  const commitAfter = (state: string, deploymentRequestId: string) => {
    const status = statusOf(state, { deploymentRequestId });
    const observed = observedFull(state, { gitRepository: { deployedCommitId: OTHER_COMMIT } }, { status });
    return lastOf({ surface: "Full", spec: otherByHand }, observed)?.gitCommitId;
  };
  expect(commitAfter("DEPLOYED", REQUEST)).toBe(OTHER_COMMIT);
  expect(commitAfter("DEPLOYED", OLD_REQUEST)).toBe(COMMIT);
  expect(commitAfter("DEPLOYING", REQUEST)).toBe(COMMIT);
});

describe("a deployment that failed", () => {
  const broken = observedIn("DEPLOYMENT_ERROR");
  const retry = { retry: { limit: 2, backoffMs: 60_000 } };
  const again = (change: Parameters<typeof deployment>[0] = {}) => {
    return { ...last({ state: "DEPLOYMENT_ERROR", ...change }), ...retry };
  };

  plans([["of another commit gives way", again({ gitCommitId: OTHER_COMMIT }), broken, DEPLOY]]);

  it("is counted, until something else is deployed", () => {
    const next = application.plan(contextWith(again({ attempts: 1 })), broken);
    expect(next).toMatchObject({ step: { action: { what: "deploy", attempts: 2 }, mark: { attempts: 2 } } });
    const asked = application.plan(contextWith({ ...again({ attempts: 2 }), requested: "now" }), broken);
    expect(asked).toMatchObject({ step: { action: { what: "deploy", attempts: undefined, retry: "now" } } });
  });

  it("gives the time to wait to the engine, and not in a message", () => {
    const at = (finishedAt: string) => application.plan(contextWith(again({ finishedAt })), broken);
    const early = at("2026-11-21T09:59:59.400Z");
    const late = at("2026-11-21T09:59:10.400Z");
    expect([early, late]).toMatchObject([{ again: 59_000 }, { again: 10_000 }]);
    expect(early).toMatchObject({ why: (late as { readonly why: object }).why });
    expect(early).toMatchObject({ why: { message: expect.stringContaining("commit 1a2b3c4") as string } });
  });
});

describe("a deployment that failed, of which the service shows nothing any more", () => {
  const canceled = last({ state: "CANCELED", requestId: REQUEST });
  const back = (change: Parameters<typeof statusOf>[1] & { readonly state?: string } = {}) =>
    observedIn("DEPLOYED", { status: statusOf("DEPLOYED", { deploymentRequestId: REQUEST, ...change }) });
  const theirs = back({ deploymentRequestId: OLD_REQUEST });

  it.each<[string, Change, Observed, string, string]>([
    ["stays failed while the service shows its request", {}, back(), "stalled Canceled", "Available"],
    ["stays failed after a first one as well", {}, back({ state: "READY" }), "stalled Canceled", "NotDeployed"],
    ["is retried on request", { requested: "now" }, back(), DEPLOY, "Available"],
    ["gives way to what others did since", {}, theirs, "settled", "Available"],
    ["is retried on request also then", { requested: "now" }, theirs, DEPLOY, "Available"],
    ["waits for what others do", {}, back({ state: "BUILDING" }), "waiting Building", "NotDeployed"],
  ])("%s", (_name, change, observed, expected, ready) => {
    expect(planned({ ...canceled, ...change }, observed)).toBe(expected);
    const reported = application.report(contextWith({ ...canceled, ...change }), observed);
    expect(reported.ready.reason).toBe(ready);
    expect(reported.conditions.find(({ type }) => type === "UpToDate")?.status).toBe("False");
  });

  it.each([
    [COMMIT, "Commit 1a2b3c4 is deployed.", "True"],
    ["feedface", "Commit feedfac is deployed.", "False"],
  ])("does not count once others have deployed %s", (deployedCommitId, message, isUpToDate) => {
    const shown = observedFull("DEPLOYED", { gitRepository: { deployedCommitId } });
    const { ready, conditions } = application.report(contextWith({ ...canceled, surface: "Full" }), shown);
    expect(ready.message).toBe(message);
    expect(conditions.find(({ type }) => type === "UpToDate")?.status).toBe(isUpToDate);
  });
});

describe("a change outside of the spec that a user made", () => {
  /** A Secret has another version and another value than was written. */
  const rotated = inputsWith([{ name: "KEY", value: "newer", isSecret: false }], print("newer", "key-1", "1 s@2"));
  const sameSource = inputsWith([{ name: "KEY", value: "newer", isSecret: false }], print("newer"));
  const imported = sent(rotated, SINCE);
  const isWritten = { writtenAt: SINCE, ...last({ variablesAt: BEFORE }) };

  const drifted = { surface: "Full", spec: { cpu: 250 } } as const;
  const shown = observedFull("DEPLOYED", { cpu: 500 });
  const manual = { ...drifted.spec, ...byHand };
  const stopped = observedIn("STOPPED");
  const foreign = observedFull("DEPLOYED", { gitRepository: { deployedCommitId: OTHER_COMMIT } });
  const restored = observedFull("DEPLOYED", {}, { lists: listsWith() });

  it.each<[string, Change, boolean, Observed?]>([
    ["of a Secret causes the import", { inputs: rotated, memory: sent(inputs, BEFORE) }, true],
    ["of a Secret causes the deployment", { inputs: rotated, memory: imported }, true],
    ["of a variable set causes the deployment", isWritten, true],
    ["counts beside settings of others", { ...drifted, inputs: rotated, memory: sent(inputs, BEFORE) }, true, shown],
    ["counts until it is deployed", { ...drifted, inputs: rotated, memory: imported }, true, shown],
    [
      "is none if others removed a variable",
      { surface: "Full", inputs, memory: sent(inputs, BEFORE) },
      false,
      restored,
    ],
    [
      "does not count while its deployment is left to others",
      { ...drifted, spec: manual, inputs: rotated, memory: imported },
      false,
      shown,
    ],
    ["is none if no source changed", { inputs: sameSource, memory: sent(inputs, BEFORE) }, false],
    ["counts beside another commit", { ...isWritten, spec: other }, true],
    ["does not cause a start", { ...isWritten, memory: { ...isStopped.memory, ...isWritten.memory } }, false, stopped],
    ["is not known if others deployed another commit", { ...isWritten, surface: "Full" }, false, foreign],
  ])("%s", (_title, change, follows, observed = observedIn("DEPLOYED")) => {
    expect(application.plan(contextWith(change), observed)).toMatchObject({ is: "step", step: { follows } });
  });
});

describe("a variable set that wrote to the application", () => {
  const before = "2026-11-21T09:00:00.000Z";
  const after = "2026-11-21T09:30:00.000Z";

  it.each<[string, string | undefined, string | undefined, string]>([
    ["since the last deployment causes a deployment", after, before, DEPLOY],
    ["for the first time since causes a deployment", after, "", DEPLOY],
    ["before the last deployment does not", before, before, "settled"],
    ["and is gone does not", undefined, before, "settled"],
    ["is no news to a deployment that knows nothing of sets", after, undefined, "settled"],
  ])("%s", (_, writtenAt, variablesAt, expected) => {
    const known = last(variablesAt === undefined ? {} : { variablesAt });
    expect(planned({ writtenAt, ...known }, observedIn("DEPLOYED"))).toBe(expected);
  });

  it.each([
    ["that is not known at the moment, as while it is adopted", undefined, before],
    ["that wrote again", after, after],
  ])("%s, counts as included in the next deployment", (_, writtenAt, included) => {
    const context = contextWith({ writtenAt, ...last({ gitCommitId: "0".repeat(40), variablesAt: before }) });
    const step = { op: "deployApplication", mark: { variablesAt: included } };
    expect(application.plan(context, observedIn("DEPLOYED"))).toMatchObject({ step });
  });
});
