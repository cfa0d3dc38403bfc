import { describe, expect, it } from "vitest";

import { operationContext, TARGET } from "../../../test/support/kinds/operation-contexts.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { rejection } from "./act.ts";
import { type OperationMemory, platformOperation } from "./crd.ts";
import { externalWrites, operation } from "./index.ts";
import { NOTHING_OBSERVED, type Observed } from "./model.ts";
import { outcomeOf } from "./outcome.ts";
import { targetBaseline } from "./progress.ts";

const deploy = { type: "DeployApplication", applicationRef: { name: "api" }, gitCommitId: "1a2b3c4" };
const stop = { type: "StopDatabase", databaseRef: { name: "orders" } };
const stopCluster = { type: "StopCluster", clusterRef: { name: "main" } };
const REQUEST = "00000000-0000-4000-8000-0000000000d1";
const STARTED = "2026-11-21T09:59:00Z";

const accepted = (spec: unknown) =>
  operationContext(spec, { memory: { startedAt: STARTED, request: { requestId: REQUEST, startedAt: STARTED } } });
const requestIn = (state: string): Observed => ({
  ...NOTHING_OBSERVED,
  request: { deploymentRequestId: REQUEST, environmentId: TARGET, status: state },
});

describe("the end of an operation", () => {
  it.each([
    ["DEPLOYED", deploy, "Complete", "Completed"],
    ["BUILD_ERROR", deploy, "Failed", "BuildFailed"],
    ["CANCELED", deploy, "Failed", "Canceled"],
    ["STOPPED", deploy, "Unknown", "OperationResultUnknown"],
    ["STOPPED", stop, "Complete", "Completed"],
    ["STOP_ERROR", stop, "Failed", "StopFailed"],
    ["DEPLOYED", stop, "Unknown", "OperationResultUnknown"],
  ])("follows from %s", (state, spec, result, reason) => {
    const outcome = outcomeOf(accepted(spec), requestIn(state));
    expect(outcome).toMatchObject({ result, reason, at: "2026-11-21T10:00:00.000Z" });
  });

  it.each(["BUILDING", "QUEUED", "UNAVAILABLE", "NOBODY_KNOWS", ""])("does not follow from %s", (state) => {
    expect(outcomeOf(accepted(deploy), requestIn(state))).toBeUndefined();
  });

  it.each([
    ["Observed", undefined, undefined],
    [undefined, undefined, "Accepted"],
    ["Accepted", undefined, "Accepted"],
    ["Accepted", REQUEST, "Accepted"],
  ])("of a request that nothing shows is, with completion %s and the id %s, %s", (completion, requestId, reason) => {
    const memory = { startedAt: STARTED, request: { startedAt: STARTED, requestId } };
    const end = outcomeOf(operationContext({ ...stop, completion }, { memory }), NOTHING_OBSERVED);
    expect(end?.reason).toBe(reason);
    expect(end?.message.includes("its end is not waited for") ?? false).toBe(requestId !== undefined);
  });

  it("of an upgrade follows from the state alone, once the cluster was observed at work", () => {
    const shown = (status: string): Observed => ({ ...NOTHING_OBSERVED, cluster: { clusterId: TARGET, status } });
    const spec = { type: "UpgradeCluster", clusterRef: { name: "main" } };
    const request = { startedAt: STARTED, baseline: targetBaseline(shown("DEPLOYED")) };
    const context = operationContext(spec, { surface: "Full", memory: { startedAt: STARTED, request } });
    expect(outcomeOf(context, shown("DEPLOYED"))).toBeUndefined();
    const { status } = operation.report(context, shown("DEPLOYING"));
    const later = { ...context, memory: platformOperation.memory.parse(status) };
    expect(outcomeOf(later, shown("DEPLOYED"))).toMatchObject({ result: "Complete", reason: "Completed" });
  });

  it.each<[string, object, Observed]>([
    ["database", stop, { ...NOTHING_OBSERVED, status: { id: TARGET, state: "STOPPED" } }],
    ["cluster", stopCluster, { ...NOTHING_OBSERVED, cluster: { clusterId: TARGET, status: "STOPPED" } }],
  ])("of a stop of a %s that was stopped before follows from the state", (_noun, spec, shown) => {
    const request = { startedAt: STARTED, baseline: targetBaseline(shown) };
    const context = operationContext(spec, { surface: "Full", memory: { startedAt: STARTED, request } });
    expect(outcomeOf(context, shown)).toMatchObject({ result: "Complete", reason: "Completed" });
    expect(operation.report(context, shown).status).toMatchObject({ request: { state: "STOPPED" } });
  });

  it("of a stop does not follow from the state while its request runs", () => {
    const status = { id: TARGET, state: "STOPPED" };
    expect(outcomeOf(accepted(stop), { ...requestIn("STOP_QUEUED"), status })).toBeUndefined();
  });

  const DEADLINE = new Date("2026-11-21T12:59:00Z");
  const before = { deadline: DEADLINE, now: new Date(DEADLINE.getTime() - 1) };
  const after = { deadline: DEADLINE, now: DEADLINE };

  it("of a request that was sent is unknown at the deadline, and not before", () => {
    const context = accepted(deploy);
    const at = ({ now, deadline }: typeof after) => ({ ...context, now, policies: { ...context.policies, deadline } });
    expect(outcomeOf(at(before), requestIn("BUILDING"))).toBeUndefined();
    const end = { result: "Unknown", reason: "DeadlineExceeded", message: expect.stringContaining("is not known") };
    expect(outcomeOf(at(after), requestIn("BUILDING"))).toMatchObject(end);
    // Nothing shows it any more, neither the request nor the service.
    expect(outcomeOf(at(after), NOTHING_OBSERVED)).toMatchObject(end);
    expect(outcomeOf(at(after), requestIn("DEPLOYED"))).toMatchObject({ result: "Complete" });
    expect(outcomeOf(at(after), requestIn("BUILD_ERROR"))).toMatchObject({ result: "Failed", reason: "BuildFailed" });
    expect(operation.report(at(after), NOTHING_OBSERVED).conditions).toMatchObject([
      { type: "Complete", status: "Unknown", reason: "DeadlineExceeded" },
    ]);
  });

  it("of a request that was not sent is a failure at the deadline, and nothing is sent any more", () => {
    const at = (when: object) => operationContext(deploy, when);
    expect(operation.plan(at(before), NOTHING_OBSERVED)).toMatchObject({ is: "step" });
    expect(outcomeOf(at(after), NOTHING_OBSERVED)).toMatchObject({ result: "Failed", reason: "DeadlineExceeded" });
    expect(operation.plan(at(after), NOTHING_OBSERVED)).toMatchObject({ is: "stalled" });
  });

  it("is known at the deadline where nothing can be resolved", () => {
    const { spec, memory, now } = accepted(stop);
    const end = (of: OperationMemory, isSent: boolean) => operation.oneShot?.overdue(spec, of, { now, isSent });
    const ready = { reason: "DeadlineExceeded" };
    const ending = (result: string) => ({ ready, status: { outcome: { result, ...ready } } });
    expect(end({ startedAt: STARTED }, false)).toMatchObject(ending("Failed"));
    expect(end({ startedAt: STARTED }, true)).toMatchObject(ending("Unknown"));
    expect(end(memory, false)).toMatchObject(ending("Unknown"));
    const brief = operation.oneShot?.overdue({ ...spec, ttlSecondsAfterFinished: 90 }, memory, { now, isSent: true });
    expect(brief).toMatchObject({ status: { expiresAt: "2026-11-21T10:01:30.000Z" } });
    expect(operation.oneShot?.limitMs({ ...spec, activeDeadlineSeconds: 600 })).toBe(600_000);
  });

  it("is the recorded one, whatever is observed", () => {
    const outcome = { result: "Complete", reason: "Completed", message: "Done.", at: STARTED } as const;
    const context = operationContext(deploy, { memory: { outcome } });
    expect(outcomeOf(context, requestIn("BUILD_ERROR"))).toEqual(outcome);
    expect(operation.plan(context, NOTHING_OBSERVED)).toEqual({ is: "settled" });
  });

  it.each([
    [{ result: "Succeeded", reason: "NewReason" }, "2026-11-21T10:00:00Z", new Date("2026-11-21T10:00:00Z")],
    [{ result: 7 }, "whenever", undefined],
    [{}, undefined, undefined],
  ])("was reached, as %j says, and expires at %s", (outcome, expiresAt, expected) => {
    const memory = platformOperation.memory.parse({ outcome, expiresAt });
    expect(operation.oneShot?.over(memory)).toEqual({ expiresAt: expected });
    expect(memory.outcome).toMatchObject({ result: "Failed", reason: "OperationResultUnknown" });
  });
});

