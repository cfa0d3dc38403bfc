import { describe, expect, it } from "vitest";

import { aCondition, anObject, aStatus, SETTLED, WORKING } from "../../test/support/engine/objects.ts";
import {
  EXTERNAL_ID,
  INTENT,
  PAUSED,
  POLL_INTERVAL,
  RECONCILE_REQUESTED_AT,
  REDEPLOY_REQUESTED_AT,
  RESOLVE,
} from "../api/names.ts";
import type { JsonObject, KubeObject, ObjectMeta } from "../kube/api/types.ts";
import { affectsDependents, needsReconcile, hasNothingPending, priorityOf } from "./triggers.ts";

const READY: JsonObject = { ...SETTLED, externalId: "id" };
const BUSY: JsonObject = { ...WORKING, externalId: "id" };
const STOPPED = aStatus([aCondition("Ready", "True", "Stopped")], { externalId: "id" });
const DELETED = { deletionTimestamp: "2026-11-21T10:00:00Z" };
const ASKED = { [RECONCILE_REQUESTED_AT]: "1" };
const HANDLED: JsonObject = { ...READY, lastHandledReconcileAt: "1" };
const REDEPLOY = { [REDEPLOY_REQUESTED_AT]: "1" };
const REDEPLOYED: JsonObject = { ...READY, lastHandledRedeployAt: "1" };

function object(meta: Partial<ObjectMeta> = {}, status: JsonObject = READY): KubeObject {
  return anObject({ meta, status });
}

const annotated = (annotations: Readonly<Record<string, string>>): KubeObject => object({ annotations });

describe("a change needs a reconcile of the object itself", () => {
  it.each<[string, KubeObject, KubeObject, boolean]>([
    ["when its spec changed", object(), object({ generation: 3 }), true],
    ["when it is deleted", object(), object(DELETED), true],
    ["when it is another of the same name", object(), object({ uid: "other" }), true],
    ["when it is paused", object(), annotated({ [PAUSED]: "true" }), true],
    ["when it goes on", annotated({ [PAUSED]: "true" }), object(), true],
    ["when a reconcile is asked for", object(), annotated(ASKED), true],
    ["when it is to be deployed again", object(), annotated(REDEPLOY), true],
    ["when Flux asks", object(), annotated({ "reconcile.fluxcd.io/requestedAt": "1" }), true],
    ["when its interval changed", annotated({ [POLL_INTERVAL]: "1h" }), annotated({ [POLL_INTERVAL]: "2h" }), true],
    ["when its interval was removed", annotated({ [POLL_INTERVAL]: "1h" }), annotated({}), true],
    ["when the user resolves", object(), annotated({ [RESOLVE]: "recreate:1-a" }), true],
    ["not when that annotation is removed", annotated({ [RESOLVE]: "recreate:1-a" }), object(), false],
    ["when its id is lost", object(), object({}, SETTLED), true],
    ["not when we write its id", object({}, SETTLED), object(), false],
    ["not when we write an intent", object(), annotated({ [INTENT]: "{}" }), false],
    ["not when we write the backup of the id", object(), annotated({ [EXTERNAL_ID]: "id" }), false],
    ["not when its status changed", object(), object({}, BUSY), false],
    ["not when a label changed", object(), object({ labels: { a: "b" } }), false],
    ["not when a finalizer changed", object(), object({ finalizers: ["x/y"] }), false],
    ["not when somebody else annotates it", object(), annotated({ "other/one": "x" }), false],
  ])("%s", (_, old, now, expected) => {
    expect(needsReconcile({ type: "updated", object: now, old })).toBe(expected);
  });

  it.each(["added", "deleted"] as const)("when the object is %s", (type) => {
    expect(needsReconcile({ type, object: object() })).toBe(true);
  });
});

it.each<[string, KubeObject, KubeObject, boolean]>([
  ["when it becomes ready", object({}, BUSY), object(), true],
  ["when it ceases to be", object(), object({}, BUSY), true],
  ["when its spec changed, and so it is ready no more", object(), object({ generation: 3 }), true],
  ["when it gets its id", object({}, SETTLED), object(), true],
  ["when it is another of the same name", object(), object({ uid: "other" }), true],
  ["not when it is ready for another reason", object(), object({}, STOPPED), false],
  ["not when anything else of its status changed", object(), object({}, { ...READY, state: "x" }), false],
  ["not when it is annotated", object(), annotated({ [PAUSED]: "true" }), false],
])("a change affects the dependents %s", (_, old, now, expected) => {
  expect(affectsDependents({ type: "updated", object: now, old })).toBe(expected);
});

it.each<[string, KubeObject, boolean]>([
  ["that is ready", object(), true],
  ["but not one that is being worked on", object({}, WORKING), false],
  ["but not one of an older generation", object({ generation: 3 }), false],
  ["but not one that is being deleted", object(DELETED), false],
  ["but not one with a request", annotated(ASKED), false],
  ["that has handled its request", object({ annotations: ASKED }, HANDLED), true],
  ["but not one to deploy again", annotated(REDEPLOY), false],
  ["that was deployed again", object({ annotations: REDEPLOY }, REDEPLOYED), true],
  ["but not one with the intent of a create", annotated({ [INTENT]: "{" }), false],
  ["but not one with the intent of an action", object({}, { ...READY, writeLedger: { intent: {} } }), false],
  ["that keeps an answer of the user", annotated({ [RESOLVE]: "adopt:theirs" }), true],
])("at a start, the first reconcile of an object may wait %s", (_, held, expected) => {
  expect(hasNothingPending(held)).toBe(expected);
});

const changing: JsonObject = { ...WORKING, appliedGeneration: 1 };
const fresh = anObject();

it.each<[what: string, priority: string, object: KubeObject]>([
  ["that is settled", "low", object()],
  [
    "that is settled, with an unconfirmed action,",
    "normal",
    object({}, { ...READY, writeLedger: { intent: { v: 1 } } }),
  ],
  ["that is worked on", "normal", object({}, WORKING)],
  ["that is new", "high", fresh],
  [
    "that is new, and whose first deployment the rate limit refused,",
    "normal",
    object({}, { ...WORKING, writeLedger: { intent: { v: 1 } } }),
  ],
  [
    "that changed, and whose deployment the rate limit refused,",
    "urgent",
    object({}, { ...changing, writeLedger: { intent: { v: 1 } } }),
  ],
  ["that changed, and whose deployment was accepted,", "normal", object({}, changing)],
  ["that changed", "urgent", object({ generation: 3 })],
  ["that changed while it is worked on", "urgent", object({ generation: 3 }, WORKING)],
  ["that is being deleted", "urgent", object(DELETED)],
  ["with a request to reconcile", "urgent", annotated(ASKED)],
  ["with a request to reconcile that is handled", "low", object({ annotations: ASKED }, HANDLED)],
  ["with a request to deploy again", "urgent", annotated(REDEPLOY)],
  ["with a request to deploy again that is handled", "low", object({ annotations: REDEPLOY }, REDEPLOYED)],
  [
    "that waits for a person, who has answered,",
    "urgent",
    object({ annotations: { [RESOLVE]: "recreate:1-a" } }, WORKING),
  ],
  ["that is settled, with an answer that was used,", "low", annotated({ [RESOLVE]: "recreate:1-a" })],
])("an object %s has the priority %s", (_what, expected, one) => {
  expect(priorityOf(one)).toBe(expected);
});
