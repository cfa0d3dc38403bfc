import { describe, expect, it } from "vitest";

import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { factOf, isReady } from "./facts.ts";

type Condition = readonly [type: string, status: string, reason: string];

function application(
  conditions: readonly Condition[],
  more: { status?: JsonObject; deleted?: boolean } = {},
): KubeObject {
  return {
    apiVersion: "platform-operator.io/v1alpha1",
    kind: "PlatformApplication",
    metadata: {
      name: "api",
      namespace: "shop",
      uid: "1",
      resourceVersion: "1",
      generation: 2,
      ...(more.deleted === true && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: { environmentRef: { name: "staging" } },
    status: {
      observedGeneration: 2,
      conditions: conditions.map(([type, status, reason]) => ({ type, status, reason, message: `${reason}.` })),
      ...more.status,
    },
  };
}

const ready: Condition = ["Ready", "True", "Deployed"];
const synced: Condition = ["Synced", "True", "ReconcileSuccess"];

describe("a fact", () => {
  it.each<[string, KubeObject, string, string]>([
    ["nothing was said", application([]), "new", ""],
    ["something was said of an older spec", application([ready], { status: { observedGeneration: 1 } }), "new", ""],
    ["it is Ready", application([ready, synced, ["Drifted", "False", "NoDrift"]]), "ready", "Deployed"],
    [
      "it is on its way",
      application([
        ["Ready", "False", "Building"],
        ["Reconciling", "True", "Progressing"],
      ]),
      "working",
      "Building",
    ],
    ["nobody knows", application([["Ready", "Unknown", "UnknownState"]]), "working", "UnknownState"],
    ["the last exchange failed", application([ready, ["Synced", "False", "RateLimited"]]), "warned", "RateLimited"],
    [
      "the platform differs",
      application([ready, synced, ["Drifted", "True", "DriftDetected"]]),
      "warned",
      "DriftDetected",
    ],
    [
      "a person is needed",
      application([
        ["Ready", "False", "BuildFailed"],
        ["Stalled", "True", "BuildFailed"],
      ]),
      "stalled",
      "BuildFailed",
    ],
    ["it is being deleted", application([ready], { deleted: true }), "deleting", "Deployed"],
  ])("when %s", (_when, object, mark, reason) => {
    expect(factOf(object)).toMatchObject({ mark, reason });
    expect(isReady(object)).toBe(mark === "ready" || mark === "warned" || mark === "deleting");
  });

  it("has the platform's words and its parent", () => {
    const object = application([ready], { status: { state: "DEPLOYED", commit: "1a2b3c4" } });
    expect(factOf(object, "PlatformEnvironment/shop/staging")).toMatchObject({
      id: "PlatformApplication/shop/api",
      parent: "PlatformEnvironment/shop/staging",
      state: "DEPLOYED",
      commit: "1a2b3c4",
      message: "Deployed.",
    });
  });
});
