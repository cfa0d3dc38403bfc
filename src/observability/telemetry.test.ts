import { expect, it } from "vitest";

import { orphan } from "../../test/support/platform/orphans.ts";
import type { ChangeRecord } from "../engine/context/context.ts";
import type { CallRecord } from "../platform/client/caller.ts";
import type { Fields, Logger } from "./logger.ts";
import type { RunningReconcile } from "./reconcile-tracker.ts";
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
const CALL: CallRecord = {
  operation: "deployApplication",
  method: "POST",
  ids: { applicationId: "service-1" },
  attempt: 1,
  status: 202,
  sent: true,
  failure: undefined,
  durationMs: 41.7,
  requestId: "request-1",
};

function collecting() {
  const lines: (readonly [level: string, message: string, fields: Fields])[] = [];
  const at =
    (level: string): Logger["info"] =>
    (message, fields = {}) => {
      lines.push([level, message, fields]);
    };
  const log = { trace: at("trace"), debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { lines, log };
}

function told(change: Partial<ChangeRecord>, call: Partial<CallRecord> | undefined) {
  const { lines, log } = collecting();
  const changed =
    call === undefined
      ? undefined
      : { connection: "PlatformConnection/shop/default", call: { ...CALL, ...call }, at: new Date(0) };
  const pass: RunningReconcile = { id: "p-1", key: "PlatformApplication/shop/api", priority: () => "normal", changed };
  logChange(log, "cluster-1", { ...CHANGE, ...change }, pass);
  expect(lines).toHaveLength(1);
  return lines[0];
}

it("says who changed what, why, and with which result", () => {
  const { key, sent: _, ...change } = CHANGE;
  const { method, status, requestId } = CALL;
  const call = { method, status, requestId, path: "/application/{applicationId}/deploy", durationMs: 42 };
  const place = { installation: "cluster-1", connection: "PlatformConnection/shop/default" };
  expect(told({}, {})).toEqual(["info", "changed the platform", { ...key, ...change, ...call, ...place }]);
});

const FAILED = "could not change the platform";
it.each<[string, Partial<ChangeRecord>, string, string]>([
  ["a refusal", { result: "Conflict" }, "warn", FAILED],
  ["what never left the operator", { result: "Refused", sent: false }, "warn", FAILED],
  ["a platform that cannot be reached", { result: "Unreachable", sent: false }, "warn", FAILED],
  ["an unknown outcome", { result: "OutcomeUnknown" }, "warn", "may have changed the platform"],
  ["what the budget holds back", { result: "OverBudget", sent: false }, "debug", "has not changed the platform yet"],
  ["a 429", { result: "RateLimited" }, "warn", FAILED],
])("tells %s as such", (_, change, level, message) => {
  expect(told(change, {})).toMatchObject([level, message, { result: change.result }]);
});

it("names what the path names where the resource has no id of its own", () => {
  expect(told({ id: undefined }, {})?.[2]).toMatchObject({ id: "service-1" });
});

it("takes no other call's facts for those of this one", () => {
  expect(told({}, { operation: "stopApplication" })?.[2]).not.toHaveProperty("status");
  expect(told({}, undefined)?.[2]).not.toHaveProperty("method");
});

it.each([
  ["recorded", "info"],
  ["found", "info"],
  ["forgotten", "info"],
  ["dropped", "warn"],
] as const)("tells of an object that stayed on the platform that it is %s", (is, expected) => {
  const { lines, log } = collecting();
  const entry = orphan();
  logOrphan(log, { is, orphan: entry });
  const { kind, namespace, name, id, host, organizationId, installation, why: reason, at: since } = entry;
  const fields = { orphan: is, kind, namespace, name, id, host, organizationId, installation, reason, since };
  expect(lines).toMatchObject([[expected, expect.any(String), fields]]);
  // The memory is not part of the transition.
  expect(lines[0]?.[2]).not.toHaveProperty("memory");
});

it("tells each condition that changes, and nothing of those that do not", () => {
  const { lines, log } = collecting();
  const object = (ready: string, reason: string, drifted: boolean) => ({
    apiVersion: "platform-operator.io/v1alpha1",
    kind: "PlatformProject",
    metadata: { name: "shop", namespace: "shop", uid: "uid-1", resourceVersion: "1" },
    status: {
      conditions: [
        { type: "Synced", status: "True", reason: "ReconcileSuccess", message: "" },
        { type: "Ready", status: ready, reason, message: "Words." },
        ...(drifted ? [{ type: "Drifted", status: "True", reason: "DriftDetected", message: "spec.name" }] : []),
      ],
    },
  });
  const before = object("False", "Creating", false);
  logTransitions(log, object("True", "Available", true), before);
  logTransitions(log, before, before);
  const key = { kind: "PlatformProject", namespace: "shop", name: "shop" };
  const ready = { from: "False/Creating", to: "True/Available", reason: "Available", detail: "Words." };
  const drifted = { from: "", to: "True/DriftDetected", reason: "DriftDetected", detail: "spec.name" };
  expect(lines).toEqual([
    ["info", "condition changed", { ...key, condition: "Ready", ...ready }],
    ["info", "condition changed", { ...key, condition: "Drifted", ...drifted }],
  ]);
});

it("tells the beginning and the end of a pause of the platform's rate limit", () => {
  const { lines, log } = collecting();
  logLimited(log, "PlatformConnection/shop/default", true, 0);
  logLimited(log, "PlatformConnection/shop/default", false, 61_000.4);
  const key = { kind: "PlatformConnection", namespace: "shop", name: "default" };
  expect(lines.map(([, , fields]) => fields)).toEqual([key, { ...key, durationMs: 61_000 }]);
});
