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
  passWith,
  print,
  REQUEST,
  statusOf,
} from "../../../test/support/services/applications.ts";
import type { OpenIntent } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { serviceBaseline } from "../service/trace.ts";
import { application } from "./index.ts";

/** A platform that answers a read of the status with it, or with a failure. */
function platform(answer: ServiceStatus | ApiFailure["is"]): Platform {
  const status = () =>
    typeof answer === "object"
      ? Promise.resolve(answer)
      : Promise.reject(new ApiError("getApplicationStatus", { is: answer } as ApiFailure, 0, "said"));
  return platformWith({ applications: { status } });
}

const sent = { settings: 2, variables: print("v"), retry: "now" };
const MARK = { baseline: serviceBaseline(statusOf("DEPLOYED")), requestId: OLD_REQUEST, ...sent };
const target = { parentId: ENVIRONMENT, id: APPLICATION };
const intentOf = (change: Partial<OpenIntent>): OpenIntent =>
  openIntent("deployApplication", { ...target, commit: OTHER_COMMIT, mark: MARK, ...change });

describe("whether a deployment landed", () => {
  const traced = (status: ServiceStatus | ApiFailure["is"], intent: Partial<OpenIntent> = {}) =>
    application.trace(intentOf(intent), passWith(), platform(status));
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

  it("and if so, what it included", async () => {
    const before = { runState: "Stopped", lastDeployment: deployment(), written: { revision: 2 } } as const;
    const context = passWith({ memory: before });
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
    for (const mark of [null, {}, "text", { settings: "many", variables: 1, retry: {} }]) {
      expect(await traced(statusOf("BUILDING"), { mark, commit: COMMIT })).toMatchObject(building(COMMIT));
    }
  });
});

it.each(["STOP_QUEUED", "WAITING_STOPPING", "STOPPED", "DEPLOYED"])("a stop may have led to %s", async (state) => {
  const found = await application.trace(openIntent("stopApplication", target), passWith(), platform(statusOf(state)));
  const known = [{ memory: { runState: "Stopped" } }];
  expect(found).toMatchObject(state === "DEPLOYED" ? { is: "absent" } : { is: "landed", known });
});

it("a create is unread where its list is not answered", async () => {
  const list = () => Promise.reject(new ApiError("listApplications", { is: "BadResponse" }, 200, "said"));
  const intent = openIntent("createApplication", { creates: true, parentId: ENVIRONMENT, name: "api" });
  const fresh = passWith({ id: undefined, identitySource: undefined, surface: "Full" });
  const found = await application.trace(intent, fresh, platformWith({ applications: { list } }));
  const message = expect.stringContaining('"api", and it does not answer listApplications') as string;
  expect(found).toMatchObject({ is: "unread", why: { reason: "CreateResultUnknown", message } });
});
