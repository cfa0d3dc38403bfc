import { expect, it } from "vitest";

import { evaluated, type StoredCondition } from "../../../test/support/kube/stored.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { factOf, isReady } from "./facts.ts";

const ready: StoredCondition = ["Ready", "True", "Deployed"];
const synced: StoredCondition = ["Synced", "True", "ReconcileSuccess"];
const failed: readonly StoredCondition[] = [
  ["Ready", "False", "BuildFailed"],
  ["Stalled", "True", "BuildFailed"],
];
const unsent: StoredCondition = ["SettingsSynced", "False", "UpdateNotSupported"];
const drifted: StoredCondition = ["Drifted", "True", "DriftDetected"];

it.each<[string, KubeObject, string, string]>([
  ["nothing was said", evaluated([]), "new", ""],
  ["something was said of an older spec", evaluated([ready], { observedGeneration: 1 }), "new", ""],
  ["it is Ready", evaluated([ready, synced, ["Drifted", "False", "NoDrift"]]), "ready", "Deployed"],
  ["it is on its way", evaluated([["Ready", "False", "Building"]]), "working", "Building"],
  ["nobody knows", evaluated([["Ready", "Unknown", "UnknownState"]]), "working", "UnknownState"],
  ["nobody sees the end", evaluated([["Ready", "Unknown", "NotObservable"]]), "warned", "NotObservable"],
  ["the last exchange failed", evaluated([ready, ["Synced", "False", "RateLimited"]]), "warned", "RateLimited"],
  ["settings cannot be sent", evaluated([ready, synced, drifted, unsent]), "warned", "UpdateNotSupported"],
  ["the platform differs", evaluated([ready, synced, drifted]), "warned", "DriftDetected"],
  ["a person is needed", evaluated(failed), "stalled", "BuildFailed"],
  ["it is being deleted", evaluated([ready], {}, { deletionTimestamp: "2026-01-01" }), "deleting", "Deployed"],
])("a fact when %s", (_when, object, mark, reason) => {
  expect(factOf(object)).toMatchObject({ mark, reason });
  expect(isReady(object)).toBe(mark === "ready" || mark === "warned" || mark === "deleting");
});

it("a fact has the platform's words and its parent", () => {
  const object = evaluated([ready], { state: "DEPLOYED", commit: "1a2b3c4" });
  expect(factOf(object, "PlatformEnvironment/shop/staging")).toMatchObject({
    id: "PlatformApplication/shop/api",
    parent: "PlatformEnvironment/shop/staging",
    state: "DEPLOYED",
    commit: "1a2b3c4",
    message: "Deployed.",
  });
});
