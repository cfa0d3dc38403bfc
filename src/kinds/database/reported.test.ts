import { describe, expect, it } from "vitest";

import {
  DATABASE,
  deployment,
  openDeployment,
  passWith,
  REQUEST,
  observedFull,
  plannedBy,
} from "../../../test/support/services/databases.ts";
import type { ExternalAction, JsonObject } from "../../engine/contract/kind.ts";
import type { DatabaseMemory } from "./crd.ts";
import { database } from "./index.ts";
import { NOTHING_OBSERVED, type DatabaseContext } from "./model.ts";
import { followedRequest, reportedState, recordDatabaseAction } from "./reported.ts";

const MINUTE_AGO = "2026-11-21T09:59:00.000Z";
const HOUR_AGO = "2026-11-21T09:00:00.000Z";
const nothing: DatabaseMemory = { lastDeployment: undefined, state: undefined };
const stopping: DatabaseMemory = { stopping: "[null,null,null]", stopRequestId: REQUEST };
const open = (change: object = {}): DatabaseMemory => ({
  lastDeployment: openDeployment({ startedAt: MINUTE_AGO, ...change }),
  state: "DEPLOYING",
});

function toldBy(memory: DatabaseMemory, status?: string, externalId?: string): string {
  const context = passWith({ memory, spec: externalId === undefined ? {} : { externalId } });
  const { status: observed, unseen } = reportedState(context, DATABASE, status === undefined ? undefined : { status });
  return unseen === undefined ? (observed?.state ?? "nothing") : unseen.reason;
}

describe("the state of a database that cannot be read", () => {
  it.each<[string, DatabaseMemory, string | undefined, string]>([
    ["is what the request says", open(), "DEPLOYING", "DEPLOYING"],
    ["is the end of the request", open(), "DEPLOYMENT_ERROR", "DEPLOYMENT_ERROR"],
    ["is the last known one while the request is not known yet", open(), undefined, "DEPLOYING"],
    ["is queued when nothing was reported before", { ...open(), state: "READY" }, undefined, "DEPLOYMENT_QUEUED"],
    ["is not known when the request stays unknown", open({ startedAt: HOUR_AGO }), undefined, "NotObservable"],
    ["is not known without a request id", { lastDeployment: { startedAt: MINUTE_AGO } }, undefined, "NotObservable"],
    ["is what the request to stop says", stopping, "STOPPING", "STOPPING"],
    ["is not known when the request to stop is not", stopping, undefined, "NotObservable"],
    ["is not known without an id of the request to stop", { stopping: "[null,null,null]" }, undefined, "NotObservable"],
    ["is the last known one once all is over", { state: "STOPPED" }, undefined, "STOPPED"],
    ["is that of the last deployment when nothing else was reported", { state: undefined }, undefined, "DEPLOYED"],
    ["is that of a new one when it was just created", nothing, undefined, "READY"],
  ])("%s", (_name, memory, request, expected) => {
    expect(toldBy(memory, request)).toBe(expected);
  });

  it("is not known of an adopted one, however it was found", () => {
    const listed = reportedState(passWith({ memory: nothing }), DATABASE, undefined, true);
    expect([toldBy(nothing, undefined, DATABASE), listed.unseen?.reason]).toEqual(["NotObservable", "NotObservable"]);
    expect(toldBy({ ...nothing, state: "DEPLOYED" }, undefined, DATABASE)).toBe("DEPLOYED");
  });

  it("is that of a new one where a person confirms that the operator created it", () => {
    expect(toldBy({ ...database.confirmed?.(nothing) }, undefined, DATABASE)).toBe("READY");
    expect(database.confirmed?.({ ...nothing, state: "STOPPED" })).toMatchObject({ state: "STOPPED" });
  });

  it("is kept with the record of a create, for the loss of the status", () => {
    expect(database.keep?.({ ...nothing, state: "READY", version: "16" })).toEqual({ state: "READY" });
    expect(database.keep?.(nothing)).toBeUndefined();
  });

  it("is followed by the last request that has not ended", () => {
    expect(followedRequest(passWith({ memory: open() }))).toBe(REQUEST);
    expect(followedRequest(passWith({ memory: { ...stopping, lastDeployment: deployment() } }))).toBe(REQUEST);
    expect(followedRequest(passWith())).toBeUndefined();
    expect(followedRequest(passWith({ memory: nothing }))).toBeUndefined();
  });
});

const LATER = "2026-11-21T09:30:00.000Z";
const BEFORE = "2026-11-21T08:30:00.000Z";
const action = (op: string, change: Partial<ExternalAction> = {}): ExternalAction => {
  return { op, by: "shop/op", at: LATER, requestId: REQUEST, state: "STOP_QUEUED", ...change };
};
const stop = (change: Partial<ExternalAction> = {}) => action("stopDatabase", change);
const start = (change: Partial<ExternalAction> = {}) =>
  action("deployDatabase", { state: "DEPLOYMENT_QUEUED", ...change });

