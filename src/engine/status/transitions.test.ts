import { describe, expect, it } from "vitest";

import { anObject } from "../../../test/support/engine/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { transitions } from "./writes.ts";

/** An object with conditions written as "Ready=True/Deployed". */
function objectWith(...conditions: readonly string[]): KubeObject {
  const parsed = conditions.map((text) => {
    const [type = "", rest = ""] = text.split("=");
    const [status = "", reason = ""] = rest.split("/");
    return { type, status, reason, message: `${type} ${reason}`, observedGeneration: 1, lastTransitionTime: "" };
  });
  return anObject({ status: { conditions: parsed } });
}

const OK = "Synced=True/ReconcileSuccess";
const GOOD = ["Ready=True/Deployed", OK];
const LIMITED = ["Ready=True/Deployed", "Synced=False/RateLimited"];
const UNAVAILABLE = ["Ready=True/Deployed", "Synced=False/PlatformUnavailable"];
const BUSY = ["Ready=False/Deploying", OK];
const BUSY_UNAVAILABLE = ["Ready=False/Deploying", "Synced=False/PlatformUnavailable"];
const FAILED = ["Ready=False/BuildFailed", OK, "Stalled=True/BuildFailed"];
const REJECTED = ["Ready=False/CredentialsInvalid", "Synced=False/CredentialsInvalid"];
const DRIFTED = [...GOOD, "Drifted=True/DriftDetected"];

describe("events", () => {
  it.each([
    ["nothing, when nothing changed", GOOD, GOOD, []],
    ["the first state", [], GOOD, ["Normal Deployed"]],
    ["no work under way", GOOD, BUSY, []],
    ["work under way that fails", GOOD, BUSY_UNAVAILABLE, ["Warning Deploying"]],
    ["a failure, once", GOOD, FAILED, ["Warning BuildFailed"]],
    ["a failed exchange of what stays ready", GOOD, LIMITED, ["Warning RateLimited"]],
    ["another trouble", LIMITED, UNAVAILABLE, ["Warning PlatformUnavailable"]],
    ["its end", LIMITED, GOOD, ["Normal ReconcileSuccess"]],
    ["a failed exchange of what is not ready, once", GOOD, REJECTED, ["Warning CredentialsInvalid"]],
    ["drift", [...GOOD, "Drifted=False/NoDrift"], DRIFTED, ["Warning DriftDetected"]],
    ["not the end of drift", DRIFTED, [...GOOD, "Drifted=False/NoDrift"], []],
  ])("report %s", (_what, before, after, told) => {
    const events = transitions(objectWith(...before), objectWith(...after));
    expect(events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(told);
  });
});
