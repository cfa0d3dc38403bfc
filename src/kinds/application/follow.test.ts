import { describe, expect, it } from "vitest";

import {
  COMMIT,
  observedIn,
  openDeployment,
  passWith,
  plannedBy,
  REQUEST,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { serviceBaseline } from "../service/trace.ts";
import type { ApplicationMemory } from "./crd.ts";
import { application } from "./index.ts";
import type { ApplicationContext, Observed } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

/** The result of the plan, with the commit that is deployed now. */
function planned(change: Change, observed: Observed): string {
  return plannedBy(passWith(change), observed);
}

describe("[C10] a deployment is followed by its request id", () => {
  const open = (change: Partial<Parameters<typeof openDeployment>[0]> = {}) => ({
    memory: { lastDeployment: openDeployment({ baseline: serviceBaseline(statusOf("DEPLOYED")), ...change }) },
  });
  const request = (status: string) => ({ request: { status, deploymentRequestId: REQUEST } });
  const ours = { deploymentRequestId: REQUEST, executionId: "run-2" };
  const lastOf = (change: Change, observed: Observed) =>
    (application.report(passWith(change), observed).status as ApplicationMemory).lastDeployment;

  it.each<[string, Observed, string, { state: string; over: boolean }]>([
    [
      "queued, the service not showing it yet",
      observedIn("DEPLOYED", request("DEPLOYMENT_QUEUED")),
      "waiting Queued",
      { state: "DEPLOYMENT_QUEUED", over: false },
    ],
    [
      "under way, the service saying more",
      observedIn("BUILDING", request("QUEUED")),
      "waiting Building",
      { state: "BUILDING", over: false },
    ],
    [
      "over, the service not showing it yet",
      observedIn("DEPLOYING", request("DEPLOYED")),
      "settled",
      { state: "DEPLOYED", over: true },
    ],
    [
      "failed, the service not showing it yet",
      observedIn("DEPLOYED", request("BUILD_ERROR")),
      "stalled BuildFailed",
      { state: "BUILD_ERROR", over: true },
    ],
    [
      "failed for another service",
      observedIn("DEPLOYED", { ...request("BUILD_ERROR"), status: statusOf("DEPLOYED", ours) }),
      "settled",
      { state: "DEPLOYED", over: true },
    ],
    [
      "failed for another service, the service telling no request",
      observedIn("DEPLOYED", {
        ...request("BUILD_ERROR"),
        status: statusOf("DEPLOYED", {
          deploymentRequestId: undefined as never,
          lastDeploymentDate: "2026-11-21T10:00:00Z",
        }),
      }),
      "settled",
      { state: "DEPLOYED", over: true },
    ],
    [
      "failed because of another service",
      observedIn("CANCELED", { ...request("BUILD_ERROR"), status: statusOf("CANCELED", ours) }),
      "stalled Canceled",
      { state: "CANCELED", over: true },
    ],
    [
      "cancelled before it began",
      observedIn("DEPLOYED", { ...request("CANCELED"), status: statusOf("DEPLOYED", ours) }),
      "stalled Canceled",
      { state: "CANCELED", over: true },
    ],
    [
      "in an undocumented state",
      observedIn("DEPLOYED", request("PONDERING")),
      "waiting Progressing",
      { state: "PONDERING", over: false },
    ],
    [
      "ended, the service in an unknown state",
      observedIn("UNAVAILABLE", request("DEPLOYED")),
      "settled",
      { state: "DEPLOYED", over: true },
    ],
    [
      "unknown to the platform, the service RUNNING as before",
      observedIn("RUNNING"),
      "waiting Progressing",
      { state: "RUNNING", over: false },
    ],
    [
      "unknown to the platform, the service RUNNING after a later deployment",
      observedIn("RUNNING", { status: statusOf("RUNNING", { lastDeploymentDate: "2026-11-21T10:00:00Z" }) }),
      "settled",
      { state: "RUNNING", over: true },
    ],
    [
      "unknown to the platform, the service in ERROR as before",
      observedIn("ERROR"),
      "waiting Progressing",
      { state: "ERROR", over: false },
    ],
    [
      "unknown to the platform, the service as before",
      observedIn("DEPLOYED"),
      "waiting Progressing",
      { state: "DEPLOYED", over: false },
    ],
    [
      "unknown to the platform, the service having moved",
      observedIn("DEPLOYED", { status: statusOf("DEPLOYED", ours) }),
      "settled",
      { state: "DEPLOYED", over: true },
    ],
  ])("%s", (_name, observed, expected, { state, over }) => {
    expect(planned(open(), observed)).toBe(expected);
    const last = lastOf(open(), observed);
    expect(last).toMatchObject({ gitCommitId: COMMIT, requestId: REQUEST, state });
    expect(last?.finishedAt).toBe(over ? "2026-11-21T10:00:00.400Z" : undefined);
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

  it.each<[string, Partial<typeof before>, string, boolean]>([
    ["is not believed while nothing moved", {}, "waiting Progressing", false],
    [
      "is not believed where less is shown",
      { lastDeploymentDate: undefined as never, executionId: undefined as never },
      "waiting Progressing",
      false,
    ],
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
