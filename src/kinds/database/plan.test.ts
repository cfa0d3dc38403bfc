import { describe, expect, it } from "vitest";

import {
  deployment,
  observedFull,
  openDeployment,
  passWith,
  plannedBy,
  REQUEST,
  statusOf,
} from "../../../test/support/services/databases.ts";
import { serviceStates } from "../../platform/codec/states.ts";
import { database } from "./index.ts";
import type { Observed } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

const never = observedFull("READY", {}, { status: statusOf("READY", { serviceDeploymentStatus: "NEVER_DEPLOYED" }) });
const stopped = { spec: { runState: "Stopped" } } as const;
const everything = { corrects: "Everything" } as const;
const retry = { retry: { limit: 2, backoffMs: 60_000 } };
const failed = (change: Parameters<typeof deployment>[0] = {}) => ({
  memory: { lastDeployment: deployment({ state: "DEPLOYMENT_ERROR", ...change }) },
});
const written = (change: object) => ({ written: { settings: { "spec.cpu": "250" }, revision: 1, ...change } });

describe("the next step of a database", () => {
  it.each<[string, Change, Observed, string]>([
    ["that was never deployed", { memory: { lastDeployment: undefined } }, never, "deployDatabase"],
    [
      "that was never deployed and need not be",
      { ...stopped, memory: { lastDeployment: undefined } },
      never,
      "settled",
    ],
    ["that runs", {}, observedFull("DEPLOYED"), "settled"],
    ["that was restarted", {}, observedFull("RESTARTED"), "settled"],
    ["that runs and was adopted", { memory: { lastDeployment: undefined } }, observedFull("DEPLOYED"), "settled"],
    ["whose settings were written since", { memory: written({}) }, observedFull("DEPLOYED"), "deployDatabase"],
    [
      "whose settings were written, but that others stopped",
      { memory: written({}) },
      observedFull("STOPPED"),
      "stalled DriftDetected",
    ],
    ["with other settings", { spec: { cpu: 250 } }, observedFull("DEPLOYED", { cpu: 500 }), "updateDatabase"],
    ["of another version", {}, observedFull("DEPLOYED", { version: "15" }), "updateDatabase"],
    ["with settings that the spec does not declare", {}, observedFull("DEPLOYED", { cpu: 500 }), "settled"],
    [
      "whose settings were sent in this pass",
      {},
      observedFull("DEPLOYED", { version: "15" }, { updated: true }),
      "settled",
    ],
    ["that is to stop", stopped, observedFull("DEPLOYED"), "stopDatabase"],
    ["that failed and is to stop", stopped, observedFull("DEPLOYMENT_ERROR"), "stopDatabase"],
    [
      "that is stopped as it should",
      { ...stopped, memory: { runState: "Stopped" } },
      observedFull("STOPPED"),
      "settled",
    ],
    ["that we stopped and is to run", { memory: { runState: "Stopped" } }, observedFull("STOPPED"), "deployDatabase"],
    ["that others stopped", {}, observedFull("STOPPED"), "stalled DriftDetected"],
    ["that others stopped, when that is corrected", everything, observedFull("STOPPED"), "deployDatabase"],
    ["that others stopped, when somebody asks", { requested: "go" }, observedFull("STOPPED"), "deployDatabase"],
    ["that was uninstalled", {}, observedFull("DELETED"), "stalled ExternalResourceDeleted"],
    ["that was uninstalled, when that is corrected", everything, observedFull("DELETED"), "deployDatabase"],
    ["that was uninstalled and need not run", stopped, observedFull("DELETED"), "stalled ExternalResourceDeleted"],
    ["that failed", failed(), observedFull("DEPLOYMENT_ERROR"), "stalled DeploymentFailed"],
    [
      "that failed, when somebody asks",
      { ...failed(), requested: "go" },
      observedFull("DEPLOYMENT_ERROR"),
      "deployDatabase",
    ],
    [
      "that failed, when it was asked for already",
      { ...failed({ retry: "go" }), requested: "go" },
      observedFull("DEPLOYMENT_ERROR"),
      "stalled DeploymentFailed",
    ],
    [
      "that failed long ago and is retried",
      { ...failed(), ...retry },
      observedFull("DEPLOYMENT_ERROR"),
      "deployDatabase",
    ],
    [
      "that failed just now and is retried",
      { ...failed({ finishedAt: "2026-11-21T09:59:30.000Z" }), ...retry },
      observedFull("DEPLOYMENT_ERROR"),
      "waiting DeploymentFailed",
    ],
    [
      "that failed too often",
      { ...failed({ attempts: 2 }), ...retry },
      observedFull("DEPLOYMENT_ERROR"),
      "stalled DeploymentFailed",
    ],
    [
      "that somebody cancelled",
      { ...failed({ state: "CANCELED" }), ...retry },
      observedFull("CANCELED"),
      "stalled Canceled",
    ],
    ["that others failed to deploy", retry, observedFull("DEPLOYMENT_ERROR"), "stalled DeploymentFailed"],
    ["whose stop failed, and that is to run again", retry, observedFull("STOP_ERROR"), "stalled StopFailed"],
    ["that is missing", {}, observedFull("DEPLOYED", {}, { status: undefined }), "stalled ExternalResourceDeleted"],
    [
      "that is gone",
      { onMissing: "Recreate" },
      observedFull("DEPLOYED", {}, { status: undefined, isGone: true }),
      "forget ExternalResourceDeleted",
    ],
    [
      "that is gone, and need not be there",
      {},
      observedFull("DEPLOYED", {}, { status: undefined, isGone: true }),
      "stalled ExternalResourceDeleted",
    ],
    ["of an unknown state", {}, observedFull("PAUSED"), "unknown UnknownState"],
    [
      "whose deployment is under way",
      { memory: { lastDeployment: openDeployment() } },
      observedFull("DEPLOYED", {}, { request: { status: "DEPLOYMENT_QUEUED" } }),
      "waiting Queued",
    ],
  ])("%s: %s", (_name, change, observed, expected) => {
    expect(plannedBy(passWith(change), observed)).toBe(expected);
  });

  it.each([
    ["updateDatabase", { spec: { version: "17" } }, "settled"],
    ["deployDatabase", { memory: { runState: "Stopped" as const } }, "settled"],
    ["stopDatabase", stopped, "settled"],
  ])("is another one when %s is withheld", (op, change, expected) => {
    const observed = observedFull("DEPLOYED");
    expect(plannedBy(passWith({ ...change, blockedOperations: new Set([op]) }), observed)).toBe(expected);
  });

  it.each<[string, Change, Observed, boolean]>([
    [
      "settings that others changed",
      { memory: { written: { settings: { "spec.name": '"main"', "spec.version": '"16"' } } } },
      observedFull("DEPLOYED", { version: "15" }),
      true,
    ],
    [
      "settings of a new spec",
      { memory: { written: { settings: { "spec.name": '"main"', "spec.version": '"15"' } } } },
      observedFull("DEPLOYED", { version: "15" }),
      false,
    ],
    ["what others stopped", everything, observedFull("STOPPED"), true],
    ["what others started", { ...stopped, memory: { runState: "Stopped" } }, observedFull("DEPLOYED"), true],
    ["what we stopped ourselves", { memory: { runState: "Stopped" } }, observedFull("STOPPED"), false],
    ["what is to stop", stopped, observedFull("DEPLOYED"), false],
  ])("corrects changes of others or not: %s", (_name, change, observed, corrects) => {
    const next = database.plan(passWith(change), observed);
    expect(next.is === "step" && (next.step.corrects ?? false)).toBe(corrects);
  });

  it("gets the number of attempts, and the token that requested it", () => {
    const again = database.plan(passWith({ ...failed({ attempts: 1 }), ...retry }), observedFull("DEPLOYMENT_ERROR"));
    expect(again).toMatchObject({ step: { action: { attempts: 2, retry: undefined }, mark: { attempts: 2 } } });
    const asked = database.plan(
      passWith({ ...failed({ attempts: 1 }), ...retry, requested: "go" }),
      observedFull("DEPLOYMENT_ERROR"),
    );
    expect(asked).toMatchObject({ step: { action: { attempts: undefined, retry: "go" }, mark: { retry: "go" } } });
  });

  it("waits as long as the policy says", () => {
    const context = passWith({ ...failed({ finishedAt: "2026-11-21T09:59:30.400Z" }), ...retry });
    expect(database.plan(context, observedFull("DEPLOYMENT_ERROR"))).toMatchObject({ is: "waiting", again: 30_000 });
  });

  it.each(serviceStates)("of a database in %s is one that the platform allows", (state) => {
    const planned = plannedBy(passWith(), observedFull(state));
    expect(planned).toMatch(/^(settled|waiting \w+|stalled \w+|unknown UnknownState|deployDatabase)$/);
    // Only a database that was never deployed is deployed without a request.
    expect(
      plannedBy(passWith({ memory: { lastDeployment: openDeployment({ requestId: REQUEST }) } }), observedFull(state)),
    ).not.toBe("deployDatabase");
  });
});
