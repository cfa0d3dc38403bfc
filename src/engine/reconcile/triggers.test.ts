import { describe, expect, it } from "vitest";

import { aCondition, anObject, aStatus, SETTLED, WORKING } from "../../../test/support/engine/objects.ts";
import { EXTERNAL_ID, INTENT, PAUSED, POLL_INTERVAL, RECONCILE_REQUESTED_AT, RESOLVE } from "../../api/names.ts";
import type { JsonObject, KubeObject, ObjectMeta } from "../../kube/api/types.ts";
import { concernsDependents, concernsItself, mayWait } from "./triggers.ts";

const READY: JsonObject = { ...SETTLED, externalId: "id" };

function object(meta: Partial<ObjectMeta> = {}, status: JsonObject = READY): KubeObject {
  return anObject({ meta, status });
}

const annotated = (annotations: Readonly<Record<string, string>>): KubeObject => object({ annotations });

describe("a change concerns the object itself", () => {
  it.each<[string, KubeObject, KubeObject, boolean]>([
    ["when its spec changed", object(), object({ generation: 3 }), true],
    ["when it is deleted", object(), object({ deletionTimestamp: "2026-11-21T10:00:00Z" }), true],
    ["when it is another of the same name", object(), object({ uid: "other" }), true],
    ["when it is paused", object(), annotated({ [PAUSED]: "true" }), true],
    ["when it goes on", annotated({ [PAUSED]: "true" }), object(), true],
    ["when a reconcile is asked for", object(), annotated({ [RECONCILE_REQUESTED_AT]: "1" }), true],
    ["when Flux asks", object(), annotated({ "reconcile.fluxcd.io/requestedAt": "1" }), true],
    [
      "when its poll interval changed",
      annotated({ [POLL_INTERVAL]: "1h" }),
      annotated({ [POLL_INTERVAL]: "2h" }),
      true,
    ],
    ["when the user resolves", object(), annotated({ [RESOLVE]: "recreate" }), true],
    ["not when we remove that annotation", annotated({ [RESOLVE]: "recreate" }), object(), false],
    ["when its id is lost", object(), object({}, SETTLED), true],
    ["not when we write its id", object({}, SETTLED), object(), false],
    ["not when we write an intent", object(), annotated({ [INTENT]: "{}" }), false],
    ["not when we write the backup of the id", object(), annotated({ [EXTERNAL_ID]: "id" }), false],
    ["not when its status changed", object(), object({}, { ...WORKING, externalId: "id" }), false],
    ["not when a label changed", object(), object({ labels: { a: "b" } }), false],
    ["not when a finalizer changed", object(), object({ finalizers: ["x/y"] }), false],
    ["not when somebody else annotates it", object(), annotated({ "other/one": "x" }), false],
  ])("%s", (_, old, now, expected) => {
    expect(concernsItself({ type: "updated", object: now, old })).toBe(expected);
  });

  it.each(["added", "deleted"] as const)("when it is %s", (type) => {
    expect(concernsItself({ type, object: object() })).toBe(true);
  });
});

describe("a change concerns the dependents", () => {
  it.each<[string, KubeObject, KubeObject, boolean]>([
    ["when it becomes ready", object({}, { ...WORKING, externalId: "id" }), object(), true],
    ["when it ceases to be", object(), object({}, { ...WORKING, externalId: "id" }), true],
    ["when its spec changed, and so it is ready no more", object(), object({ generation: 3 }), true],
    ["when it gets its id", object({}, SETTLED), object(), true],
    ["when it is another of the same name", object(), object({ uid: "other" }), true],
    [
      "not when it is ready for another reason",
      object(),
      object({}, aStatus([aCondition("Ready", "True", "Stopped")], { externalId: "id" })),
      false,
    ],
    ["not when anything else of its status changed", object(), object({}, { ...READY, state: "x" }), false],
    ["not when it is annotated", object(), annotated({ [PAUSED]: "true" }), false],
  ])("%s", (_, old, now, expected) => {
    expect(concernsDependents({ type: "updated", object: now, old })).toBe(expected);
  });
});

describe("at a start, an object may wait", () => {
  it.each<[string, KubeObject, boolean]>([
    ["that is ready", object(), true],
    ["but not one that is being worked on", object({}, WORKING), false],
    ["but not one of an older generation", object({ generation: 3 }), false],
    ["but not one that is being deleted", object({ deletionTimestamp: "2026-11-21T10:00:00Z" }), false],
    ["but not one with a request", annotated({ [RECONCILE_REQUESTED_AT]: "1" }), false],
    ["but not one with the intent of a create", annotated({ [INTENT]: "{" }), false],
    ["but not one with the intent of an action", object({}, { ...READY, intent: {} }), false],
    ["but not one with an annotation of the user", annotated({ [RESOLVE]: "adopt" }), false],
  ])("%s", (_, held, expected) => {
    expect(mayWait(held)).toBe(expected);
  });

  it("that has handled its request", () => {
    const handled = anObject({
      meta: { annotations: { [RECONCILE_REQUESTED_AT]: "1" } },
      status: { ...READY, lastHandledReconcileAt: "1" },
    });
    expect(mayWait(handled)).toBe(true);
  });
});