it.each([
  ["a policy blocks it", { blockedOperations: new Set(["deployApplication"]) }, "WithheldByPolicy"],
  ["its status was lost", { started: true }, "OperationResultUnknown"],
])("an operation is not carried out where %s", (_title, change, reason) => {
  const stalled = { is: "stalled", why: { reason } };
  expect(operation.plan(operationContext(deploy, change), NOTHING_OBSERVED)).toMatchObject(stalled);
});

describe("a failed request", () => {
  const shown = (state: string): Observed => ({ ...NOTHING_OBSERVED, status: { id: TARGET, state } });
  it.each<[string, Observed, ApiFailure["is"] & ("Conflict" | "Invalid"), string, string]>([
    ["is stopped, whatever the message", shown("STOPPED"), "Conflict", "Nothing runs there", "Complete"],
    ["is stopped, whatever the status", shown("STOPPED"), "Invalid", "InvalidAction", "Complete"],
    ["runs, whatever the message", shown("DEPLOYED"), "Invalid", "It is already stopped", "Failed"],
    ["is not shown, by the message", NOTHING_OBSERVED, "Conflict", "It is already stopped", "Complete"],
    ["is not shown, nor by the message", NOTHING_OBSERVED, "Invalid", "Nothing runs there", "Failed"],
  ])("to stop a database that %s", (_name, observed, is, message, result) => {
    const error = new ApiError("stopDatabase", { is }, is === "Conflict" ? 409 : 400, message);
    const known = operation.oneShot?.refused(error, operationContext({ ...stop, backoffLimit: 0 }), observed);
    const words = result === "Failed" ? message : "The database was stopped before.";
    expect(known?.memory.outcome).toMatchObject({ result, message: expect.stringContaining(words) });
  });

  it("is counted and sent again, and is the end at the limit", () => {
    const error = new ApiError("stopDatabase", { is: "Invalid" }, 400, "no");
    const after = (failedRequests?: number) => {
      const context = operationContext({ ...stop, backoffLimit: 2 }, { memory: { failedRequests } });
      return { ...context, memory: operation.oneShot?.refused(error, context, shown("DEPLOYED"))?.memory ?? {} };
    };
    expect(after(1)).toMatchObject({ memory: { failedRequests: 2 } });
    expect(operation.plan(after(1), shown("DEPLOYED"))).toMatchObject({ is: "step" });
    expect(after(2)).toMatchObject({ memory: { outcome: { result: "Failed", reason: "OperationRejected" } } });
    expect(operation.plan(after(2), shown("DEPLOYED"))).toMatchObject({ is: "stalled" });
  });

  it.each([
    ["at first", undefined, 2_000],
    ["after ten seconds", "2026-11-21T09:59:50Z", 5_000],
    ["after an hour", "2026-11-21T09:00:00Z", 60_000],
  ])("that other work is in the way of is sent again after a growing wait: %s", (_title, startedAt, again) => {
    const context = operationContext(stop, { memory: { startedAt } });
    const error = new ApiError("stopDatabase", { is: "Conflict" }, 409, "Operation is in progress");
    const known = operation.oneShot?.refused(error, context, shown("DEPLOYED"));
    const later = { ...context, memory: known?.memory ?? {} };
    expect(operation.plan(later, known?.observed ?? NOTHING_OBSERVED)).toMatchObject({ is: "waiting", again });
  });

  it.each<[ApiFailure, number, string | undefined, boolean]>([
    [{ is: "Conflict" }, 409, "OperationRejected", false],
    [{ is: "Invalid" }, 400, "OperationRejected", false],
    [{ is: "Invalid" }, 422, "OperationRejected", true],
    [{ is: "NotFound" }, 404, "ExternalResourceDeleted", true],
    [{ is: "NotSupported" }, 405, "NotSupportedByApi", true],
    [{ is: "Refused" }, 0, "InvalidSpec", true],
    [{ is: "Forbidden" }, 403, undefined, false],
    [{ is: "OutcomeUnknown" }, 502, undefined, false],
  ])("of the kind %j (%i)", (failure, status, reason, isFinal) => {
    const rejected = rejection(new ApiError("stopDatabase", failure, status, "no"), "database");
    expect(rejected?.why.reason).toBe(reason);
    expect(rejected?.isFinal ?? false).toBe(isFinal);
  });
});

