import { describe, expect, it } from "vitest";

import type { KubeObject } from "../../kube/api/types.ts";
import { transitions } from "./writes.ts";

/** An object with conditions written as "Ready=True/Deployed". */
function objectWith(...conditions: readonly string[]): KubeObject {
  const parsed = conditions.map((text) => {
    const [type = "", rest = ""] = text.split("=");
    const [status = "", reason = ""] = rest.split("/");
    return { type, status, reason, message: `${type} ${reason}`, observedGeneration: 1, lastTransitionTime: "" };
  });
  return {
    apiVersion: "v1",
    kind: "Widget",
    metadata: { name: "a", uid: "u", resourceVersion: "1" },
    status: { conditions: parsed },
  };
}

const GOOD = ["Ready=True/Deployed", "Synced=True/ReconcileSuccess"] as const;

describe("events", () => {
  it.each([
    ["nothing, when nothing changed", GOOD, GOOD, []],
    ["the first state", [], GOOD, ["Normal Deployed"]],
    ["no work under way", GOOD, ["Ready=False/Deploying", "Synced=True/ReconcileSuccess"], []],
    [
      "work under way that fails",
      GOOD,
      ["Ready=False/Deploying", "Synced=False/PlatformUnavailable"],
      ["Warning Deploying"],
    ],
    [
      "a failure, once",
      GOOD,
      ["Ready=False/BuildFailed", "Synced=True/ReconcileSuccess", "Stalled=True/BuildFailed"],
      ["Warning BuildFailed"],
    ],
    [
      "a failed exchange of what stays ready",
      GOOD,
      ["Ready=True/Deployed", "Synced=False/RateLimited"],
      ["Warning RateLimited"],
    ],
    [
      "another trouble",
      ["Ready=True/Deployed", "Synced=False/RateLimited"],
      ["Ready=True/Deployed", "Synced=False/PlatformUnavailable"],
      ["Warning PlatformUnavailable"],
    ],
    ["its end", ["Ready=True/Deployed", "Synced=False/RateLimited"], GOOD, ["Normal ReconcileSuccess"]],
    [
      "a failed exchange of what is not ready, once",
      GOOD,
      ["Ready=False/CredentialsInvalid", "Synced=False/CredentialsInvalid"],
      ["Warning CredentialsInvalid"],
    ],
    ["drift", [...GOOD, "Drifted=False/NoDrift"], [...GOOD, "Drifted=True/DriftDetected"], ["Warning DriftDetected"]],
    ["not the end of drift", [...GOOD, "Drifted=True/DriftDetected"], [...GOOD, "Drifted=False/NoDrift"], []],
  ])("report %s", (_what, before, after, told) => {
    const events = transitions(objectWith(...before), objectWith(...after));
    expect(events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(told);
  });
});
