import { describe, expect, it } from "vitest";

import { decideAction, type Action } from "./actions.ts";
import { serviceStates } from "./states.ts";

/**
 * The result of each command in each of the states in the mode "queue": accepted, gone, or the status of the refusal.
 */
const settled: readonly (readonly [states: string, deploy: string, stop: string, restart: string, remove: string])[] = [
  ["READY", "accepted", "400", "400", "gone"],
  ["DEPLOYED RESTARTED", "accepted", "accepted", "accepted", "accepted"],
  ["STOPPED", "accepted", "409", "400", "accepted"],
  ["DELETED DELETE_ERROR", "accepted", "400", "400", "accepted"],
  ["CANCELED BUILD_ERROR DEPLOYMENT_ERROR STOP_ERROR RESTART_ERROR", "accepted", "accepted", "400", "accepted"],
  ["UNAVAILABLE RUNNING", "400", "400", "400", "accepted"],
];
const inProgress: typeof settled = [
  ["DELETE_QUEUED DELETING WAITING_DELETING", "400", "400", "400", "accepted"],
  ["BUILDING CANCELING DEPLOYING DEPLOYMENT_QUEUED WAITING_RUNNING", "accepted", "accepted", "400", "accepted"],
  ["RESTARTING RESTART_QUEUED WAITING_RESTARTING STOPPING", "accepted", "accepted", "400", "accepted"],
  ["STOP_QUEUED WAITING_STOPPING EXECUTING QUEUED RECAP", "accepted", "accepted", "400", "accepted"],
];
const statesOf = (table: typeof settled) => table.flatMap(([states]) => states.split(" "));
const busy: ReadonlySet<string> = new Set(statesOf(inProgress));

const actions: readonly Action[] = ["deploy", "stop", "restart", "delete"];

function outcome(action: Action, state: string, mode: "queue" | "strict"): string {
  const decision = decideAction(action, state, mode);
  return decision.is === "refused" ? String(decision.status) : decision.is;
}

describe("judge(), which accepts or refuses an action on a service", () => {
  it("is tested in all 29 states and an undocumented one", () => {
    expect(statesOf([...settled, ...inProgress]).toSorted()).toEqual([...serviceStates, "RUNNING"].toSorted());
    expect(busy.size).toBe(17);
  });

  it.each([...settled, ...inProgress])(
    "returns in %s: deploy %s, stop %s, restart %s, delete %s; in the strict mode 409 during work",
    (states, ...expected) => {
      for (const state of states.split(" ")) {
        const strict = expected.map((result) => (busy.has(state) && result === "accepted" ? "409" : result));
        expect(actions.map((action) => outcome(action, state, "queue"))).toEqual(expected);
        expect(actions.map((action) => outcome(action, state, "strict"))).toEqual(strict);
      }
    },
  );
});