const unseen = (memory: DatabaseMemory = {}, spec: JsonObject = {}): DatabaseContext =>
  passWith({ surface: "Documented", memory, spec });

/** The reconcile after the action, and what it observes; `status` is that of the request. */
function after(context: DatabaseContext, done: ExternalAction, status?: string) {
  const next: DatabaseContext = { ...context, memory: recordDatabaseAction(done, context) };
  const request = status === undefined ? undefined : { status };
  return { context: next, observed: { ...NOTHING_OBSERVED, ...reportedState(next, next.id ?? "", request) } };
}

function planned(context: DatabaseContext, done: ExternalAction, status?: string): string {
  const next = after(context, done, status);
  return plannedBy(next.context, next.observed);
}

describe("a database whose state is not shown, after an operation", () => {
  const stopped: DatabaseMemory = { runState: "Stopped", state: "STOPPED" };
  const unnamed = start({ requestId: undefined });
  const wantsStopped = { runState: "Stopped" };

  it.each<[string, ExternalAction, string | undefined, DatabaseMemory, JsonObject, string]>([
    ["is followed while it is being stopped", stop(), "STOPPING", {}, {}, "waiting Stopping"],
    ["is not started again", stop(), "STOPPED", {}, {}, "stalled DriftDetected"],
    ["is not Ready without a request id", stop({ requestId: undefined }), undefined, {}, {}, "stalled DriftDetected"],
    ["is stopped, as its spec says", stop(), "STOPPED", {}, wantsStopped, "settled"],
    ["is followed while it is being deployed", start(), "DEPLOYING", {}, {}, "waiting Deploying"],
    ["runs, as its spec says", start(), "DEPLOYED", {}, {}, "settled"],
    ["was started against its spec", unnamed, undefined, stopped, wantsStopped, "stalled DriftDetected"],
    ["was deployed by itself since", stop({ at: BEFORE }), undefined, {}, {}, "settled"],
    ["shows nothing new after an action without effect on it", action("upgradeCluster"), undefined, {}, {}, "settled"],
  ])("%s", (_name, done, status, memory, spec, expected) => {
    expect(planned(unseen(memory, spec), done, status)).toBe(expected);
  });

  it("names the operation, and the drift", () => {
    const { context, observed } = after(unseen(), stop({ result: "Completed" }), "STOPPED");
    const message: unknown = expect.stringContaining("shop/op");
    expect(database.plan(context, observed)).toMatchObject({ why: { message } });
    const drift = [{ path: "spec.runState", desired: "Running", observed: "Stopped" }];
    expect(database.report(context, observed)).toMatchObject({ drift, status: { state: "STOPPED" } });
  });

  it("is started again on request, or where everything is corrected", () => {
    for (const change of [{ requested: "now" }, { corrects: "Everything" }] as const) {
      const context = passWith({ surface: "Documented", ...change });
      const expected = "corrects" in change ? "deployDatabase corrects" : "deployDatabase";
      expect(planned(context, stop(), "STOPPED")).toBe(expected);
      expect(planned(context, stop({ requestId: undefined }))).toBe(expected);
    }
  });

  it("stays unknown where its status was lost since", () => {
    const memory = { lastDeployment: undefined, state: undefined };
    const context = passWith({ surface: "Documented", memory, started: true });
    expect(recordDatabaseAction(stop(), context)).toMatchObject({ ...memory, lastOperation: { name: "shop/op" } });
  });
});

describe("what is remembered of an operation", () => {
  it.each(["Documented", "Full"] as const)("is not written twice, on %s", (surface) => {
    const context = passWith({ surface });
    const memory = recordDatabaseAction(stop(), context);
    const lastOperation = { name: "shop/op", operation: "stopDatabase", startedAt: LATER, requestId: REQUEST };
    expect(memory.lastOperation).toEqual(lastOperation);
    expect(recordDatabaseAction(stop(), { ...context, memory })).toBe(memory);
    expect(recordDatabaseAction(stop({ at: BEFORE }), { ...context, memory })).toBe(memory);
    const ended = recordDatabaseAction(stop({ result: "Completed" }), { ...context, memory });
    expect(ended).toEqual({ ...memory, lastOperation: { ...lastOperation, result: "Completed" } });
  });

  it("changes nothing else where the platform shows the state", () => {
    const context = passWith({ surface: "Full" });
    const lastOperation: unknown = expect.anything();
    expect(recordDatabaseAction(stop(), context)).toEqual({ ...context.memory, lastOperation });
  });

  it("names no operation where it was deployed since, or the stop failed", () => {
    const on = (change: Partial<ExternalAction>) => {
      const context = passWith({ surface: "Full", memory: { lastDeployment: deployment() } });
      const memory = recordDatabaseAction(stop(change), context);
      const found = database.plan({ ...context, memory }, observedFull("STOPPED"));
      return "why" in found ? found.why.message.includes("shop/op") : undefined;
    };
    expect(on({})).toBe(true);
    expect(on({ at: BEFORE })).toBe(false);
    expect(on({ result: "Failed" })).toBe(false);
  });
});
