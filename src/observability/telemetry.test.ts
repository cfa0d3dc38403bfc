import { expect, it } from "vitest";

import { conditionsOf, stored, type StoredCondition } from "../../test/support/kube/stored.ts";
import { orphan } from "../../test/support/platform/orphans.ts";
import { deployCall, recordingLog, runningReconcile } from "../../test/support/platform/telemetry.ts";
import type { ChangeRecord } from "../engine/context/context.ts";
import type { CallRecord } from "../platform/client/caller.ts";
import { logChange, logLimited, logOrphan, logTransitions } from "./telemetry.ts";

const CHANGE: ChangeRecord = {
  key: { kind: "PlatformApplication", namespace: "shop", name: "api" },
  uid: "uid-1",
  generation: 3,
  cause: "SpecChanged",
  op: "deployApplication",
  id: "service-1",
  commit: "abcdef1",
  result: "ok",
  sent: true,
};

function lineOf(change: Partial<ChangeRecord>, call: Partial<CallRecord> | undefined) {
  const { lines, log } = recordingLog();
  const connection = "PlatformConnection/shop/default";
  const changed = call === undefined ? undefined : { connection, call: deployCall(call), at: new Date(0) };
  logChange(log, "cluster-1", { ...CHANGE, ...change }, runningReconcile("api", changed));
  expect(lines).toHaveLength(1);
  return lines[0];
}

it("a change is logged with its object, cause, request and result", () => {
  const { key, sent: _, ...change } = CHANGE;
  const { method, status, requestId } = deployCall();
  const call = { method, status, requestId, path: "/application/{applicationId}/deploy", durationMs: 42 };
  const where = { installation: "cluster-1", connection: "PlatformConnection/shop/default" };
  const fields = { ...key, ...change, ...call, ...where };
  expect(lineOf({}, { durationMs: 41.7 })).toEqual(["info", "changed the platform", fields]);
});

const FAILED = "could not change the platform";
it.each<[string, Partial<ChangeRecord>, string, string]>([
  ["that was not sent", { result: "Refused", sent: false }, "warn", FAILED],
  ["with an unknown outcome", { result: "OutcomeUnknown" }, "warn", "may have changed the platform"],
  [
    "that the rate limit holds back",
    { result: "OverBudget", sent: false },
    "debug",
    "has not changed the platform yet",
  ],
  ["that the platform refuses with 409", { result: "Conflict" }, "warn", FAILED],
  ["that the platform answers with 429", { result: "RateLimited" }, "warn", FAILED],
])("a change %s is logged at its level with its result", (_, change, level, message) => {
  expect(lineOf(change, {})).toMatchObject([level, message, { result: change.result }]);
});

it("a change of a resource without an id is logged with the id in its path", () => {
  expect(lineOf({ id: undefined }, {})?.[2]).toMatchObject({ id: "service-1" });
});

it("a change is logged without the status of another request", () => {
  expect(lineOf({}, { operation: "stopApplication" })?.[2]).not.toHaveProperty("status");
  expect(lineOf({}, undefined)?.[2]).not.toHaveProperty("method");
});

it.each([
  ["recorded", "info"],
  ["found", "info"],
  ["forgotten", "info"],
  ["dropped", "warn"],
] as const)("an orphaned object that is %s is logged at its level", (is, expected) => {
  const { lines, log } = recordingLog();
  const entry = orphan();
  logOrphan(log, { is, orphan: entry });
  const { kind, namespace, name, id, host, organizationId, installation, why: reason, at: since } = entry;
  const fields = { orphan: is, kind, namespace, name, id, host, organizationId, installation, reason, since };
  expect(lines).toMatchObject([[expected, expect.any(String), fields]]);
  // The memory is not part of the transition.
  expect(lines[0]?.[2]).not.toHaveProperty("memory");
});

it("the conditions that change are logged, the first at level info, and no unchanged one", () => {
  const { lines, log } = recordingLog();
  const object = (ready: string, reason: string, ...more: StoredCondition[]) => {
    const conditions = conditionsOf([["Ready", ready, reason], ["Synced", "True", "ReconcileSuccess"], ...more]);
    return stored("PlatformProject", "shop", { status: { conditions } });
  };
  const before = object("False", "Creating");
  logTransitions(log, object("True", "Available", ["Drifted", "True", "DriftDetected"]), before);
  logTransitions(log, before, before);
  const key = { kind: "PlatformProject", namespace: "shop", name: "shop" };
  const ready = { from: "False/Creating", to: "True/Available", reason: "Available", detail: "Available." };
  const drifted = { from: "", to: "True/DriftDetected", reason: "DriftDetected", detail: "DriftDetected." };
  expect(lines).toEqual([
    ["info", "condition changed", { ...key, condition: "Ready", ...ready }],
    ["debug", "condition changed", { ...key, condition: "Drifted", ...drifted }],
  ]);
});

it("the beginning and the end of a pause by the platform's rate limit are logged", () => {
  const { lines, log } = recordingLog();
  logLimited(log, "PlatformConnection/shop/default", true, 0);
  logLimited(log, "PlatformConnection/shop/default", false, 61_000.4);
  const key = { kind: "PlatformConnection", namespace: "shop", name: "default" };
  expect(lines.map(([, , fields]) => fields)).toEqual([key, { ...key, durationMs: 61_000 }]);
});
