import { describe, expect, it } from "vitest";

import {
  type Change,
  deployment,
  ENVIRONMENT,
  observedFull,
  contextWith,
  REQUEST,
  statusOf,
} from "../../../test/support/services/databases.ts";
import { database } from "./index.ts";
import { NOTHING_OBSERVED, type Observed } from "./model.ts";
import { NO_REQUEST } from "./reported.ts";

const conditionsOf = (change: Change, observed: Observed): readonly string[] =>
  database
    .report(contextWith(change), observed)
    .conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);

const unseen: Observed = { ...NOTHING_OBSERVED, status: { id: "x", state: "" }, unknownState: NO_REQUEST };

describe("the report on a database", () => {
  it("has the members of the platform's record", () => {
    const shown = { createdAt: "2026-11-20T10:00:00.123456Z", updatedAt: "2026-11-21T09:00:00Z" };
    const settings = { name: "main", type: "POSTGRESQL", mode: "CONTAINER", version: "16" };
    const deployed = { serviceDeploymentStatus: "UP_TO_DATE", lastDeployment: { state: "DEPLOYED" } };
    const { status } = database.report(contextWith(), observedFull("DEPLOYED", shown));
    expect(status).toMatchObject({ environmentId: ENVIRONMENT, ...settings, ...shown, ...deployed, state: "DEPLOYED" });
  });

  const UP_TO_DATE = "UpToDate True UpToDate";
  const PENDING = "UpToDate False DeployPending";
  const toStop = { spec: { runState: "Stopped" } };
  const claimed = { identitySource: "claimed" } as const;
  const managed = { spec: { mode: "MANAGED" }, ...claimed };
  const looked = (type: string) => ({ ...managed, memory: { typeCheck: { type, listed: true } } });
  const failed = { memory: { lastDeployment: deployment({ state: "DEPLOYMENT_ERROR" }) } };
  const runs = observedFull("DEPLOYED");
  const never = statusOf("READY", { serviceDeploymentStatus: "NEVER_DEPLOYED" });
  const idle = { ...toStop, memory: { lastDeployment: undefined } };

  it.each<[string, Change, Observed, readonly string[]]>([
    ["one that runs", {}, runs, ["Deployed True DEPLOYED", UP_TO_DATE]],
    ["one that is stopped", {}, observedFull("STOPPED"), ["Deployed False STOPPED", UP_TO_DATE]],
    ["one whose settings wait", { memory: { written: { revision: 1 } } }, runs, ["Deployed True DEPLOYED", PENDING]],
    ["one that failed", failed, observedFull("DEPLOYMENT_ERROR"), ["Deployed False DEPLOYMENT_ERROR", PENDING]],
    ["one that need not run yet", idle, { ...observedFull("READY"), status: never }, ["Deployed False READY"]],
    ["one whose state is not shown", { surface: "Documented" }, unseen, ["Deployed Unknown NotObservable"]],
    ["one whose state is no reason", {}, observedFull("so so"), ["Deployed Unknown UnknownState", UP_TO_DATE]],
    ["a managed one of a listed type", managed, { ...runs, types: ["postgresql"] }, ["TypeKnown True TypeListed"]],
    ["a managed one of an unlisted type", managed, { ...runs, types: [] }, ["TypeKnown False TypeNotListed"]],
    ["a managed one whose type was looked up", looked("POSTGRESQL"), runs, ["TypeKnown True TypeListed"]],
    ["a managed one of which another type was looked up", looked("REDIS"), runs, []],
    ["one that is not managed", claimed, { ...runs, types: [] }, []],
  ])("has the conditions of %s", (_name, change, observed, expected) => {
    expect(conditionsOf(change, observed)).toEqual(expected);
  });

  it("reports a change that is not ours as drift, and compares nothing where nothing is shown", () => {
    const edited = { ...runs, status: statusOf("DEPLOYED", { serviceDeploymentStatus: "OUT_OF_DATE" }) };
    const drift = { path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" };
    expect(database.report(contextWith(), edited).drift).toEqual([drift]);
    expect(database.report(contextWith({ surface: "Documented" }), unseen)).not.toHaveProperty("drift");
    expect(database.report(contextWith(), observedFull("DEPLOYED")).drift).toEqual([]);
  });

  it("forgets a request to stop once it is over", () => {
    const memory = { stopping: "[null,null,null]", stopRequestId: REQUEST, runState: "Stopped" } as const;
    const of = (state: string) =>
      database.report(contextWith({ spec: { runState: "Stopped" }, memory }), observedFull(state)).status;
    expect(of("STOPPING")).toMatchObject({ stopping: memory.stopping, stopRequestId: REQUEST });
    expect(of("STOPPED")).toMatchObject({ stopping: undefined, stopRequestId: undefined });
  });
});
