import { describe, expect, it } from "vitest";

import {
  COMMIT,
  deployment,
  observedFull,
  observedIn,
  OLD_REQUEST,
  passWith,
  plannedBy,
  REQUEST,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { application } from "./index.ts";
import type { Observed } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

describe("a deployment that failed, of which the service shows nothing any more", () => {
  const canceled = { lastDeployment: deployment({ state: "CANCELED", requestId: REQUEST }) };
  const back = (change = {}) =>
    observedIn("DEPLOYED", { status: statusOf("DEPLOYED", { deploymentRequestId: REQUEST, ...change }) });

  it.each<[string, Change, Observed, string, string]>([
    ["stays failed while the service shows its request", {}, back(), "stalled Canceled", "Available"],
    [
      "stays failed after a first one as well",
      {},
      { ...back(), status: { ...back().status!, state: "READY" } },
      "stalled Canceled",
      "NotDeployed",
    ],
    ["is retried on request", { requested: "now" }, back(), `deployApplication ${COMMIT}`, "Available"],
    ["gives way to what others did since", {}, back({ deploymentRequestId: OLD_REQUEST }), "settled", "Available"],
    [
      "is retried on request also then",
      { requested: "now" },
      back({ deploymentRequestId: OLD_REQUEST }),
      `deployApplication ${COMMIT}`,
      "Available",
    ],
    ["waits for what others do", {}, back({ state: "BUILDING" }), "waiting Building", "NotDeployed"],
  ])("%s", (_name, change, observed, expected, ready) => {
    const context = passWith({ memory: canceled, ...change });
    expect(plannedBy(context, observed)).toBe(expected);
    const told = application.report(context, observed);
    expect(told.ready.reason).toBe(ready);
    expect(told.conditions.find(({ type }) => type === "UpToDate")?.status).toBe("False");
  });

  it("does not count once others have deployed its commit", () => {
    const context = passWith({ memory: canceled, surface: "Full" });
    const status = statusOf("DEPLOYED");
    const of = (deployedCommitId: string) =>
      application.report(context, observedFull("DEPLOYED", { gitRepository: { deployedCommitId } }, { status }));
    expect(of(COMMIT).ready.message).toBe("Commit 1a2b3c4 is deployed.");
    expect(of(COMMIT).conditions.find(({ type }) => type === "UpToDate")?.status).toBe("True");
    expect(of("feedface").ready.message).toBe("Commit feedfac is deployed.");
    expect(of("feedface").conditions.find(({ type }) => type === "UpToDate")?.status).toBe("False");
  });
});
