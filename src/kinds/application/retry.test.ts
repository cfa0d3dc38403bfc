import { describe, expect, it } from "vitest";

import {
  COMMIT,
  deployment,
  observedFull,
  observedIn,
  OLD_REQUEST,
  openDeployment,
  OTHER_COMMIT,
  passWith,
  plannedBy,
} from "../../../test/support/services/applications.ts";
import { application } from "./index.ts";
import type { Observed } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

const DEPLOY = `deployApplication ${COMMIT}`;
const retry = { retry: { limit: 2, backoffMs: 60_000 } };
const failed = (change: Parameters<typeof deployment>[0] = {}) => ({
  memory: { lastDeployment: deployment({ state: "DEPLOYMENT_ERROR", ...change }) },
});

describe("a deployment that failed", () => {
  const broken = observedIn("DEPLOYMENT_ERROR");

  it.each<[string, Change, Observed, string]>([
    ["is for a person without a policy", failed(), broken, "stalled DeploymentFailed"],
    ["is started again once its time has come", { ...failed(), ...retry }, broken, DEPLOY],
    [
      "waits for its time",
      { ...failed({ finishedAt: "2026-11-21T09:59:30.000Z" }), ...retry },
      broken,
      "waiting DeploymentFailed",
    ],
    ["is for a person at the limit", { ...failed({ attempts: 2 }), ...retry }, broken, "stalled DeploymentFailed"],
    [
      "is not started again at a limit of none",
      { ...failed(), retry: { limit: 0, backoffMs: 0 } },
      broken,
      "stalled DeploymentFailed",
    ],
    [
      "to build is started again, too",
      { ...failed({ state: "BUILD_ERROR" }), ...retry },
      observedIn("BUILD_ERROR"),
      DEPLOY,
    ],
    [
      "because somebody cancelled it is not",
      { ...failed({ state: "CANCELED" }), ...retry },
      observedIn("CANCELED"),
      "stalled Canceled",
    ],
    ["of others is not", { ...retry, memory: { lastDeployment: deployment() } }, broken, "stalled DeploymentFailed"],
    [
      "that was found is not",
      { ...failed({ startedAt: undefined as never }), ...retry },
      broken,
      "stalled DeploymentFailed",
    ],
    ["of another commit gives way", { ...failed({ gitCommitId: OTHER_COMMIT }), ...retry }, broken, DEPLOY],
    [
      "waits for a person when it is to be stopped",
      { ...failed(), ...retry, surface: "Full", spec: { runState: "Stopped" } },
      observedFull("DEPLOYMENT_ERROR"),
      "stopApplication",
    ],
    [
      "is seen to fail, and waits from then on",
      { ...retry, memory: { lastDeployment: openDeployment({ requestId: OLD_REQUEST }) } },
      observedIn("DEPLOYMENT_ERROR", { request: { status: "DEPLOYMENT_ERROR" } }),
      "waiting DeploymentFailed",
    ],
  ])("%s", (_name, change, observed, expected) => {
    expect(plannedBy(passWith(change), observed)).toBe(expected);
  });

  it("is counted, until something else is deployed", () => {
    const again = application.plan(passWith({ ...failed({ attempts: 1 }), ...retry }), broken);
    expect(again).toMatchObject({ step: { action: { what: "deploy", attempts: 2 }, mark: { attempts: 2 } } });
    const asked = application.plan(passWith({ ...failed({ attempts: 2 }), ...retry, requested: "now" }), broken);
    expect(asked).toMatchObject({ step: { action: { what: "deploy", attempts: undefined, retry: "now" } } });
  });

  it("gives the time to wait to the engine, and not in a message", () => {
    const at = (finishedAt: string) => application.plan(passWith({ ...failed({ finishedAt }), ...retry }), broken);
    const early = at("2026-11-21T09:59:59.400Z");
    const late = at("2026-11-21T09:59:10.400Z");
    expect([early, late]).toMatchObject([{ again: 59_000 }, { again: 10_000 }]);
    expect(early).toMatchObject({ why: (late as { readonly why: object }).why });
    expect(early).toMatchObject({ why: { message: expect.stringContaining("commit 1a2b3c4") as string } });
  });
});
