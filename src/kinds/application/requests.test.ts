import { describe, expect, it } from "vitest";

import { openIntent } from "../../../test/support/kinds/contexts.ts";
import { platformWith } from "../../../test/support/kinds/platform.ts";
import {
  APPLICATION,
  COMMIT,
  deployment,
  ENVIRONMENT,
  NOW,
  OLD_REQUEST,
  OTHER_COMMIT,
  contextWith,
  REQUEST,
  statusOf,
} from "../../../test/support/services/applications.ts";
import type { OpenIntent } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { serviceBaseline } from "../service/progress.ts";
import { requestMark } from "../service/requests.ts";
import { application } from "./index.ts";

/** A platform that answers a read of the status with it, or with a failure. */
function platform(answer: ServiceStatus | ApiFailure["is"]): Platform {
  const status = () =>
    typeof answer === "object"
      ? Promise.resolve(answer)
      : Promise.reject(new ApiError("getApplicationStatus", { is: answer } as ApiFailure, 0, "said"));
  return platformWith({ applications: { status } });
}

const sent = { settings: 2, variablesAt: "2026-11-21T09:00:00.000Z", retry: "now" };
const MARK = { baseline: serviceBaseline(statusOf("DEPLOYED")), requestId: OLD_REQUEST, ...sent };
const target = { parentId: ENVIRONMENT, id: APPLICATION };
const intentOf = (change: Partial<OpenIntent>): OpenIntent =>
  openIntent("deployApplication", { ...target, commit: OTHER_COMMIT, mark: MARK, ...change });

describe("whether a deployment landed", () => {
  const traced = (status: ServiceStatus | ApiFailure["is"], intent: Partial<OpenIntent> = {}) =>
    application.trace(intentOf(intent), contextWith(), platform(status));
  const building = (gitCommitId: string) => ({
    known: [{ memory: { lastDeployment: { gitCommitId, state: "BUILDING" } } }],
  });

  it.each<[string, ServiceStatus | ApiFailure["is"], boolean]>([
    ["nothing has moved", statusOf("DEPLOYED"), false],
    ["the service is gone", "NotFound", false],
    ["the service shows another request", statusOf("DEPLOYED", { deploymentRequestId: REQUEST }), true],
    ["the service was deployed since", statusOf("DEPLOYED", { lastDeploymentDate: "2026-11-21T10:00:00Z" }), true],
    ["something is under way", statusOf("BUILDING"), true],
  ])("when %s", async (_name, status, landed) => {
    expect((await traced(status)).is).toBe(landed ? "landed" : "absent");
  });

  it("is not decided by a failed read", async () => {
    await expect(traced("Server")).rejects.toThrow(ApiError);
  });

  it("is remembered with what it included, if it landed", async () => {
    const before = { runState: "Stopped", lastDeployment: deployment(), written: { revision: 2 } } as const;
    const context = contextWith({ memory: before });
    const fresh = statusOf("DEPLOYMENT_QUEUED", { deploymentRequestId: REQUEST });
    const { requestId: _old, ...marked } = MARK;
    const shown = { state: "DEPLOYMENT_QUEUED", startedAt: NOW.toISOString(), requestId: REQUEST };
    const lastDeployment = { gitCommitId: OTHER_COMMIT, ...marked, ...shown };
    const memory = { runState: "Running", written: { revision: 2 }, lastDeployment };
    expect(await application.trace(intentOf({}), context, platform(fresh))).toMatchObject({ known: [{ memory }] });
    // A request that was shown before belongs to somebody else.
    const found = await application.trace(intentOf({}), context, platform(statusOf("BUILDING")));
    expect(found).toMatchObject(building(OTHER_COMMIT));
    expect(JSON.stringify(found)).not.toContain(`"requestId":"${OLD_REQUEST}"`);
  });

  it("is decided by a baseline with few members", async () => {
    for (const mark of [null, {}, "text", { settings: "many", variablesAt: 1, retry: {} }]) {
      expect(await traced(statusOf("BUILDING"), { mark, commit: COMMIT })).toMatchObject(building(COMMIT));
    }
  });
});

