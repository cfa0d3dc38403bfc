import { describe, expect, it } from "vitest";

import { aCondition, anObject, aStatus, SETTLED, WORKING } from "../../../test/support/engine/objects.ts";
import type { Json, JsonObject, KubeObject } from "../../kube/api/types.ts";
import { DEFAULT_WINDOWS } from "../contract/windows.ts";
import type { ReconcileResult } from "./outcome.ts";
import { significantPart, throttle, transitions } from "./write.ts";

const why = { reason: "Queued", message: "It waits." } as const;
const ENDINGS: readonly ReconcileResult[] = [
  { is: "settled", why },
  { is: "waiting", why, exchange: "ok" },
  { is: "stalled", why, exchange: "ok" },
  { is: "retry", why },
  { is: "held", why, stale: true },
  { is: "paused" },
];
const STALLED = aStatus([aCondition("Ready", "False", "InvalidSpec"), aCondition("Stalled", "True", "InvalidSpec")]);
const OUTDATED = { ...WORKING, observedGeneration: 1 };

const withListed = (reason: string): JsonObject =>
  aStatus([aCondition("Ready", "True", "Available"), aCondition("EnvironmentsListed", "Unknown", reason)]);

describe("the delay of a status", () => {
  it.each<[string, Json | undefined, readonly number[]]>([
    ["nothing is told yet", undefined, [0, 2_000, 0, 2_000, 2_000, 0]],
    ["it is settled", SETTLED, [0, 0, 0, 10_000, 0, 0]],
    ["work is told already", WORKING, [0, 10_000, 0, 10_000, 10_000, 0]],
    ["the work of an older generation is reported", OUTDATED, [0, 0, 0, 0, 0, 0]],
    ["a failure is told", STALLED, [0, 0, 0, 0, 10_000, 0]],
  ])("while %s is, of settled, waiting, stalled, retry, held and paused: %j", (_, status, expected) => {
    const object = anObject(status === undefined ? {} : { status });
    expect(ENDINGS.map((result) => throttle(object, {}, result, DEFAULT_WINDOWS))).toEqual(expected);
  });

  it("writes the answer to a reconcile request at once, unless the reconcile is deferred", () => {
    const object = anObject({ status: WORKING });
    const answers = { lastHandledReconcileAt: "now" };
    expect(ENDINGS.map((result) => throttle(object, answers, result, DEFAULT_WINDOWS))).toEqual([0, 0, 0, 0, 0, 0]);
    const answered = anObject({ status: { ...WORKING, ...answers } });
    expect(throttle(answered, answers, { is: "waiting", why, exchange: "ok" }, DEFAULT_WINDOWS)).toBe(10_000);
    expect(throttle(object, answers, { is: "deferred" }, DEFAULT_WINDOWS)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each<[string, string, Json, number]>([
    ["what a side read shows, for an answer that an outage gives", "PlatformUnavailable", SETTLED, 10_000],
    ["what a side read shows, for want of an answer", "PlatformUnreachable", SETTLED, 10_000],
    ["what a side read shows, for the page of a proxy", "UnexpectedResponse", SETTLED, 10_000],
    ["what a side read shows, as the token lacks a right", "PermissionDenied", SETTLED, 0],
    ["nothing beyond what is reported", "PlatformUnavailable", withListed("PlatformUnavailable"), 0],
  ])("of a settled object that loses %s", (_, reason, stored, expected) => {
    const object = anObject({ status: stored });
    expect(throttle(object, withListed(reason), { is: "settled", why }, DEFAULT_WINDOWS)).toBe(expected);
  });
});

const withReady = (reason: string, more: Parameters<typeof aCondition>[3] = {}, facts: JsonObject = {}): JsonObject =>
  aStatus([aCondition("Ready", "False", reason, more)], { state: "BUILDING", externalId: "id", ...facts });

it.each<[string, JsonObject, boolean]>([
  ["another message", withReady("Deploying", { message: "!" }), true],
  ["another time", withReady("Deploying", { lastTransitionTime: "x" }), true],
  ["another reason", withReady("Queued"), false],
  ["another state", withReady("Deploying", {}, { state: "DEPLOYING" }), false],
  ["no id", withReady("Deploying", {}, { externalId: undefined }), false],
])("significantPart with %s is the same: %j", (_, other, same) => {
  expect(significantPart(other) === significantPart(withReady("Deploying"))).toBe(same);
});

/** An object with conditions written as "Ready=True/Deployed". */
function objectWith(...conditions: readonly string[]): KubeObject {
  const parsed = conditions.map((text) => {
    const [type = "", rest = ""] = text.split("=");
    const [status = "", reason = ""] = rest.split("/");
    return { type, status, reason, message: `${type} ${reason}`, observedGeneration: 1, lastTransitionTime: "" };
  });
  return anObject({ status: { conditions: parsed } });
}

const OK = "Synced=True/ReconcileSuccess";
const GOOD = ["Ready=True/Deployed", OK];
const LIMITED = ["Ready=True/Deployed", "Synced=False/RateLimited"];
const UNAVAILABLE = ["Ready=True/Deployed", "Synced=False/PlatformUnavailable"];
const BUSY = ["Ready=False/Deploying", OK];
const BUSY_UNAVAILABLE = ["Ready=False/Deploying", "Synced=False/PlatformUnavailable"];
const FAILED = ["Ready=False/BuildFailed", OK, "Stalled=True/BuildFailed"];
const REJECTED = ["Ready=False/CredentialsInvalid", "Synced=False/CredentialsInvalid"];
const UNSENT = [...GOOD, "SettingsSynced=False/UpdateNotSupported"];
const DRIFTED = [...GOOD, "Drifted=True/DriftDetected"];

it.each([
  ["nothing, when nothing changed", GOOD, GOOD, []],
  ["the first state", [], GOOD, ["Normal Deployed"]],
  ["no work under way", GOOD, BUSY, []],
  ["work under way that fails", GOOD, BUSY_UNAVAILABLE, ["Warning Deploying"]],
  ["a failure, once", GOOD, FAILED, ["Warning BuildFailed"]],
  ["a failed exchange of what stays ready", GOOD, LIMITED, ["Warning RateLimited"]],
  ["another trouble", LIMITED, UNAVAILABLE, ["Warning PlatformUnavailable"]],
  ["its end", LIMITED, GOOD, ["Normal ReconcileSuccess"]],
  ["a failed exchange of what is not ready, once", GOOD, REJECTED, ["Warning CredentialsInvalid"]],
  ["drift", [...GOOD, "Drifted=False/NoDrift"], DRIFTED, ["Warning DriftDetected"]],
  ["settings that cannot be sent, once", GOOD, UNSENT, ["Warning UpdateNotSupported"]],
  [
    "settings that cannot be sent beside a failure",
    GOOD,
    [...FAILED, UNSENT[2] ?? ""],
    ["Warning BuildFailed", "Warning UpdateNotSupported"],
  ],
  ["not such settings again", UNSENT, UNSENT, []],
  ["not their end", UNSENT, GOOD, []],
  ["not the end of drift", DRIFTED, [...GOOD, "Drifted=False/NoDrift"], []],
])("events report %s", (_what, before, after, told) => {
  const events = transitions(objectWith(...before), objectWith(...after));
  expect(events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(told);
});
