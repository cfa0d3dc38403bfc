import { describe, expect, it } from "vitest";

import { deployment, observedFull, passWith, plannedBy, REQUEST } from "../../../test/support/services/databases.ts";
import type { ExternalAction, JsonObject } from "../../engine/contract/kind.ts";
import type { DatabaseMemory } from "./crd.ts";
import { database } from "./index.ts";
import { NOTHING_OBSERVED, type DatabaseContext } from "./model.ts";
import { recordDatabaseAction, reportedState } from "./reported.ts";

const LATER = "2026-11-21T09:30:00.000Z";
const BEFORE = "2026-11-21T08:30:00.000Z";
const action = (op: string, change: Partial<ExternalAction> = {}): ExternalAction => ({
  op,
  by: "shop/op",
  at: LATER,
  requestId: REQUEST,
  state: "STOP_QUEUED",
  ...change,
});
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
    ["runs again after it was stopped", start(), "DEPLOYED", { state: "STOPPED" }, {}, "settled"],
    ["was started against its spec", unnamed, undefined, stopped, wantsStopped, "stalled DriftDetected"],
    ["was deployed by itself since", stop({ at: BEFORE }), undefined, {}, {}, "settled"],
    ["shows nothing new after an action without effect on it", action("upgradeCluster"), undefined, {}, {}, "settled"],
  ])("%s", (_name, done, status, memory, spec, expected) => {
    expect(planned(unseen(memory, spec), done, status)).toBe(expected);
  });

  it("names the operation, and the drift", () => {
    const { context, observed } = after(unseen(), stop({ result: "Completed" }), "STOPPED");
    expect(database.plan(context, observed)).toMatchObject({
      why: { message: expect.stringContaining("shop/op") as unknown },
    });
    expect(database.report(context, observed)).toMatchObject({
      drift: [{ path: "spec.runState", desired: "Running", observed: "Stopped" }],
      status: { state: "STOPPED" },
    });
  });

  it("is started again on request, or where everything is corrected", () => {
    const context = unseen();
    const corrects = { ...context, policies: { ...context.policies, corrects: "Everything" as const } };
    for (const changed of [{ ...context, requested: "now" }, corrects]) {
      expect(planned(changed, stop(), "STOPPED")).toBe("deployDatabase");
      expect(planned(changed, stop({ requestId: undefined }))).toBe("deployDatabase");
    }
  });

  it("stays unknown where its status was lost since", () => {
    const memory = { lastDeployment: undefined, state: undefined };
    const context = unseen(memory);
    expect(recordDatabaseAction(stop(), { ...context, records: { ...context.records, started: true } })).toMatchObject({
      ...memory,
      lastOperation: { name: "shop/op" },
    });
  });
});

describe("what is remembered of an operation", () => {
  it.each(["Documented", "Full"] as const)("is not written twice, on %s", (surface) => {
    const context = passWith({ surface });
    const memory = recordDatabaseAction(stop(), context);
    expect(memory.lastOperation).toEqual({
      name: "shop/op",
      operation: "stopDatabase",
      startedAt: LATER,
      requestId: REQUEST,
    });
    expect(recordDatabaseAction(stop(), { ...context, memory })).toBe(memory);
    expect(recordDatabaseAction(stop({ at: BEFORE }), { ...context, memory })).toBe(memory);
    const ended = recordDatabaseAction(stop({ result: "Completed" }), { ...context, memory });
    expect(ended).toEqual({ ...memory, lastOperation: { ...memory.lastOperation, result: "Completed" } });
  });

  it("changes nothing else where the platform shows the state", () => {
    const context = passWith({ surface: "Full" });
    expect(recordDatabaseAction(stop(), context)).toEqual({
      ...context.memory,
      lastOperation: expect.anything() as unknown,
    });
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