/** The mark of a request that was made while the service showed this. */
const markIn = (...shown: Parameters<typeof statusOf>) => requestMark(contextWith(), statusOf(...shown));
const [another, later] = [{ deploymentRequestId: REQUEST }, { lastDeploymentDate: "2026-11-21T10:00:00Z" }];
const run = { executionId: "run-2" };

describe("a stop landed", () => {
  it.each<[string, string, ServiceStatus, boolean]>([
    ["it is queued", "DEPLOYED", statusOf("STOP_QUEUED"), true],
    ["it is under way", "DEPLOYED", statusOf("WAITING_STOPPING"), true],
    ["it is done", "DEPLOYED", statusOf("STOPPED"), true],
    ["it failed", "DEPLOYED", statusOf("STOP_ERROR"), true],
    ["nothing happened", "DEPLOYED", statusOf("DEPLOYED"), false],
    ["others deploy", "DEPLOYED", statusOf("DEPLOYING", run), false],
    ["an earlier stop had failed", "STOP_ERROR", statusOf("STOP_ERROR"), false],
    ["it failed after an earlier one, as another request", "STOP_ERROR", statusOf("STOP_ERROR", another), true],
    ["it failed after an earlier one, in another run", "STOP_ERROR", statusOf("STOP_ERROR", run), true],
    ["it failed after an earlier one, at another time", "STOP_ERROR", statusOf("STOP_ERROR", later), true],
    ["it is under way after a failed one", "STOP_ERROR", statusOf("STOPPING"), true],
    ["it is done after a failed one", "STOP_ERROR", statusOf("STOPPED"), true],
  ])("where %s, after %s", async (_what, before, status, landed) => {
    const intent = openIntent("stopApplication", { ...target, mark: markIn(before) });
    const known = [{ memory: { runState: "Stopped" } }];
    const found = await application.trace(intent, contextWith(), platform(status));
    expect(found).toMatchObject(landed ? { is: "landed", known } : { is: "absent" });
  });
});

describe("a deployment landed", () => {
  it.each<[string, string, ServiceStatus, boolean]>([
    ["it is under way", "DEPLOYMENT_ERROR", statusOf("BUILDING"), true],
    ["it failed in another run", "DEPLOYMENT_ERROR", statusOf("DEPLOYMENT_ERROR", run), true],
    ["it failed as another request", "BUILD_ERROR", statusOf("BUILD_ERROR", another), true],
    [
      "it waits in the queue of a stopped service",
      "STOPPED",
      statusOf("STOPPED", { deploymentRequestsCount: 1 }),
      true,
    ],
    ["the service is still stopped", "STOPPED", statusOf("STOPPED"), false],
    ["an earlier one had failed", "DEPLOYMENT_ERROR", statusOf("DEPLOYMENT_ERROR"), false],
    ["an earlier build had failed", "BUILD_ERROR", statusOf("BUILD_ERROR"), false],
    ["other work goes on", "DEPLOYING", statusOf("EXECUTING"), false],
    ["others stop the service", "DEPLOYED", statusOf("STOPPING", run), false],
    ["others stopped the service", "DEPLOYED", statusOf("STOPPED", run), false],
    ["others restart the service", "DEPLOYED", statusOf("RESTARTING"), false],
    ["others delete the service", "DEPLOYED", statusOf("WAITING_DELETING"), false],
    ["others stopped the service after it", "DEPLOYED", statusOf("STOPPED", { ...run, ...another }), true],
  ])("where %s, after %s", async (_what, before, status, landed) => {
    const found = await application.trace(intentOf({ mark: markIn(before) }), contextWith(), platform(status));
    expect(found.is).toBe(landed ? "landed" : "absent");
  });
});

it("a create is unread where its list is not answered", async () => {
  const list = () => Promise.reject(new ApiError("listApplications", { is: "BadResponse" }, 200, "said"));
  const intent = openIntent("createApplication", { creates: true, parentId: ENVIRONMENT, name: "api" });
  const fresh = contextWith({ id: undefined, identitySource: undefined, surface: "Full" });
  const found = await application.trace(intent, fresh, platformWith({ applications: { list } }));
  const message = expect.stringContaining('"api", and it does not answer listApplications') as string;
  expect(found).toMatchObject({ is: "unread", why: { reason: "CreateResultUnknown", message } });
});
