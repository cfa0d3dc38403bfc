import { describe, expect, it } from "vitest";

import {
  clusterPhase,
  clusterStates,
  deploymentCondition,
  fitsReason,
  isDocumentedState,
  requestPhase,
  servicePhase,
  serviceStates,
} from "./states.ts";

const SHARED =
  "BUILDING BUILD_ERROR CANCELED CANCELING DELETED DELETE_ERROR DELETE_QUEUED DELETING DEPLOYED DEPLOYING " +
  "DEPLOYMENT_ERROR DEPLOYMENT_QUEUED QUEUED READY RESTARTED RESTARTING RESTART_ERROR RESTART_QUEUED STOPPED STOPPING " +
  "STOP_ERROR STOP_QUEUED";
const SERVICE = `${SHARED} EXECUTING RECAP UNAVAILABLE WAITING_DELETING WAITING_RESTARTING WAITING_RUNNING WAITING_STOPPING`;
const CLUSTER = `${SHARED} DRY_RUN INVALID_CREDENTIALS`;

/** What the name of a state says; RECAP counts as work in progress. */
function phaseOf(state: string): string | undefined {
  if (/ERROR|CANCELED|INVALID/.test(state)) return "failed";
  if (/ING|QUEUED|RECAP|DRY_RUN/.test(state)) return "busy";
  return { DEPLOYED: "running", RESTARTED: "running", STOPPED: "stopped", READY: "idle", DELETED: "gone" }[state];
}

const STRANGE = ["PAUSED", "", "deployed", "toString", "__proto__", "constructor", "hasOwnProperty"];

describe("phases", () => {
  it("are those that the names of the 29 and the 24 states say", () => {
    expect([serviceStates.length, clusterStates.length]).toEqual([29, 24]);
    expect(serviceStates.toSorted()).toEqual(SERVICE.split(" ").toSorted());
    expect(clusterStates.toSorted()).toEqual(CLUSTER.split(" ").toSorted());
    for (const state of serviceStates) expect(servicePhase(state), state).toBe(phaseOf(state) ?? "unknown");
    for (const state of clusterStates) expect(clusterPhase(state), state).toBe(phaseOf(state));
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

it("deploymentCondition is True for what is deployed, Unknown for what cannot be told, False for all other states", () => {
  const others = new Map([...serviceStates, ...clusterStates].map((state) => [state, "False"]));
  const all = new Map([...others, ["DEPLOYED", "True"], ["RESTARTED", "True"], ["UNAVAILABLE", "Unknown"]]);
  for (const [state, expected] of all) expect(deploymentCondition(state), state).toBe(expected);
});

describe("fitsReason", () => {
  it("takes all states of the spec", () => {
    expect([...serviceStates, ...clusterStates].every(fitsReason)).toBe(true);
  });

  it.each(["A", "A_", "Ab1", "A:b,c"])("takes %j", (value) => {
    expect(fitsReason(value)).toBe(true);
  });

  it.each(["", "1A", "_A", "A:", "A B", "A-B", "A\n", "Ä"])("does not take %j", (value) => {
    expect(fitsReason(value)).toBe(false);
  });

  it("takes 1,024 characters at most", () => {
    expect(["A".repeat(1024), "A".repeat(1025)].map(fitsReason)).toEqual([true, false]);
  });
});
