import { describe, expect, it } from "vitest";

import { said } from "../../../test/support/kinds/plans.ts";
import {
  type Change,
  deployment,
  observedFull,
  openDeployment,
  passWith,
  plannedBy,
  statusOf,
} from "../../../test/support/services/databases.ts";
import { database } from "./index.ts";
import type { Observed } from "./model.ts";

const never = observedFull("READY", {}, { status: statusOf("READY", { serviceDeploymentStatus: "NEVER_DEPLOYED" }) });
const older = observedFull("DEPLOYED", { version: "15" });
const broken = observedFull("DEPLOYMENT_ERROR");
const isNew = { memory: { lastDeployment: undefined } };
const isStopped = { memory: { runState: "Stopped" } } as const;
const toStop = { spec: { runState: "Stopped" } } as const;
const everything = { corrects: "Everything" } as const;
const retry = { retry: { limit: 2, backoffMs: 60_000 } };
const failed = (change: Parameters<typeof deployment>[0] = {}) => {
  return { memory: { lastDeployment: deployment({ state: "DEPLOYMENT_ERROR", ...change }) } };
};
const written = { memory: { written: { settings: { "spec.cpu": "250" }, revision: 1 } } };
const open = (change: Parameters<typeof openDeployment>[0] = {}) => {
  return { memory: { lastDeployment: openDeployment(change) } };
};

describe("the next step of a database", () => {
  const [FAILED, START] = ["stalled DeploymentFailed", "deployDatabase"];
  const sent = (version: string) => {
    const settings = { "spec.name": '"main"', "spec.version": JSON.stringify(version) };
    return { memory: { written: { settings } } };
  };
  const GONE = "stalled ExternalResourceDeleted";
  const missing = observedFull("DEPLOYED", {}, { status: undefined, isGone: true });
  const queued = observedFull("DEPLOYED", {}, { request: { status: "DEPLOYMENT_QUEUED" } });

  // What is the same for an application is in ../application/deployment.test.ts: retries by policy, and absence.
  it.each<[string, Change, Observed, string]>([
    ["that was never deployed", isNew, never, "deployDatabase"],
    ["that was never deployed and need not be", { ...toStop, ...isNew }, never, "settled"],
    ["that runs", {}, observedFull("DEPLOYED"), "settled"],
    ["that runs and was adopted", isNew, observedFull("DEPLOYED"), "settled"],
    ["whose settings were written since", written, observedFull("DEPLOYED"), "deployDatabase"],
    ["whose settings were written, stopped by others", written, observedFull("STOPPED"), "stalled DriftDetected"],
    ["of another version", {}, older, "updateDatabase corrects"],
    ["whose settings others changed", sent("16"), older, "updateDatabase corrects"],
    ["whose spec is new", sent("15"), older, "updateDatabase"],
    ["that others started", { ...toStop, ...isStopped }, observedFull("DEPLOYED"), "stopDatabase corrects"],
    ["that is to stop", toStop, observedFull("DEPLOYED"), "stopDatabase"],
    ["that failed and is to stop", toStop, broken, "stopDatabase"],
    ["that is stopped as it should", { ...toStop, ...isStopped }, observedFull("STOPPED"), "settled"],
    ["that we stopped and is to run", isStopped, observedFull("STOPPED"), "deployDatabase"],
    ["that others stopped", {}, observedFull("STOPPED"), "stalled DriftDetected"],
    ["that others stopped, when that is corrected", everything, observedFull("STOPPED"), `${START} corrects`],
    ["that others stopped, when somebody asks", { requested: "go" }, observedFull("STOPPED"), "deployDatabase"],
    ["that was uninstalled", {}, observedFull("DELETED"), GONE],
    ["that was uninstalled, when that is corrected", everything, observedFull("DELETED"), `${START} corrects`],
    ["that was uninstalled and need not run", toStop, observedFull("DELETED"), GONE],
    ["that failed", failed(), broken, FAILED],
    ["that failed, when somebody asks", { ...failed(), requested: "go" }, broken, "deployDatabase"],
    ["that failed, when it was asked for already", { ...failed({ retry: "go" }), requested: "go" }, broken, FAILED],
    ["that failed long ago and is retried", { ...failed(), ...retry }, broken, "deployDatabase"],
    ["whose stop failed, and that is to run again", retry, observedFull("STOP_ERROR"), "stalled StopFailed"],
    ["that is gone", { onMissing: "Recreate" }, missing, "forget ExternalResourceDeleted"],
    ["of an unknown state", {}, observedFull("PAUSED"), "unknown UnknownState"],
    ["whose deployment is under way", open(), queued, "waiting Queued"],
  ])("%s: %s", (_name, change, observed, expected) => {
    const next = database.plan(passWith(change), observed);
    expect(next.is === "step" && next.step.corrects === true ? `${said(next)} corrects` : said(next)).toBe(expected);
  });

  it.each([
    ["updateDatabase", { spec: { version: "17" } }, "settled"],
    ["deployDatabase", isStopped, "settled"],
    ["stopDatabase", toStop, "settled"],
  ])("is another one when %s is withheld", (op, change, expected) => {
    const observed = observedFull("DEPLOYED");
    expect(plannedBy(passWith({ ...change, blockedOperations: new Set([op]) }), observed)).toBe(expected);
  });

  it.each([
    ["type", { type: "REDIS" }],
    ["mode", { mode: "MANAGED" }],
  ])("is not to take over one of another %s", (field, spec) => {
    const next = database.plan(passWith({ id: undefined, identitySource: undefined, spec }), observedFull("DEPLOYED"));
    const message: unknown = expect.stringContaining(`spec.${field}`);
    expect(next).toMatchObject({ is: "stalled", why: { reason: "InvalidSpec", message } });
  });
});
