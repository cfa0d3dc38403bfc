import { describe, expect, it } from "vitest";

import {
  deployment,
  ENVIRONMENT,
  openDeployment,
  passWith,
  record,
  REQUEST,
  seenFull,
  statusOf,
} from "../../../test/support/services/databases.ts";
import { database } from "./index.ts";
import { NOTHING_SEEN, type Seen } from "./model.ts";
import { NO_REQUEST } from "./reported.ts";

type Change = Parameters<typeof passWith>[0];

const conditionsOf = (change: Change, seen: Seen): readonly string[] =>
  database.report(passWith(change), seen).conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);

const unseen: Seen = { ...NOTHING_SEEN, status: { id: "x", state: "" }, unseen: NO_REQUEST };

describe("the report on a database", () => {
  it("holds what the platform's record holds", () => {
    const shown = { createdAt: "2026-11-20T10:00:00.123456Z", updatedAt: "2026-11-21T09:00:00Z" };
    expect(database.report(passWith(), seenFull("DEPLOYED", shown)).status).toMatchObject({
      state: "DEPLOYED",
      serviceDeploymentStatus: "UP_TO_DATE",
      environmentId: ENVIRONMENT,
      name: "main",
      type: "POSTGRESQL",
      mode: "CONTAINER",
      version: "16",
      ...shown,
      lastDeployment: { state: "DEPLOYED" },
    });
  });

  it.each<[string, Change, Seen, readonly string[]]>([
    ["one that runs", {}, seenFull("DEPLOYED"), ["Deployed True DEPLOYED", "UpToDate True UpToDate"]],
    ["one that is stopped", {}, seenFull("STOPPED"), ["Deployed False STOPPED", "UpToDate True UpToDate"]],
    [
      "one whose settings wait",
      { memory: { written: { revision: 1 } } },
      seenFull("DEPLOYED"),
      ["Deployed True DEPLOYED", "UpToDate False DeployPending"],
    ],
    [
      "one that failed",
      { memory: { lastDeployment: deployment({ state: "DEPLOYMENT_ERROR" }) } },
      seenFull("DEPLOYMENT_ERROR"),
      ["Deployed False DEPLOYMENT_ERROR", "UpToDate False DeployPending"],
    ],
    [
      "one that need not run yet",
      { spec: { runState: "Stopped" }, memory: { lastDeployment: undefined } },
      seenFull("READY", {}, { status: statusOf("READY", { serviceDeploymentStatus: "NEVER_DEPLOYED" }) }),
      ["Deployed False READY"],
    ],
    ["one whose state is not shown", { surface: "Documented" }, unseen, ["Deployed Unknown NotObservable"]],
    [
      "one whose state is no reason",
      {},
      seenFull("so so"),
      ["Deployed Unknown UnknownState", "UpToDate True UpToDate"],
    ],
    ["one that is not ours yet", { identitySource: "claimed" }, seenFull("DEPLOYED"), []],
    [
      "a managed one of a listed type",
      { spec: { mode: "MANAGED" }, identitySource: "claimed" },
      { ...seenFull("DEPLOYED"), types: ["postgresql"] },
      ["TypeKnown True TypeListed"],
    ],
    [
      "a managed one of an unlisted type",
      { spec: { mode: "MANAGED" }, identitySource: "claimed" },
      { ...seenFull("DEPLOYED"), types: [] },
      ["TypeKnown False TypeNotListed"],
    ],
    [
      "a managed one whose type was looked up before",
      {
        spec: { mode: "MANAGED" },
        identitySource: "claimed",
        memory: { typeCheck: { type: "POSTGRESQL", listed: true } },
      },
      seenFull("DEPLOYED"),
      ["TypeKnown True TypeListed"],
    ],
    [
      "a managed one of which another type was looked up",
      { spec: { mode: "MANAGED" }, identitySource: "claimed", memory: { typeCheck: { type: "REDIS", listed: true } } },
      seenFull("DEPLOYED"),
      [],
    ],
    ["one that is not managed", { identitySource: "claimed" }, { ...seenFull("DEPLOYED"), types: [] }, []],
  ])("has the conditions of %s", (_name, change, seen, expected) => {
    expect(conditionsOf(change, seen)).toEqual(expected);
  });

  it.each<[string, Change, Seen, object]>([
    [
      "a setting",
      {},
      seenFull("DEPLOYED", { version: "15" }),
      { path: "spec.version", desired: '"16"', observed: '"15"' },
    ],
    [
      "a change that is not ours",
      {},
      seenFull("DEPLOYED", {}, { status: statusOf("DEPLOYED", { serviceDeploymentStatus: "OUT_OF_DATE" }) }),
      { path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" },
    ],
    ["a stop", {}, seenFull("STOPPED"), { path: "spec.runState", desired: "Running", observed: "Stopped" }],
    [
      "a start",
      { spec: { runState: "Stopped" }, memory: { runState: "Stopped" } },
      seenFull("DEPLOYED"),
      { path: "spec.runState", desired: "Stopped", observed: "Running" },
    ],
  ])("tells %s as drift", (_name, change, seen, expected) => {
    expect(database.report(passWith(change), seen).drift).toEqual([expected]);
  });

  it("compares nothing where nothing is shown", () => {
    expect(database.report(passWith({ surface: "Documented" }), unseen)).not.toHaveProperty("drift");
    expect(database.report(passWith(), seenFull("DEPLOYED")).drift).toEqual([]);
  });

  it("keeps a failure until a deployment succeeds, with the time that it was first seen", () => {
    const open = { memory: { lastDeployment: openDeployment() } };
    const request = { status: "DEPLOYMENT_ERROR" };
    const first = database.report(passWith(open), seenFull("DEPLOYED", {}, { request })).status;
    expect(first).toMatchObject({
      lastDeployment: { state: "DEPLOYMENT_ERROR", finishedAt: "2026-11-21T10:00:00.400Z" },
      lastFailure: { state: "DEPLOYMENT_ERROR", requestId: REQUEST, at: "2026-11-21T10:00:00.400Z" },
    });
    const lastFailure = {
      state: "DEPLOYMENT_ERROR",
      message: "old words",
      requestId: REQUEST,
      at: "2026-11-21T08:00:00.000Z",
    };
    const lastDeployment = deployment({ state: "DEPLOYMENT_ERROR", requestId: REQUEST });
    const later = database.report(
      passWith({ memory: { lastFailure, lastDeployment } }),
      seenFull("DEPLOYMENT_ERROR"),
    ).status;
    expect(later["lastFailure"]).toMatchObject({ at: "2026-11-21T08:00:00.000Z" });
    expect(database.report(passWith({ memory: { lastFailure } }), seenFull("BUILDING")).status["lastFailure"]).toEqual(
      lastFailure,
    );
    expect(
      database.report(passWith({ memory: { lastFailure } }), seenFull("DEPLOYED")).status["lastFailure"],
    ).toBeUndefined();
  });

  it("forgets an order to stop once it is over", () => {
    const memory = { stopping: "[null,null,null]", stopRequestId: REQUEST, runState: "Stopped" } as const;
    const of = (state: string) =>
      database.report(passWith({ spec: { runState: "Stopped" }, memory }), seenFull(state)).status;
    expect(of("STOPPING")).toMatchObject({ stopping: memory.stopping, stopRequestId: REQUEST });
    expect(of("STOPPED")).toMatchObject({ stopping: undefined, stopRequestId: undefined });
  });

  it("cuts what is too long for a status", () => {
    const { version } = database.report(passWith(), {
      ...NOTHING_SEEN,
      status: statusOf("DEPLOYED"),
      siblings: [record({ version: "x".repeat(5_000) })],
    }).status;
    expect(version).toHaveLength(1_024);
  });
});
