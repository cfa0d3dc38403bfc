import { describe, expect, it } from "vitest";

import {
  deployment,
  ENVIRONMENT,
  observedFull,
  openDeployment,
  passWith,
  record,
  REQUEST,
  statusOf,
} from "../../../test/support/services/databases.ts";
import { database } from "./index.ts";
import { NOTHING_OBSERVED, type Observed } from "./model.ts";
import { NO_REQUEST } from "./reported.ts";

type Change = Parameters<typeof passWith>[0];

const conditionsOf = (change: Change, observed: Observed): readonly string[] =>
  database
    .report(passWith(change), observed)
    .conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);

const unseen: Observed = { ...NOTHING_OBSERVED, status: { id: "x", state: "" }, unseen: NO_REQUEST };

describe("the report on a database", () => {
  it("has the members of the platform's record", () => {
    const shown = { createdAt: "2026-11-20T10:00:00.123456Z", updatedAt: "2026-11-21T09:00:00Z" };
    expect(database.report(passWith(), observedFull("DEPLOYED", shown)).status).toMatchObject({
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

  it.each<[string, Change, Observed, readonly string[]]>([
    ["one that runs", {}, observedFull("DEPLOYED"), ["Deployed True DEPLOYED", "UpToDate True UpToDate"]],
    ["one that is stopped", {}, observedFull("STOPPED"), ["Deployed False STOPPED", "UpToDate True UpToDate"]],
    [
      "one whose settings wait",
      { memory: { written: { revision: 1 } } },
      observedFull("DEPLOYED"),
      ["Deployed True DEPLOYED", "UpToDate False DeployPending"],
    ],
    [
      "one that failed",
      { memory: { lastDeployment: deployment({ state: "DEPLOYMENT_ERROR" }) } },
      observedFull("DEPLOYMENT_ERROR"),
      ["Deployed False DEPLOYMENT_ERROR", "UpToDate False DeployPending"],
    ],
    [
      "one that need not run yet",
      { spec: { runState: "Stopped" }, memory: { lastDeployment: undefined } },
      observedFull("READY", {}, { status: statusOf("READY", { serviceDeploymentStatus: "NEVER_DEPLOYED" }) }),
      ["Deployed False READY"],
    ],
    ["one whose state is not shown", { surface: "Documented" }, unseen, ["Deployed Unknown NotObservable"]],
    [
      "one whose state is no reason",
      {},
      observedFull("so so"),
      ["Deployed Unknown UnknownState", "UpToDate True UpToDate"],
    ],
    ["one that is not ours yet", { identitySource: "claimed" }, observedFull("DEPLOYED"), []],
    [
      "a managed one of a listed type",
      { spec: { mode: "MANAGED" }, identitySource: "claimed" },
      { ...observedFull("DEPLOYED"), types: ["postgresql"] },
      ["TypeKnown True TypeListed"],
    ],
    [
      "a managed one of an unlisted type",
      { spec: { mode: "MANAGED" }, identitySource: "claimed" },
      { ...observedFull("DEPLOYED"), types: [] },
      ["TypeKnown False TypeNotListed"],
    ],
    [
      "a managed one whose type was looked up before",
      {
        spec: { mode: "MANAGED" },
        identitySource: "claimed",
        memory: { typeCheck: { type: "POSTGRESQL", listed: true } },
      },
      observedFull("DEPLOYED"),
      ["TypeKnown True TypeListed"],
    ],
    [
      "a managed one of which another type was looked up",
      { spec: { mode: "MANAGED" }, identitySource: "claimed", memory: { typeCheck: { type: "REDIS", listed: true } } },
      observedFull("DEPLOYED"),
      [],
    ],
    ["one that is not managed", { identitySource: "claimed" }, { ...observedFull("DEPLOYED"), types: [] }, []],
  ])("has the conditions of %s", (_name, change, observed, expected) => {
    expect(conditionsOf(change, observed)).toEqual(expected);
  });

  it.each<[string, Change, Observed, object]>([
    [
      "a setting",
      {},
      observedFull("DEPLOYED", { version: "15" }),
      { path: "spec.version", desired: '"16"', observed: '"15"' },
    ],
    [
      "a change that is not ours",
      {},
      observedFull("DEPLOYED", {}, { status: statusOf("DEPLOYED", { serviceDeploymentStatus: "OUT_OF_DATE" }) }),
      { path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" },
    ],
    ["a stop", {}, observedFull("STOPPED"), { path: "spec.runState", desired: "Running", observed: "Stopped" }],
    [
      "a start",
      { spec: { runState: "Stopped" }, memory: { runState: "Stopped" } },
      observedFull("DEPLOYED"),
      { path: "spec.runState", desired: "Stopped", observed: "Running" },
    ],
  ])("reports %s as drift", (_name, change, observed, expected) => {
    expect(database.report(passWith(change), observed).drift).toEqual([expected]);
  });

  it("compares nothing where nothing is shown", () => {
    expect(database.report(passWith({ surface: "Documented" }), unseen)).not.toHaveProperty("drift");
    expect(database.report(passWith(), observedFull("DEPLOYED")).drift).toEqual([]);
  });

  it("keeps a failure until a deployment succeeds, with the time that it was first seen", () => {
    const open = { memory: { lastDeployment: openDeployment() } };
    const request = { status: "DEPLOYMENT_ERROR" };
    const first = database.report(passWith(open), observedFull("DEPLOYED", {}, { request })).status;
    expect(first).toMatchObject({
      lastDeployment: { state: "DEPLOYMENT_ERROR", finishedAt: "2026-11-21T10:00:00.400Z" },
      lastFailure: { state: "DEPLOYMENT_ERROR", requestId: REQUEST, at: "2026-11-21T10:00:00.400Z" },
    });
    const lastFailure = {
      state: "DEPLOYMENT_ERROR",
      message: "old words",
      requestId: REQUEST,
      at: "2026-11-21T09:01:00.000Z",
    };
    const lastDeployment = deployment({ state: "DEPLOYMENT_ERROR", requestId: REQUEST });
    const later = database.report(
      passWith({ memory: { lastFailure, lastDeployment } }),
      observedFull("DEPLOYMENT_ERROR"),
    ).status;
    expect(later["lastFailure"]).toMatchObject({ at: "2026-11-21T09:01:00.000Z" });
    expect(
      database.report(passWith({ memory: { lastFailure } }), observedFull("BUILDING")).status["lastFailure"],
    ).toEqual(lastFailure);
    expect(
      database.report(passWith({ memory: { lastFailure } }), observedFull("DEPLOYED")).status["lastFailure"],
    ).toBeUndefined();
  });

  it("forgets a request to stop once it is over", () => {
    const memory = { stopping: "[null,null,null]", stopRequestId: REQUEST, runState: "Stopped" } as const;
    const of = (state: string) =>
      database.report(passWith({ spec: { runState: "Stopped" }, memory }), observedFull(state)).status;
    expect(of("STOPPING")).toMatchObject({ stopping: memory.stopping, stopRequestId: REQUEST });
    expect(of("STOPPED")).toMatchObject({ stopping: undefined, stopRequestId: undefined });
  });

  it("cuts what is too long for a status", () => {
    const { version } = database.report(passWith(), {
      ...NOTHING_OBSERVED,
      status: statusOf("DEPLOYED"),
      siblings: [record({ version: "x".repeat(5_000) })],
    }).status;
    expect(version).toHaveLength(1_024);
  });
});
