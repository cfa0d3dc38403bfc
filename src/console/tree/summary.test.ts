import { expect, it } from "vitest";

import { evaluated, type StoredCondition } from "../../../test/support/kube/stored.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { summarize, isReady } from "./summary.ts";

const ready: StoredCondition = ["Ready", "True", "Deployed"];
const synced: StoredCondition = ["Synced", "True", "ReconcileSuccess"];
const failed: readonly StoredCondition[] = [
  ["Ready", "False", "BuildFailed"],
  ["Stalled", "True", "BuildFailed"],
];
const unsent: StoredCondition = ["SettingsSynced", "False", "UpdateNotSupported"];
const drifted: StoredCondition = ["Drifted", "True", "DriftDetected"];

it.each<[string, KubeObject, string, string]>([
  ["without conditions", evaluated([]), "new", ""],
  ["with conditions of an older spec", evaluated([ready], { observedGeneration: 1 }), "new", ""],
  ["that is Ready", evaluated([ready, synced, ["Drifted", "False", "NoDrift"]]), "ready", "Deployed"],
  ["that is not Ready yet", evaluated([["Ready", "False", "Building"]]), "working", "Building"],
  ["in an unknown state", evaluated([["Ready", "Unknown", "UnknownState"]]), "working", "UnknownState"],
  ["whose end is not observable", evaluated([["Ready", "Unknown", "NotObservable"]]), "warned", "NotObservable"],
  ["whose last reconcile failed", evaluated([ready, ["Synced", "False", "RateLimited"]]), "warned", "RateLimited"],
  ["with settings that cannot be sent", evaluated([ready, synced, drifted, unsent]), "warned", "UpdateNotSupported"],
  ["with drift", evaluated([ready, synced, drifted]), "warned", "DriftDetected"],
  ["that is Stalled", evaluated(failed), "stalled", "BuildFailed"],
  ["that is being deleted", evaluated([ready], {}, { deletionTimestamp: "2026-01-01" }), "deleting", "Deployed"],
])("the summary of an object %s has the mark and reason of it", (_which, object, mark, reason) => {
  expect(summarize(object)).toMatchObject({ mark, reason });
  expect(isReady(object)).toBe(mark === "ready" || mark === "warned" || mark === "deleting");
});

it("a summary has the platform's state and commit and the object's parent", () => {
  const object = evaluated([ready], { state: "DEPLOYED", commit: "1a2b3c4" });
  expect(summarize(object, "PlatformEnvironment/shop/staging")).toMatchObject({
    id: "PlatformApplication/shop/api",
    parent: "PlatformEnvironment/shop/staging",
    state: "DEPLOYED",
    commit: "1a2b3c4",
    message: "Deployed.",
  });
});
