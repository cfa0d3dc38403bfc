import { describe, expect, it } from "vitest";

import { openIntent } from "../../../test/support/kinds/contexts.ts";
import { operationContext, TARGET } from "../../../test/support/kinds/operation-contexts.ts";
import { platformOn } from "../../../test/support/kinds/supports.ts";
import type { Json } from "../../engine/contract/kind.ts";
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { operation } from "./index.ts";
import { NOTHING_OBSERVED, type OperationContext } from "./model.ts";
import { markOf, traceRequest } from "./trace.ts";

/** A platform that answers these states of the target, and 404 to every other read. */
function answeringPlatform(shown: { application?: ServiceStatus; cluster?: ClusterStatus }): Platform {
  const answer = async <T>(value: T | undefined): Promise<T> => {
    if (value === undefined) throw new ApiError("x", { is: "NotFound" }, 404, "not found");
    return await Promise.resolve(value);
  };
  return platformOn("Full", {
    applications: { status: () => answer(shown.application) },
    clusters: { status: () => answer(shown.cluster), list: () => answer(undefined) },
    databases: { get: () => answer(undefined) },
  });
}

const service = (state: string, more: Partial<ServiceStatus> = {}): ServiceStatus => {
  return { id: TARGET, state, lastDeploymentDate: "2026-11-20T10:00:00Z", deploymentRequestsCount: 0, ...more };
};
const cluster = (status: string, more: Partial<ClusterStatus> = {}): ClusterStatus => {
  return { clusterId: TARGET, status, lastExecutionId: "one", ...more };
};
const intentOf = (op: string, mark: Json) => openIntent(op, { parentId: TARGET, mark });

const REQUEST = "00000000-0000-4000-8000-0000000000d1";
const deploy = { type: "DeployApplication", applicationRef: { name: "api" }, gitCommitId: "1a2b3c4" };
const stopCluster = { type: "StopCluster", clusterRef: { name: "main" } };
const upgrade = { type: "UpgradeCluster", clusterRef: { name: "main" } };

describe("[A4] an unconfirmed request", () => {
  const later = { lastDeploymentDate: "2026-11-21T10:00:00Z" };
  const another = { deploymentRequestId: REQUEST };

  it.each<[string, ServiceStatus, ServiceStatus, "landed" | "absent" | "unknowable"]>([
    ["as before", service("DEPLOYED"), service("DEPLOYED"), "absent"],
    ["at work", service("DEPLOYED"), service("BUILDING"), "landed"],
    ["deployed since", service("DEPLOYED"), service("DEPLOYED", later), "landed"],
    ["failed, with another request", service("DEPLOYED"), service("BUILD_ERROR", another), "landed"],
    ["failed as before", service("BUILD_ERROR"), service("BUILD_ERROR"), "absent"],
    ["running, which it did not", service("STOPPED"), service("DEPLOYED"), "landed"],
    ["queued behind others", service("DEPLOYING"), service("DEPLOYING", { deploymentRequestsCount: 2 }), "landed"],
    ["at work as before", service("DEPLOYING"), service("DEPLOYING"), "unknowable"],
  ])("is found by an application that is %s", async (_title, before, after, is) => {
    const intent = intentOf("deployApplication", markOf({ ...NOTHING_OBSERVED, status: before }));
    const found = await traceRequest(intent, operationContext(deploy), answeringPlatform({ application: after }));
    expect(found.is).toBe(is);
  });

  it("is followed by the request that the service shows", async () => {
    const before = { ...NOTHING_OBSERVED, status: service("DEPLOYED") };
    const api = answeringPlatform({ application: service("DEPLOYING", { deploymentRequestId: REQUEST }) });
    const found = await traceRequest(intentOf("deployApplication", markOf(before)), operationContext(deploy), api);
    const memory = { request: { requestId: REQUEST, state: "DEPLOYING" }, startedAt: expect.any(String) };
    expect(found).toMatchObject({ is: "landed", known: [{ memory }] });
  });

  it("counts as failed once it is certain that it was not executed, and is over at its limit", async () => {
    const intent = intentOf("deployApplication", markOf({ ...NOTHING_OBSERVED, status: service("DEPLOYED") }));
    const api = answeringPlatform({ application: service("DEPLOYED") });
    const first = await traceRequest(intent, operationContext({ ...deploy, backoffLimit: 1 }), api);
    expect(first).toMatchObject({ is: "absent", memory: { failedRequests: 1 } });
    expect(first).not.toHaveProperty("memory.outcome");
    const again = operationContext({ ...deploy, backoffLimit: 1 }, { memory: { failedRequests: 1 } });
    const second = await traceRequest(intent, again, api);
    expect(second).toMatchObject({ is: "absent", memory: { outcome: { result: "Failed" } } });
  });

  it.each<[string, Readonly<Record<string, unknown>>, ClusterStatus, ClusterStatus, "landed" | "absent"]>([
    ["as before", stopCluster, cluster("DEPLOYED"), cluster("DEPLOYED"), "absent"],
    ["at work", stopCluster, cluster("DEPLOYED"), cluster("STOPPING"), "landed"],
    ["stopped", stopCluster, cluster("DEPLOYED"), cluster("STOPPED"), "landed"],
    ["upgraded", upgrade, cluster("DEPLOYED"), cluster("DEPLOYED", { lastExecutionId: "two" }), "landed"],
    ["not upgraded", upgrade, cluster("DEPLOYED"), cluster("DEPLOYED"), "absent"],
  ])("is found by a cluster that is %s", async (_title, spec, before, after, is) => {
    const intent = intentOf("x", markOf({ ...NOTHING_OBSERVED, cluster: before }));
    const context = operationContext(spec, { surface: "Full" });
    const found = await traceRequest(intent, context, answeringPlatform({ cluster: after }));
    expect(found.is).toBe(is);
    expect(JSON.stringify(found).includes('"outcome"')).toBe(false);
  });

  it.each([
    ["to stop a database", { type: "StopDatabase", databaseRef: { name: "orders" } }, true],
    ["to stop a cluster", stopCluster, true],
    ["to send the invoices", { type: "SendInvoices" }, false],
  ])("%s, where nothing shows it, may be sent once more or not, and is over then", async (_title, spec, expected) => {
    const [intent, context] = [intentOf("x", markOf(NOTHING_OBSERVED)), operationContext(spec)];
    const found = await traceRequest(intent, context, answeringPlatform({}));
    expect(found.is === "unknowable" && found.repeatable === true).toBe(expected);
    const repeated = await traceRequest({ ...intent, repetition: true }, context, answeringPlatform({}));
    const outcome = { result: "Unknown", reason: "OperationResultUnknown" };
    expect(repeated).toMatchObject({ is: "landed", known: [{ memory: { outcome } }] });
  });
});

