import { describe, expect, it } from "vitest";

import {
  clusterPhase,
  clusterStates,
  deploymentCondition,
  fitsReason,
  isDocumentedState,
  type Phase,
  requestPhase,
  servicePhase,
  serviceStates,
} from "./states.ts";

/** The states of each phase; RECAP counts as work in progress. */
const service: Record<Phase, string> = {
  busy:
    "BUILDING CANCELING DELETING DELETE_QUEUED WAITING_DELETING DEPLOYING DEPLOYMENT_QUEUED WAITING_RUNNING RESTARTING " +
    "RESTART_QUEUED WAITING_RESTARTING STOPPING STOP_QUEUED WAITING_STOPPING EXECUTING QUEUED RECAP",
  failed: "BUILD_ERROR DEPLOYMENT_ERROR STOP_ERROR RESTART_ERROR DELETE_ERROR CANCELED",
  running: "DEPLOYED RESTARTED",
  stopped: "STOPPED",
  idle: "READY",
  gone: "DELETED",
  unknown: "UNAVAILABLE",
};
const cluster: Record<Phase, string> = {
  busy:
    "BUILDING CANCELING DELETE_QUEUED DELETING DEPLOYING DEPLOYMENT_QUEUED DRY_RUN QUEUED STOPPING STOP_QUEUED " +
    "RESTART_QUEUED RESTARTING",
  failed: "BUILD_ERROR DEPLOYMENT_ERROR STOP_ERROR RESTART_ERROR DELETE_ERROR CANCELED INVALID_CREDENTIALS",
  running: "DEPLOYED RESTARTED",
  stopped: "STOPPED",
  idle: "READY",
  gone: "DELETED",
  unknown: "",
};

const rows = (table: Record<Phase, string>) =>
  Object.entries(table).flatMap(([phase, states]) =>
    states
      .split(" ")
      .filter(Boolean)
      .map((state) => [state, phase] as const),
  );

const STRANGE = ["PAUSED", "", "deployed", "toString", "__proto__", "constructor", "hasOwnProperty"];

describe("phases", () => {
  it.each(rows(service))("of a service in %s: %s", (state, phase) => {
    expect(servicePhase(state)).toBe(phase);
  });

  it.each(rows(cluster))("of a cluster in %s: %s", (state, phase) => {
    expect(clusterPhase(state)).toBe(phase);
  });

  it("cover the 29 and the 24 states", () => {
    expect(new Set(serviceStates)).toEqual(new Set(rows(service).map(([state]) => state)));
    expect(new Set(clusterStates)).toEqual(new Set(rows(cluster).map(([state]) => state)));
    expect([serviceStates.length, clusterStates.length]).toEqual([29, 24]);
  });

  it.each([
    ["RUNNING", "running", "True"],
    ["ERROR", "failed", "False"],
  ])("%s of the usage guide is one of a service alone", (state, phase, condition) => {
    const phases = [servicePhase(state), requestPhase(state), clusterPhase(state), deploymentCondition(state)];
    expect(phases).toEqual([phase, "unknown", "unknown", condition]);
  });

  it("documents the 29, the 24 and those of the usage guide", () => {
    expect([...serviceStates, ...clusterStates, "RUNNING", "ERROR"].every(isDocumentedState)).toBe(true);
    expect(STRANGE.some(isDocumentedState)).toBe(false);
  });

  it.each(STRANGE)("are unknown for %j", (state) => {
    const phases = [servicePhase(state), clusterPhase(state), deploymentCondition(state)];
    expect(phases).toEqual(["unknown", "unknown", "Unknown"]);
  });
});

describe("deploymentCondition", () => {
  it("is True for what is deployed, Unknown for what cannot be told, False for all other states", () => {
    const others = new Map([...serviceStates, ...clusterStates].map((state) => [state, "False"]));
    const all = new Map([...others, ["DEPLOYED", "True"], ["RESTARTED", "True"], ["UNAVAILABLE", "Unknown"]]);
    for (const [state, expected] of all) expect(deploymentCondition(state), state).toBe(expected);
  });
});

describe("fitsReason", () => {
  it("takes all states of the spec", () => {
    expect([...serviceStates, ...clusterStates].every(fitsReason)).toBe(true);
  });

  it.each([
    ["", false],
    ["1A", false],
    ["_A", false],
    ["A:", false],
    ["A B", false],
    ["A-B", false],
    ["A\n", false],
    ["Ä", false],
    ["A", true],
    ["A_", true],
    ["Ab1", true],
    ["A:b,c", true],
  ])("%j: %s", (value, fits) => {
    expect(fitsReason(value)).toBe(fits);
  });

  it("takes 1,024 characters at most", () => {
    expect(["A".repeat(1024), "A".repeat(1025)].map(fitsReason)).toEqual([true, false]);
  });
});
