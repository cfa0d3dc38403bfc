import { describe, expect, it } from "vitest";

import {
  deployment,
  openDeployment,
  passWith,
  plannedBy,
  REQUEST,
  seenFull,
  statusOf,
} from "../../../test/support/services/databases.ts";
import { serviceStates } from "../../platform/codec/states.ts";
import { database } from "./index.ts";
import type { Seen } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

const never = seenFull("READY", {}, { status: statusOf("READY", { serviceDeploymentStatus: "NEVER_DEPLOYED" }) });
const stopped = { spec: { runState: "Stopped" } } as const;
const everything = { corrects: "Everything" } as const;
const retry = { retry: { limit: 2, backoffMs: 60_000 } };
const failed = (change: Parameters<typeof deployment>[0] = {}) => ({
  memory: { lastDeployment: deployment({ state: "DEPLOYMENT_ERROR", ...change }) },
});
const written = (change: object) => ({ written: { settings: { "spec.cpu": "250" }, revision: 1, ...change } });

describe("the next step of a database", () => {
  it.each<[string, Change, Seen, string]>([
    ["that was never deployed", { memory: { lastDeployment: undefined } }, never, "deployDatabase"],
    [
      "that was never deployed and need not be",
      { ...stopped, memory: { lastDeployment: undefined } },
      never,
      "settled",
    ],
    ["that runs", {}, seenFull("DEPLOYED"), "settled"],
    ["that was restarted", {}, seenFull("RESTARTED"), "settled"],
    ["that runs and was taken over", { memory: { lastDeployment: undefined } }, seenFull("DEPLOYED"), "settled"],
    ["whose settings were written since", { memory: written({}) }, seenFull("DEPLOYED"), "deployDatabase"],
    [
      "whose settings were written, but that others stopped",
      { memory: written({}) },
      seenFull("STOPPED"),
      "stalled DriftDetected",
    ],
    ["with other settings", { spec: { cpu: 250 } }, seenFull("DEPLOYED", { cpu: 500 }), "updateDatabase"],
    ["of another version", {}, seenFull("DEPLOYED", { version: "15" }), "updateDatabase"],
    ["with settings that nobody declares", {}, seenFull("DEPLOYED", { cpu: 500 }), "settled"],
    [
      "whose settings were sent in this pass",
      {},
      seenFull("DEPLOYED", { version: "15" }, { updated: true }),
      "settled",
    ],
    ["that is to stop", stopped, seenFull("DEPLOYED"), "stopDatabase"],
    ["that failed and is to stop", stopped, seenFull("DEPLOYMENT_ERROR"), "stopDatabase"],
    ["that is stopped as it should", { ...stopped, memory: { runState: "Stopped" } }, seenFull("STOPPED"), "settled"],
    ["that we stopped and is to run", { memory: { runState: "Stopped" } }, seenFull("STOPPED"), "deployDatabase"],
    ["that others stopped", {}, seenFull("STOPPED"), "stalled DriftDetected"],
    ["that others stopped, when that is corrected", everything, seenFull("STOPPED"), "deployDatabase"],
    ["that others stopped, when somebody asks", { requested: "go" }, seenFull("STOPPED"), "deployDatabase"],
    ["that was uninstalled", {}, seenFull("DELETED"), "stalled ExternalResourceDeleted"],
    ["that was uninstalled, when that is corrected", everything, seenFull("DELETED"), "deployDatabase"],
    ["that was uninstalled and need not run", stopped, seenFull("DELETED"), "stalled ExternalResourceDeleted"],
    ["that failed", failed(), seenFull("DEPLOYMENT_ERROR"), "stalled DeploymentFailed"],
    [
      "that failed, when somebody asks",
      { ...failed(), requested: "go" },
      seenFull("DEPLOYMENT_ERROR"),
      "deployDatabase",
    ],
    [
      "that failed, when it was asked for already",
      { ...failed({ retry: "go" }), requested: "go" },
      seenFull("DEPLOYMENT_ERROR"),
      "stalled DeploymentFailed",
    ],
    ["that failed long ago and is retried", { ...failed(), ...retry }, seenFull("DEPLOYMENT_ERROR"), "deployDatabase"],
    [
      "that failed just now and is retried",
      { ...failed({ finishedAt: "2026-11-21T09:59:30.000Z" }), ...retry },
      seenFull("DEPLOYMENT_ERROR"),
      "waiting DeploymentFailed",
    ],
    [
      "that failed too often",
      { ...failed({ attempts: 2 }), ...retry },
      seenFull("DEPLOYMENT_ERROR"),
      "stalled DeploymentFailed",
    ],
    [
      "that somebody cancelled",
      { ...failed({ state: "CANCELED" }), ...retry },
      seenFull("CANCELED"),
      "stalled Canceled",
    ],
    ["that others failed to deploy", retry, seenFull("DEPLOYMENT_ERROR"), "stalled DeploymentFailed"],
    ["whose stop failed, and that is to run again", retry, seenFull("STOP_ERROR"), "stalled StopFailed"],
    ["that is missing", {}, seenFull("DEPLOYED", {}, { status: undefined }), "stalled ExternalResourceDeleted"],
    [
      "that is gone",
      { onMissing: "Recreate" },
      seenFull("DEPLOYED", {}, { status: undefined, isGone: true }),
      "forget ExternalResourceDeleted",
    ],
    [
      "that is gone, and need not be there",
      {},
      seenFull("DEPLOYED", {}, { status: undefined, isGone: true }),
      "stalled ExternalResourceDeleted",
    ],
    ["of an unknown state", {}, seenFull("PAUSED"), "unknown UnknownState"],
    [
      "whose deployment is under way",
      { memory: { lastDeployment: openDeployment() } },
      seenFull("DEPLOYED", {}, { request: { status: "DEPLOYMENT_QUEUED" } }),
      "waiting Queued",
    ],
  ])("%s: %s", (_name, change, seen, expected) => {
    expect(plannedBy(passWith(change), seen)).toBe(expected);
  });

  it.each([
    ["updateDatabase", { spec: { version: "17" } }, "settled"],
    ["deployDatabase", { memory: { runState: "Stopped" as const } }, "settled"],
    ["stopDatabase", stopped, "settled"],
  ])("is another one when %s is withheld", (op, change, expected) => {
    const seen = seenFull("DEPLOYED");
    expect(plannedBy(passWith({ ...change, blockedOperations: new Set([op]) }), seen)).toBe(expected);
  });

  it.each<[string, Change, Seen, boolean]>([
    [
      "settings that others changed",
      { memory: { written: { settings: { "spec.name": '"main"', "spec.version": '"16"' } } } },
      seenFull("DEPLOYED", { version: "15" }),
      true,
    ],
    [
      "settings of a new spec",
      { memory: { written: { settings: { "spec.name": '"main"', "spec.version": '"15"' } } } },
      seenFull("DEPLOYED", { version: "15" }),
      false,
    ],
    ["what others stopped", everything, seenFull("STOPPED"), true],
    ["what others started", { ...stopped, memory: { runState: "Stopped" } }, seenFull("DEPLOYED"), true],
    ["what we stopped ourselves", { memory: { runState: "Stopped" } }, seenFull("STOPPED"), false],
    ["what is to stop", stopped, seenFull("DEPLOYED"), false],
  ])("corrects others or not: %s", (_name, change, seen, corrects) => {
    const next = database.plan(passWith(change), seen);
    expect(next.is === "step" && (next.step.corrects ?? false)).toBe(corrects);
  });

  it("is told how often it was taken, and the token that asked for it", () => {
    const again = database.plan(passWith({ ...failed({ attempts: 1 }), ...retry }), seenFull("DEPLOYMENT_ERROR"));
    expect(again).toMatchObject({ step: { do: { attempts: 2, retry: undefined }, mark: { attempts: 2 } } });
    const asked = database.plan(
      passWith({ ...failed({ attempts: 1 }), ...retry, requested: "go" }),
      seenFull("DEPLOYMENT_ERROR"),
    );
    expect(asked).toMatchObject({ step: { do: { attempts: undefined, retry: "go" }, mark: { retry: "go" } } });
  });

  it("waits for as long as the policy says", () => {
    const context = passWith({ ...failed({ finishedAt: "2026-11-21T09:59:30.400Z" }), ...retry });
    expect(database.plan(context, seenFull("DEPLOYMENT_ERROR"))).toMatchObject({ is: "waiting", again: 30_000 });
  });

  it.each(serviceStates)("of a database in %s is one that the platform allows", (state) => {
    const planned = plannedBy(passWith(), seenFull(state));
    expect(planned).toMatch(/^(settled|waiting \w+|stalled \w+|unknown UnknownState|deployDatabase)$/);
    // Only what was never deployed is deployed without a word from anybody.
    expect(
      plannedBy(passWith({ memory: { lastDeployment: openDeployment({ requestId: REQUEST }) } }), seenFull(state)),
    ).not.toBe("deployDatabase");
  });
});
