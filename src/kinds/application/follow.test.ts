import { describe, expect, it } from "vitest";

import {
  COMMIT,
  openDeployment,
  passWith,
  plannedBy,
  REQUEST,
  seenIn,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { serviceBaseline } from "../service/trace.ts";
import type { ApplicationMemory } from "./crd.ts";
import { application } from "./index.ts";
import type { ApplicationContext, Seen } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

/** What the plan comes to, with the commit that is deployed now. */
function planned(change: Change, seen: Seen): string {
  return plannedBy(passWith(change), seen);
}

describe("[C10] a deployment is followed by its request id", () => {
  const open = (change: Partial<Parameters<typeof openDeployment>[0]> = {}) => ({
    memory: { lastDeployment: openDeployment({ baseline: serviceBaseline(statusOf("DEPLOYED")), ...change }) },
  });
  const request = (status: string) => ({ request: { status, deploymentRequestId: REQUEST } });
  const ours = { deploymentRequestId: REQUEST, executionId: "run-2" };
  const lastOf = (change: Change, seen: Seen) =>
    (application.report(passWith(change), seen).status as ApplicationMemory).lastDeployment;

  it.each<[string, Seen, string, { state: string; over: boolean }]>([
    [
      "queued, the service not showing it yet",
      seenIn("DEPLOYED", request("DEPLOYMENT_QUEUED")),
      "waiting Queued",
      { state: "DEPLOYMENT_QUEUED", over: false },
    ],
    [
      "under way, the service saying more",
      seenIn("BUILDING", request("QUEUED")),
      "waiting Building",
      { state: "BUILDING", over: false },
    ],
    [
      "over, the service not showing it yet",
      seenIn("DEPLOYING", request("DEPLOYED")),
      "settled",
      { state: "DEPLOYED", over: true },
    ],
    [
      "failed, the service not showing it yet",
      seenIn("DEPLOYED", request("BUILD_ERROR")),
      "stalled BuildFailed",
      { state: "BUILD_ERROR", over: true },
    ],
    [
      "failed for another service",
      seenIn("DEPLOYED", { ...request("BUILD_ERROR"), status: statusOf("DEPLOYED", ours) }),
      "settled",
      { state: "DEPLOYED", over: true },
    ],
    [
      "failed for another service, the service telling no request",
      seenIn("DEPLOYED", {
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
      seenIn("CANCELED", { ...request("BUILD_ERROR"), status: statusOf("CANCELED", ours) }),
      "stalled Canceled",
      { state: "CANCELED", over: true },
    ],
    [
      "cancelled before it began",
      seenIn("DEPLOYED", { ...request("CANCELED"), status: statusOf("DEPLOYED", ours) }),
      "stalled Canceled",
      { state: "CANCELED", over: true },
    ],
    [
      "in a state that nobody documented",
      seenIn("DEPLOYED", request("PONDERING")),
      "waiting Progressing",
      { state: "PONDERING", over: false },
    ],
    [
      "ended, the service in a state that tells nothing",
      seenIn("UNAVAILABLE", request("DEPLOYED")),
      "settled",
      { state: "DEPLOYED", over: true },
    ],
    [
      "unknown to the platform, the service RUNNING as before",
      seenIn("RUNNING"),
      "waiting Progressing",
      { state: "RUNNING", over: false },
    ],
    [
      "unknown to the platform, the service RUNNING after a later deployment",
      seenIn("RUNNING", { status: statusOf("RUNNING", { lastDeploymentDate: "2026-11-21T10:00:00Z" }) }),
      "settled",
      { state: "RUNNING", over: true },
    ],
    [
      "unknown to the platform, the service in ERROR as before",
      seenIn("ERROR"),
      "waiting Progressing",
      { state: "ERROR", over: false },
    ],
    [
      "unknown to the platform, the service as before",
      seenIn("DEPLOYED"),
      "waiting Progressing",
      { state: "DEPLOYED", over: false },
    ],
    [
      "unknown to the platform, the service having moved",
      seenIn("DEPLOYED", { status: statusOf("DEPLOYED", ours) }),
      "settled",
      { state: "DEPLOYED", over: true },
    ],
  ])("%s", (_name, seen, expected, { state, over }) => {
    expect(planned(open(), seen)).toBe(expected);
    const last = lastOf(open(), seen);
    expect(last).toMatchObject({ gitCommitId: COMMIT, requestId: REQUEST, state });
    expect(last?.finishedAt).toBe(over ? "2026-11-21T10:00:00.400Z" : undefined);
  });

  it("ends once: when it did is not written again", () => {
    const first = lastOf(open(), seenIn("DEPLOYED", request("DEPLOYED")));
    const later = { memory: { lastDeployment: first }, now: new Date("2026-11-22T10:00:00Z") };
    for (const state of ["DEPLOYED", "BUILDING", "STOPPED", "BUILD_ERROR"])
      expect(lastOf(later, seenIn(state))).toEqual(first);
  });
});

describe("a deployment without a request id", () => {
  const before = statusOf("DEPLOYED", { deploymentRequestId: undefined as never });
  const open = { requestId: undefined, baseline: serviceBaseline(before) };
  const context = passWith({ memory: { lastDeployment: openDeployment(open) } });
  const over = (seen: Seen, of: ApplicationContext = context) =>
    (application.report(of, seen).status as ApplicationMemory).lastDeployment?.finishedAt !== undefined;

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
    const seen = seenIn("DEPLOYED", { status: { ...before, ...change } });
    expect(plannedBy(context, seen)).toBe(expected);
    expect(over(seen)).toBe(isOver);
  });

  it("is believed once it was seen at work, also where nothing else moves", () => {
    const building = seenIn("BUILDING", { status: { ...before, state: "BUILDING" } });
    const memory = application.report(context, building).status as ApplicationMemory;
    const failed = seenIn("BUILD_ERROR", { status: { ...before, state: "BUILD_ERROR" } });
    expect(over(failed)).toBe(false);
    expect(plannedBy(passWith({ memory }), failed)).toBe("stalled BuildFailed");
    expect(over(failed, passWith({ memory }))).toBe(true);
  });
});
