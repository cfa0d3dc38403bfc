import { describe, expect, it } from "vitest";

import {
  type Change,
  COMMIT,
  deployment,
  inputsWith,
  NOW,
  observedFull,
  observedIn,
  openDeployment,
  passWith,
  print,
  REQUEST,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { serviceBaseline } from "../service/trace.ts";
import type { ApplicationMemory } from "./crd.ts";
import { application } from "./index.ts";
import type { Observed } from "./model.ts";

const reportOf = (change: Change, observed: Observed) => application.report(passWith(change), observed);
const memoryOf = (change: Change, observed: Observed) => reportOf(change, observed).status as ApplicationMemory;
const variables = [{ name: "KEY", value: "value", isSecret: true }];
describe("the last failure", () => {
  const failed = { request: { status: "BUILD_ERROR", deploymentRequestId: REQUEST } };
  const open = { memory: { lastDeployment: openDeployment({ baseline: serviceBaseline(statusOf("DEPLOYED")) }) } };
  const failure = {
    state: "BUILD_ERROR",
    gitCommitId: COMMIT,
    requestId: REQUEST,
    at: NOW.toISOString(),
    message: expect.stringMatching(
      /^The platform reports BUILD_ERROR for commit 1a2b3c4\. Read the build log/,
    ) as string,
  };
  const { lastFailure: seenFirst, lastDeployment } = memoryOf(open, observedIn("BUILD_ERROR", failed));
  const later = { now: new Date("2026-11-22T10:00:00Z") };

  it("has its commit and request, and keeps its time", () => {
    expect(seenFirst).toEqual(failure);
    const again = memoryOf(
      { ...later, memory: { lastFailure: seenFirst!, lastDeployment: lastDeployment! } },
      observedIn("BUILD_ERROR"),
    );
    expect(again.lastFailure).toEqual(seenFirst);
  });

  it("is kept while the next one is under way, and forgotten once one succeeds", () => {
    const memory = { lastFailure: seenFirst!, lastDeployment: openDeployment() };
    expect(memoryOf({ memory }, observedIn("BUILDING")).lastFailure).toEqual(seenFirst);
    expect(
      memoryOf({ memory: { ...memory, lastDeployment: deployment() } }, observedIn("DEPLOYED")).lastFailure,
    ).toBeUndefined();
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
    expect(memoryOf({}, observedIn("RESTART_ERROR")).lastFailure).toEqual({
      state: "RESTART_ERROR",
      at: NOW.toISOString(),
      message: expect.stringMatching(/^The platform reports RESTART_ERROR\. /) as string,
    });
  });
});

describe("what an application remembers", () => {
  it("is empty before the application is recorded", () => {
    for (const identitySource of ["given", "claimed"] as const) {
      const reported = reportOf({ identitySource, surface: "Full" }, observedFull("DEPLOYED"));
      expect(reported).toMatchObject({ status: {}, conditions: [] });
    }
  });

  it("gets the current sources while the content is the same", () => {
    const now = print("some", "key-1", "2 s@2");
    const memory = {
      lastDeployment: deployment({ variables: print("some") }),
      written: { variables: print("some"), variableNames: ["KEY"] },
    };
    const kept = memoryOf({ inputs: inputsWith(variables, now), memory }, observedIn("DEPLOYED"));
    expect([kept.written?.variables, kept.lastDeployment?.variables]).toEqual([now, now]);
    const changed = memoryOf({ inputs: inputsWith(variables, print("new")), memory }, observedIn("DEPLOYED"));
    expect([changed.written?.variables, changed.lastDeployment?.variables]).toEqual([print("some"), print("some")]);
  });

  it("counts the deployed variables as sent where the memory is lost, so that no import is planned", () => {
    const sentSecrets = [{ key: "KEY", digest: "old", at: NOW.toISOString() }];
    const observed = observedIn("DEPLOYED", { keys: new Set(["KEY"]) });
    const { written } = memoryOf({ inputs: inputsWith(variables), memory: { written: { sentSecrets } } }, observed);
    expect(written).toMatchObject({ variableNames: ["KEY"], sentSecrets: undefined });
  });

  it("that it was asked to stop, until that is seen", () => {
    const stopping = serviceBaseline(statusOf("DEPLOYED"));
    const memory = { stopping, runState: "Stopped" } as const;
    const stoppingOf = (state: string, change = {}) =>
      memoryOf({ memory, spec: { runState: "Stopped" } }, observedIn(state, { status: statusOf(state, change) }))
        .stopping;
    const moved = { executionId: "run-2" };
    for (const at of [stoppingOf("DEPLOYED"), stoppingOf("STOP_QUEUED", moved), stoppingOf("STOPPING")])
      expect(at).toBe(stopping);
    for (const at of [stoppingOf("STOPPED"), stoppingOf("STOP_ERROR", moved), stoppingOf("DEPLOYED", moved)])
      expect(at).toBeUndefined();
  });
});
