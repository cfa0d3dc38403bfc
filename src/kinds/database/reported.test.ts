import { describe, expect, it } from "vitest";

import {
  DATABASE,
  deployment,
  openDeployment,
  contextWith,
  REQUEST,
} from "../../../test/support/services/databases.ts";
import type { DatabaseMemory } from "./crd.ts";
import { database } from "./index.ts";
import { followedRequest, reportedState } from "./reported.ts";

const MINUTE_AGO = "2026-11-21T09:59:00.000Z";
const HOUR_AGO = "2026-11-21T09:00:00.000Z";
const nothing: DatabaseMemory = { lastDeployment: undefined, state: undefined };
const stopping: DatabaseMemory = { stopping: "[null,null,null]", stopRequestId: REQUEST };
const open = (change: object = {}): DatabaseMemory => ({
  lastDeployment: openDeployment({ startedAt: MINUTE_AGO, ...change }),
  state: "DEPLOYING",
});

function toldBy(memory: DatabaseMemory, status?: string, externalId?: string): string {
  const context = contextWith({ memory, spec: externalId === undefined ? {} : { externalId } });
  const { status: observed, unknownState } = reportedState(
    context,
    DATABASE,
    status === undefined ? undefined : { status },
  );
  return unknownState === undefined ? (observed?.state ?? "nothing") : unknownState.reason;
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
    const listed = reportedState(contextWith({ memory: nothing }), DATABASE, undefined, true);
    expect(toldBy(nothing, undefined, DATABASE)).toBe("NotObservable");
    expect(listed.unknownState?.reason).toBe("NotObservable");
    expect(toldBy({ ...nothing, state: "DEPLOYED" }, undefined, DATABASE)).toBe("DEPLOYED");
  });

  it("is that of a new one where a person confirms that the operator created it", () => {
    expect(toldBy({ ...nothing, ...database.adopted?.("Confirmed") }, undefined, DATABASE)).toBe("READY");
    expect(database.adopted?.("Found")).toBeUndefined();
  });

  it("is kept with the record of a create, for the loss of the status", () => {
    expect(database.keep?.({ ...nothing, state: "READY", version: "16" })).toEqual({ state: "READY" });
    expect(database.keep?.(nothing)).toBeUndefined();
  });

  it("is followed by the last request that has not ended", () => {
    expect(followedRequest(contextWith({ memory: open() }))).toBe(REQUEST);
    expect(followedRequest(contextWith({ memory: { ...stopping, lastDeployment: deployment() } }))).toBe(REQUEST);
    expect(followedRequest(contextWith())).toBeUndefined();
    expect(followedRequest(contextWith({ memory: nothing }))).toBeUndefined();
  });
});
