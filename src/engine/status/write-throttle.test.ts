import { describe, expect, it } from "vitest";

import { aCondition, anObject, aStatus, SETTLED, WORKING } from "../../../test/support/engine/objects.ts";
import type { Json, JsonObject } from "../../kube/api/types.ts";
import { DEFAULT_WINDOWS } from "../contract/windows.ts";
import type { ReconcileResult } from "./build.ts";
import { throttle, significantPart } from "./writes.ts";

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

describe("throttle", () => {
  it.each<[string, Json | undefined, readonly number[]]>([
    ["nothing is told yet", undefined, [0, 2_000, 0, 2_000, 2_000, 0]],
    ["it is settled", SETTLED, [0, 0, 0, 10_000, 0, 0]],
    ["work is told already", WORKING, [0, 10_000, 0, 10_000, 10_000, 0]],
    ["the work of an older generation is reported", OUTDATED, [0, 0, 0, 0, 0, 0]],
    ["a failure is told", STALLED, [0, 0, 0, 0, 10_000, 0]],
  ])("while %s: settled, waiting, stalled, retry, held, paused", (_, status, expected) => {
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
    ["what a side read shows, as the token lacks a right", "PermissionDenied", SETTLED, 0],
    ["nothing beyond what is reported", "PlatformUnavailable", withListed("PlatformUnavailable"), 0],
  ])("of a settled object that loses %s", (_, reason, stored, expected) => {
    const object = anObject({ status: stored });
    expect(throttle(object, withListed(reason), { is: "settled", why }, DEFAULT_WINDOWS)).toBe(expected);
  });
});

describe("significantPart", () => {
  const withReady = (reason: string, more: Parameters<typeof aCondition>[3] = {}, facts: JsonObject = {}): JsonObject =>
    aStatus([aCondition("Ready", "False", reason, more)], { state: "BUILDING", externalId: "id", ...facts });

  it.each<[string, JsonObject, boolean]>([
    ["another message", withReady("Deploying", { message: "!" }), true],
    ["another time", withReady("Deploying", { lastTransitionTime: "x" }), true],
    ["another reason", withReady("Queued"), false],
    ["another state", withReady("Deploying", {}, { state: "DEPLOYING" }), false],
    ["no id", withReady("Deploying", {}, { externalId: undefined }), false],
  ])("with %s is the same: %j", (_, other, same) => {
    expect(significantPart(other) === significantPart(withReady("Deploying"))).toBe(same);
  });
});
