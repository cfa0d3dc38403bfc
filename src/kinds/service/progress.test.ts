import { describe, expect, it } from "vitest";

import { NOW, openDeployment, REQUEST, statusOf } from "../../../test/support/services/applications.ts";
import { advanced, everDeployed, movedPast, serviceBaseline, serviceProgress } from "./progress.ts";

const nothing = {
  lastDeploymentDate: undefined as never,
  executionId: undefined as never,
  deploymentRequestsCount: undefined as never,
};

describe("a change since a baseline", () => {
  const before = serviceBaseline(statusOf("DEPLOYED"));
  const blank = serviceBaseline(statusOf("READY", nothing));

  it.each<[string, string | undefined, Parameters<typeof statusOf>[1], boolean]>([
    ["is not the same", before, {}, false],
    ["is another date", before, { lastDeploymentDate: "2026-11-21T10:00:00Z" }, true],
    ["is another run", before, { executionId: "run-2" }, true],
    ["is another count", before, { deploymentRequestsCount: 1 }, true],
    ["is not what is not shown now", before, nothing, false],
    ["is a date where there was none", blank, { ...nothing, lastDeploymentDate: "2026-11-21T10:00:00Z" }, true],
    ["is not an empty queue where none was known", blank, { ...nothing, deploymentRequestsCount: 0 }, false],
    ["is not nothing where nothing was known", serviceBaseline(undefined), nothing, false],
    ["is anything without a baseline", undefined, nothing, true],
    ["is anything without one that can be read", "nonsense", nothing, true],
    ["is anything without one that is a list", "{}", nothing, true],
  ])("%s", (_name, baseline, change, moved) => {
    expect(movedPast(baseline, statusOf("DEPLOYED", change))).toBe(moved);
  });
});

it.each<[string, Parameters<typeof statusOf>[1] & { readonly state?: string }, boolean]>([
  ["it says so", { serviceDeploymentStatus: "NEVER_DEPLOYED" }, false],
  ["it has a date", { state: "STOPPED" }, true],
  ["it runs", { ...nothing, state: "DEPLOYED" }, true],
  ["neither", { ...nothing, state: "READY" }, false],
  ["it says nothing", { ...nothing, state: "BUILDING", serviceDeploymentStatus: undefined as never }, false],
])("whether a service was ever deployed: %s: %j", (_name, { state = "DEPLOYED", ...change }, expected) => {
  expect(everDeployed(statusOf(state, change))).toBe(expected);
});

it("whether a service was ever deployed is false for a service without a status", () => {
  expect(everDeployed(undefined)).toBe(false);
});

it("a deployment that has ended keeps what the platform first sends about its run", () => {
  const steps = { totalDurationSec: 134, details: [{ stepName: "BUILD", durationSec: 80.5 }, { durationSec: 54 }] };
  const ofRequest = { deploymentRequestId: REQUEST, executionId: "run-2", deploymentRequestsCount: 3, steps };
  const status = statusOf("DEPLOYED", { ...ofRequest, statusDetails: { subAction: "NONE" } });
  const observed = { status, request: { status: "DEPLOYED" } };
  const open = openDeployment();
  const last = advanced(open, serviceProgress(open, observed), observed, NOW);
  expect(last).toMatchObject({
    executionId: "run-2",
    subAction: "NONE",
    requestsCount: 3,
    steps: { totalSeconds: 134, details: [{ name: "BUILD", seconds: 80 }, { seconds: 54 }] },
  });
  const ended = { ...open, state: "DEPLOYED", finishedAt: NOW.toISOString() };
  expect(advanced(ended, serviceProgress(ended, { status }), { status }, NOW)?.steps?.totalSeconds).toBe(134);
  const later = { status: { ...status, executionId: "run-3" } };
  expect(advanced(last, serviceProgress(last, later), later, NOW)?.executionId).toBe("run-2");
});

describe("the progress of a deployment, by its request and the state of the service", () => {
  const open = openDeployment({ baseline: serviceBaseline(statusOf("DEPLOYED")) });
  const ofRequest = { deploymentRequestId: REQUEST };

  it.each<[string, string, string, string | undefined]>([
    ["UNAVAILABLE", "DEPLOYED", "unknown", undefined],
    ["PAUSED", "DEPLOYED", "unknown", undefined],
    ["UNAVAILABLE", "BUILDING", "busy", undefined],
    ["DEPLOYED", "RUNNING", "running", "DEPLOYED"],
    ["DEPLOYMENT_ERROR", "ERROR", "failed", "ERROR"],
    ["STOPPED", "STOPPED", "stopped", "STOPPED"],
  ])("%s and %s is %s", (request, state, phase, ended) => {
    const observed = { status: statusOf(state, ofRequest), request: { status: request } };
    const progress = serviceProgress(open, observed);
    expect(progress?.phase).toBe(phase);
    const last = advanced(open, progress, observed, NOW);
    expect(last?.finishedAt === undefined ? undefined : last.state).toBe(ended);
  });
});
