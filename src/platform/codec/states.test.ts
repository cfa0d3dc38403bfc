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

describe("the phase of a state", () => {
  it("is the one that the state's name says, for the 29 states of services and the 24 of clusters", () => {
    expect(serviceStates).toHaveLength(29);
    expect(clusterStates).toHaveLength(24);
    expect(serviceStates.toSorted()).toEqual(SERVICE.split(" ").toSorted());
    expect(clusterStates.toSorted()).toEqual(CLUSTER.split(" ").toSorted());
    for (const state of serviceStates) expect(servicePhase(state), state).toBe(phaseOf(state) ?? "unknown");
    for (const state of clusterStates) expect(clusterPhase(state), state).toBe(phaseOf(state));
  });

  it.each([
    ["RUNNING", "running", "True"],
    ["ERROR", "failed", "False"],
  ])("%s, which only the usage guide has, is known for a service", (state, phase, condition) => {
    expect(servicePhase(state)).toBe(phase);
    expect(requestPhase(state)).toBe("unknown");
    expect(clusterPhase(state)).toBe("unknown");
    expect(deploymentCondition(state)).toBe(condition);
  });

  it("is known for exactly the states of the specification and of the usage guide", () => {
    const documented = [...serviceStates, ...clusterStates, "RUNNING", "ERROR"];
    expect(documented.filter((state) => !isDocumentedState(state))).toEqual([]);
    expect(STRANGE.filter(isDocumentedState)).toEqual([]);
  });

  it.each(STRANGE)("is unknown for %j", (state) => {
    expect(servicePhase(state)).toBe("unknown");
    expect(clusterPhase(state)).toBe("unknown");
    expect(deploymentCondition(state)).toBe("Unknown");
  });
});

it("deploymentCondition is True for deployed states, Unknown for those that do not say it, and False for all others", () => {
  const others = new Map([...serviceStates, ...clusterStates].map((state) => [state, "False"]));
  const all = new Map([...others, ["DEPLOYED", "True"], ["RESTARTED", "True"], ["UNAVAILABLE", "Unknown"]]);
  for (const [state, expected] of all) expect(deploymentCondition(state), state).toBe(expected);
});

describe("fitsReason, the check for the reason of a condition,", () => {
  it("accepts all states of the specification", () => {
    expect([...serviceStates, ...clusterStates].filter((state) => !fitsReason(state))).toEqual([]);
  });

  it.each(["A", "A_", "Ab1", "A:b,c"])("accepts %j", (value) => {
    expect(fitsReason(value)).toBe(true);
  });

  it.each(["", "1A", "_A", "A:", "A B", "A-B", "A\n", "Ä"])("refuses %j", (value) => {
    expect(fitsReason(value)).toBe(false);
  });

  it("accepts at most 1,024 characters", () => {
    expect(fitsReason("A".repeat(1024))).toBe(true);
    expect(fitsReason("A".repeat(1025))).toBe(false);
  });
});