describe("the external writes of an operation", () => {
  type Outcome = NonNullable<OperationMemory["outcome"]>;
  const at = "2026-11-21T10:00:00.000Z";
  const sent: OperationMemory = { targetId: TARGET, request: { startedAt: at, requestId: "r-1", state: "QUEUED" } };
  const ended = (result: Outcome["result"], reason: Outcome["reason"]): OperationMemory => ({
    ...sent,
    outcome: { result, reason, message: "", at },
  });
  const of = (spec: object, memory: OperationMemory) => externalWrites(memory, operationContext(spec).spec);
  const lastFailure = { reason: "OperationRejected", message: "no" } as const;

  it.each<[string, object, OperationMemory]>([
    ["was not sent", stop, { targetId: TARGET }],
    ["was refused", stop, { targetId: TARGET, failedRequests: 1, lastFailure }],
    ["acts upon no object", { type: "SendInvoices" }, { request: { startedAt: at } }],
  ])("is nothing where it %s", (_name, spec, memory) => {
    expect(of(spec, memory)).toEqual([]);
  });

  it("is nothing where its spec is not valid", () => {
    expect(externalWrites(sent, undefined)).toEqual([]);
  });

  it.each<[string, OperationMemory, string | undefined]>([
    ["is not known", sent, undefined],
    ["was seen", ended("Complete", "Completed"), "Completed"],
    ["is not observed", ended("Complete", "Accepted"), "Accepted"],
    ["is a failure", ended("Failed", "DeploymentFailed"), "Failed"],
    ["never came", ended("Unknown", "DeadlineExceeded"), "Unknown"],
  ])("is the request that the platform accepted, whose end %s", (_name, memory, result) => {
    const request = { requestId: "r-1", state: "QUEUED", result };
    expect(of(stop, memory)).toEqual([{ id: TARGET, at, action: { op: "stopDatabase", ...request } }]);
    expect(of(deploy, memory)).toMatchObject([{ action: { op: "deployApplication", commit: "1a2b3c4", ...request } }]);
  });
});
