import { describe, expect, it } from "vitest";

import {
  deployment,
  OLD_REQUEST,
  OTHER_COMMIT,
  passWith,
  REQUEST,
  type Change,
  COMMIT,
  observedIn,
  openDeployment,
  planned,
  plannedBy,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { serviceBaseline } from "../service/trace.ts";
import type { ApplicationMemory } from "./crd.ts";
import { deployedCommit, sameCommit } from "./deployment.ts";
import { application } from "./index.ts";
import { NOTHING_OBSERVED, type ApplicationContext, type Observed } from "./model.ts";

describe("commits", () => {
  it.each([
    ["1a2b3c4d", "1a2b3c4d", true],
    ["1a2b3c4d", "1a2b3c4", true],
    ["1a2b3c4", "1a2b3c4d", true],
    ["1a2b3c4d", "1a2b3c5", false],
  ])("%s and %s: %s", (left, right, same) => {
    expect(sameCommit(left, right)).toBe(same);
  });
});

describe("the commit that an operation deployed", () => {
  const operation = {
    name: "shop/op",
    operation: "deployApplication",
    startedAt: "2026-11-21T09:30:00.000Z",
    requestId: REQUEST,
    gitCommitId: OTHER_COMMIT,
    result: "Completed",
  } as const;
  const running = { state: "DEPLOYED", deploymentRequestId: REQUEST };

  it.each<[string, object, object, string | undefined]>([
    ["is known", {}, {}, OTHER_COMMIT],
    ["is known where its end was not waited for", { result: "Accepted" }, {}, OTHER_COMMIT],
    ["is known without request ids", { requestId: undefined }, {}, OTHER_COMMIT],
    ["is not known without them before its end", { requestId: undefined, result: undefined }, {}, undefined],
    ["is not running yet", {}, { state: "DEPLOYING" }, undefined],
    ["is not running where another request is", {}, { deploymentRequestId: OLD_REQUEST }, undefined],
    ["is of before our own deployment", { startedAt: "2026-11-21T08:30:00.000Z" }, {}, undefined],
    ["is none", { gitCommitId: undefined }, {}, undefined],
  ])("%s", (_name, change, shown, expected) => {
    const context = passWith({ memory: { lastDeployment: deployment(), lastOperation: { ...operation, ...change } } });
    const status = { id: context.id ?? "", ...running, ...shown };
    expect(deployedCommit(context, { ...NOTHING_OBSERVED, status })).toBe(expected);
  });
});

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
  const lastOf = (change: Change, observed: Observed) =>
    (application.report(passWith(change), observed).status as ApplicationMemory).lastDeployment;

  it.each<[string, Observed, string, state: string, isOver: boolean]>([
    ["queued, not shown by the service yet", asked("DEPLOYMENT_QUEUED"), "waiting Queued", "DEPLOYMENT_QUEUED", false],
    ["under way, the service saying more", asked("QUEUED", "BUILDING"), "waiting Building", "BUILDING", false],
    ["over, the service not showing it yet", asked("DEPLOYED", "DEPLOYING"), "settled", "DEPLOYED", true],
    ["failed, the service not showing it yet", asked("BUILD_ERROR"), "stalled BuildFailed", "BUILD_ERROR", true],
    ["failed for another service", asked("BUILD_ERROR", "DEPLOYED", ours), "settled", "DEPLOYED", true],
    ["failed for another, without a request", asked("BUILD_ERROR", "DEPLOYED", unnamed), "settled", "DEPLOYED", true],
    ["failed because of another", asked("BUILD_ERROR", "CANCELED", canceled), "stalled Canceled", "CANCELED", true],
    ["canceled before it began", asked("CANCELED", "DEPLOYED", ours), "stalled Canceled", "CANCELED", true],
    ["in an undocumented state", asked("PONDERING"), "waiting Progressing", "PONDERING", false],
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
  const context = passWith({ memory: { lastDeployment: openDeployment(open) } });
  const over = (observed: Observed, of: ApplicationContext = context) =>
    (application.report(of, observed).status as ApplicationMemory).lastDeployment?.finishedAt !== undefined;

  const hidden = { lastDeploymentDate: undefined as never, executionId: undefined as never };

  it.each<[string, Partial<typeof before>, string, boolean]>([
    ["is not believed while nothing moved", {}, "waiting Progressing", false],
    ["is not believed where less is shown", hidden, "waiting Progressing", false],
    ["is believed once the date moved", { lastDeploymentDate: "2026-11-21T10:00:00Z" }, "settled", true],
    ["is believed once the run moved", { executionId: "run-2" }, "settled", true],
    ["is believed once the count moved", { deploymentRequestsCount: 1 }, "settled", true],
    ["is followed by the state", { state: "BUILDING" }, "waiting Building", false],
    ["waits for what is still queued", { state: "READY", deploymentRequestsCount: 1 }, "waiting Progressing", false],
    ["may fail", { state: "BUILD_ERROR", executionId: "run-2" }, "stalled BuildFailed", true],
  ])("%s", (_name, change, expected, isOver) => {
    const observed = observedIn("DEPLOYED", { status: { ...before, ...change } });
    expect(plannedBy(context, observed)).toBe(expected);
    expect(over(observed)).toBe(isOver);
  });

  it("has its result once it was observed at work, also where nothing else changes", () => {
    const building = observedIn("BUILDING", { status: { ...before, state: "BUILDING" } });
    const memory = application.report(context, building).status as ApplicationMemory;
    const failed = observedIn("BUILD_ERROR", { status: { ...before, state: "BUILD_ERROR" } });
    expect(over(failed)).toBe(false);
    expect(plannedBy(passWith({ memory }), failed)).toBe("stalled BuildFailed");
    expect(over(failed, passWith({ memory }))).toBe(true);
  });
});
