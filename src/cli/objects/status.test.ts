import { describe, expect, it } from "vitest";

import { evaluated } from "../../../test/support/kube/stored.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import { summaryOf } from "./status.ts";

const now = new Date("2026-11-21T12:00:00Z");

const application = (status: JsonObject, annotations: Readonly<Record<string, string>> = {}) =>
  evaluated([], status, { creationTimestamp: "2026-11-20T12:00:00Z", annotations });

const lastTransitionTime = "2026-11-21T11:50:00Z";
const condition = (type: string, reason: string, message: string): JsonObject => {
  return { type, status: "True", reason, message, lastTransitionTime };
};

describe("the summary of an object", () => {
  it("shows state, deployment, failure, drift, plan, conditions and events on one screen", () => {
    const fields = [{ path: "spec.cpu", desired: "500", observed: "250" }];
    const update = { operation: "updateApplication", message: "Update the settings.", fields };
    const deploy = { operation: "deployApplication", commit: "2b3c4d5e" };
    const [startedAt, finishedAt] = ["2026-11-21T11:00:00Z", "2026-11-21T11:02:00Z"];
    const steps = { totalSeconds: 134, details: [{ name: "BUILD", seconds: 80 }, { seconds: 54 }] };
    const object = application({
      externalId: "0a1b",
      state: "DEPLOYED",
      serviceDeploymentStatus: "OUT_OF_DATE",
      lastDeployment: { gitCommitId: "1a2b3c4d", state: "DEPLOYED", requestId: "77", startedAt, finishedAt, steps },
      lastFailure: { state: "BUILD_ERROR", gitCommitId: "bad0000", message: "The build failed." },
      drift: { fields },
      plan: { hash: "sha256:12", reason: "Approval", generation: 2, actions: [update, deploy] },
      conditions: [
        condition("Ready", "Deployed", "Commit 1a2b3c4 is deployed."),
        condition("Drifted", "DriftDetected", "spec.cpu differs."),
      ],
    });
    const about = { kind: "PlatformApplication", namespace: "shop", name: "api", type: "Normal", reason: "Deployed" };
    const events = [{ ...about, message: "Commit 1a2b3c4 is deployed.", at: finishedAt, count: 3 }];
    expect(summaryOf({ object, events, now, program: "kubectl platform" })).toEqual([
      "! application shop/api  DriftDetected",
      "  spec.cpu differs.",
      "",
      "  Age        24h",
      "  Remote id  0a1b",
      "  State      DEPLOYED",
      "  Settings   OUT_OF_DATE",
      "",
      "Deployment",
      "  Commit    1a2b3c4d",
      "  State     DEPLOYED",
      "  Request   77",
      "  Started   60m ago",
      "  Finished  58m ago",
      "  Steps     134 s: BUILD 80 s, step 2 54 s",
      "",
      "Failure",
      "  State    BUILD_ERROR",
      "  Commit   bad0000",
      "  Message  The build failed.",
      "",
      "Drift",
      "  spec.cpu: 250 → 500",
      "",
      "Plan",
      "  updateApplication  Will update the settings.",
      "    spec.cpu: 250 → 500",
      "  deployApplication",
      "    commit: 1a2b3c4d → 2b3c4d5e",
      "  Approve it with: kubectl platform approve papp/api --hash sha256:12",
      "",
      "Conditions",
      "  Ready    True  Deployed       10m  Commit 1a2b3c4 is deployed.",
      "  Drifted  True  DriftDetected  10m",
      "",
      "Events",
      "  58m  Normal  Deployed  (3 times)",
    ]);
  });

  it("says that the operator has not seen the object, that it is paused and that events are not readable", () => {
    const object = application({ observedGeneration: -1 }, { "platform-operator.io/paused": "true" });
    expect(summaryOf({ object, events: undefined, now, program: "kubectl platform" })).toEqual([
      "· application shop/api",
      "  Waiting for the operator.",
      "",
      "  Age         24h",
      "  Paused      yes",
      "  Generation  2, the operator has seen -1",
      "",
      "Events",
      "  You may not list events.",
    ]);
  });
});
