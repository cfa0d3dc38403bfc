import type { Condition, ConditionStatus } from "../../../src/engine/contract/status.ts";
import type { Json, JsonObject, KubeObject, ObjectMeta } from "../../../src/kube/api/types.ts";

/** A Widget of generation 2 in the namespace "team". */
export function anObject(
  more: { readonly meta?: Partial<ObjectMeta>; readonly spec?: Json; readonly status?: Json } = {},
): KubeObject {
  return {
    apiVersion: "test/v1",
    kind: "Widget",
    metadata: { name: "a", namespace: "team", uid: "uid-a", resourceVersion: "7", generation: 2, ...more.meta },
    spec: more.spec ?? {},
    status: more.status,
  };
}

/** A stored condition, by default of generation 2 and an hour old. */
export function aCondition(
  type: string,
  status: ConditionStatus,
  reason: string,
  more: Partial<Condition> = {},
): Condition {
  return {
    type,
    status,
    observedGeneration: 2,
    lastTransitionTime: "2026-11-21T09:00:00Z",
    reason,
    message: `It is ${reason}.`,
    ...more,
  };
}

export function aStatus(conditions: readonly Condition[], more: JsonObject = {}): JsonObject {
  return { observedGeneration: 2, ...more, conditions: conditions.map((condition) => ({ ...condition })) };
}

export const SETTLED = aStatus([
  aCondition("Ready", "True", "Available"),
  aCondition("Synced", "True", "ReconcileSuccess"),
]);

/** The status of an object in progress, already reported. */
export const WORKING = aStatus([
  aCondition("Ready", "False", "Deploying"),
  aCondition("Synced", "True", "ReconcileSuccess"),
  aCondition("Reconciling", "True", "Progressing"),
]);