const OTHER = "00000000-0000-4000-8000-0000000000e2";
const STARTED = "2026-11-21T09:59:00Z";
const before: ServiceStatus = { id: TARGET, state: "DEPLOYED", lastDeploymentDate: "2026-11-20T10:00:00Z" };

/** The target has not changed; the object that has its name now was just deployed. */
const applications = {
  status: (id: string) =>
    Promise.resolve(id === TARGET ? before : { ...before, id, lastDeploymentDate: "2026-11-21T09:59:30Z" }),
  deploy: (id: string) => Promise.resolve({ ...before, id, state: "DEPLOYMENT_QUEUED" }),
};
const platform = platformOn("Full", { applications });

const context = (memory: OperationContext["memory"]): OperationContext =>
  operationContext(deploy, { memory, inputs: { targetId: OTHER } });

describe("an operation whose target was replaced under its name", () => {
  const started = { startedAt: STARTED, targetId: TARGET };

  it("traces an unconfirmed request at the target that it was sent to", async () => {
    const open = openIntent("deployApplication", { mark: markOf({ ...NOTHING_OBSERVED, status: before }) });
    expect((await operation.trace(open, context(started), platform)).is).toBe("absent");
  });

  it("follows an accepted request at the target that it was sent to, and keeps reporting that target", async () => {
    const request = { startedAt: STARTED, baseline: JSON.stringify([before.lastDeploymentDate, null, null]) };
    const following = context({ ...started, request });
    const observed = await operation.observe(following, platform);
    expect(observed).toMatchObject({ status: { id: TARGET } });
    expect(operation.report(following, observed).status).toMatchObject({ targetId: TARGET });
    expect(operation.plan(following, observed).is).toBe("waiting");
  });

  it("is carried out on the object that has the name when it begins", async () => {
    const waiting = context(started);
    const observed = await operation.observe(waiting, platform);
    const planned = operation.plan(waiting, observed);
    if (planned.is !== "step") throw new Error("nothing is to be done");
    const { memory } = await operation.act(planned.step, waiting, observed, platform);
    expect(memory).toMatchObject({ targetId: OTHER });
    expect(operation.report(context(memory), observed).status).toMatchObject({ targetId: OTHER });
  });
});
