import { describe, expect, it } from "vitest";

import { judge, phasesOf, type Action } from "./actions.ts";
import { serviceStates } from "./states.ts";

/** The result of each command in each state in the mode "queue": accepted, gone, or the status of the refusal. */
const table: Readonly<Record<string, readonly [deploy: string, stop: string, restart: string, remove: string]>> = {
  // Settled
  READY: ["accepted", "400", "400", "gone"],
  DEPLOYED: ["accepted", "accepted", "accepted", "accepted"],
  RESTARTED: ["accepted", "accepted", "accepted", "accepted"],
  STOPPED: ["accepted", "409", "400", "accepted"],
  DELETED: ["accepted", "400", "400", "accepted"],
  CANCELED: ["accepted", "accepted", "400", "accepted"],
  // Errors
  BUILD_ERROR: ["accepted", "accepted", "400", "accepted"],
  DEPLOYMENT_ERROR: ["accepted", "accepted", "400", "accepted"],
  STOP_ERROR: ["accepted", "accepted", "400", "accepted"],
  RESTART_ERROR: ["accepted", "accepted", "400", "accepted"],
  DELETE_ERROR: ["accepted", "400", "400", "accepted"],
  // In progress
  BUILDING: ["accepted", "accepted", "400", "accepted"],
  CANCELING: ["accepted", "accepted", "400", "accepted"],
  DELETE_QUEUED: ["400", "400", "400", "accepted"],
  DELETING: ["400", "400", "400", "accepted"],
  WAITING_DELETING: ["400", "400", "400", "accepted"],
  DEPLOYING: ["accepted", "accepted", "400", "accepted"],
  DEPLOYMENT_QUEUED: ["accepted", "accepted", "400", "accepted"],
  WAITING_RUNNING: ["accepted", "accepted", "400", "accepted"],
  RESTARTING: ["accepted", "accepted", "400", "accepted"],
  RESTART_QUEUED: ["accepted", "accepted", "400", "accepted"],
  WAITING_RESTARTING: ["accepted", "accepted", "400", "accepted"],
  STOPPING: ["accepted", "accepted", "400", "accepted"],
  STOP_QUEUED: ["accepted", "accepted", "400", "accepted"],
  WAITING_STOPPING: ["accepted", "accepted", "400", "accepted"],
  EXECUTING: ["accepted", "accepted", "400", "accepted"],
  QUEUED: ["accepted", "accepted", "400", "accepted"],
  RECAP: ["accepted", "accepted", "400", "accepted"],
  // Unknown states
  UNAVAILABLE: ["400", "400", "400", "accepted"],
  RUNNING: ["400", "400", "400", "accepted"],
};

const busy = new Set([
  ..."BUILDING CANCELING DELETE_QUEUED DELETING WAITING_DELETING DEPLOYING DEPLOYMENT_QUEUED".split(" "),
  ..."WAITING_RUNNING RESTARTING RESTART_QUEUED WAITING_RESTARTING STOPPING STOP_QUEUED".split(" "),
  ..."WAITING_STOPPING EXECUTING QUEUED RECAP".split(" "),
]);

const actions: readonly Action[] = ["deploy", "stop", "restart", "delete"];
const cases = Object.entries(table).flatMap(([state, row]) =>
  actions.map((action, index) => ({ action, state, expected: row[index] })),
);

function outcome(action: Action, state: string, mode: "queue" | "strict"): string {
  const verdict = judge(action, state, mode);
  return verdict.is === "refused" ? String(verdict.status) : verdict.is;
}

describe("judge", () => {
  it("is tested in all 29 states and an undocumented one", () => {
    expect(Object.keys(table).sort()).toEqual([...serviceStates, "RUNNING"].sort());
    expect(busy.size).toBe(17);
  });

  it.each(cases)("$action in $state: $expected", ({ action, state, expected }) => {
    expect(outcome(action, state, "queue")).toBe(expected);
  });

  it.each(cases)("$action in $state without a queue", ({ action, state, expected }) => {
    expect(outcome(action, state, "strict")).toBe(busy.has(state) && expected === "accepted" ? "409" : expected);
  });
});

describe("phasesOf", () => {
  const services = [
    { id: "app", kind: "application" },
    { id: "db", kind: "database" },
    { id: "job", kind: "job" },
    { id: "box", kind: "container" },
    { id: "helm", kind: "helm" },
  ] as const;
  const phases = (action: Action): string[] =>
    phasesOf(action, services).map(({ shows, services: members }) => `${shows} ${members.join(" ")}`);

  it.each<[Action, string[]]>([
    [
      "deploy",
      ["BUILDING app", "DEPLOYING db", "DEPLOYING job", "EXECUTING job", "DEPLOYING box helm", "DEPLOYING app"],
    ],
    ["restart", ["RESTARTING db", "RESTARTING job", "RESTARTING box helm", "RESTARTING app"]],
    ["stop", ["STOPPING app", "STOPPING box helm", "STOPPING job", "STOPPING db"]],
    ["delete", ["DELETING app", "DELETING box helm", "DELETING job", "DELETING db"]],
  ])("%s goes stage by stage", (action, expected) => {
    expect(phases(action)).toEqual(expected);
  });
});
