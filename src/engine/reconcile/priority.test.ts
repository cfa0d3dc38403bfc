import { expect, it } from "vitest";

import { RECONCILE_REQUESTED_AT, RESOLVE } from "../../api/names.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { priorityOf } from "./triggers.ts";

const ready = (status: string): JsonObject => ({ type: "Ready", status, reason: "Any", message: "" });
const settled = { observedGeneration: 2, conditions: [{ ...ready("True"), observedGeneration: 2 }] };
const working = { observedGeneration: 2, conditions: [{ ...ready("False"), observedGeneration: 2 }] };

const object = (status: JsonObject | undefined, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Widget",
  metadata: { name: "a", namespace: "shop", uid: "u", resourceVersion: "1", generation: 2, ...metadata },
  ...(status === undefined ? {} : { status }),
});

it.each<[string, KubeObject, string]>([
  ["settled", object(settled), "low"],
  ["settled, with an unconfirmed action", object({ ...settled, intent: { v: 1 } }), "normal"],
  ["at work", object(working), "normal"],
  ["new", object(undefined), "high"],
  ["new, and its first deployment refused by the rate limit", object({ ...working, intent: { v: 1 } }), "normal"],
  [
    "changed, and its deployment refused by the rate limit",
    object({ ...working, appliedGeneration: 1, intent: { v: 1 } }),
    "urgent",
  ],
  ["changed, and its deployment accepted", object({ ...working, appliedGeneration: 1 }), "normal"],
  ["changed", object(settled, { generation: 3 }), "urgent"],
  ["changed while at work", object(working, { generation: 3 }), "urgent"],
  ["deleted", object(settled, { deletionTimestamp: "2026-11-21T10:00:00Z" }), "urgent"],
  ["asked to reconcile", object(settled, { annotations: { [RECONCILE_REQUESTED_AT]: "t1" } }), "urgent"],
  [
    "asked to reconcile, and done",
    object({ ...settled, lastHandledReconcileAt: "t1" }, { annotations: { [RECONCILE_REQUESTED_AT]: "t1" } }),
    "low",
  ],
  ["with a person's decision", object(working, { annotations: { [RESOLVE]: "recreate" } }), "urgent"],
])("%s", (_what, one, expected) => {
  expect(priorityOf(one)).toBe(expected);
});
