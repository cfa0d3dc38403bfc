import { describe, expect, it } from "vitest";

import { buildContext, openIntent, type SpecChange } from "../../../test/support/kinds/contexts.ts";
import { planTable, said } from "../../../test/support/kinds/plans.ts";
import { platformWith } from "../../../test/support/kinds/platform.ts";
import type { Environment } from "../../platform/areas/environments.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { environment } from "./index.ts";
import type { EnvironmentContext, EnvironmentObserved } from "./observe.ts";

const PROJECT = "00000000-0000-4000-8000-0000000000b1";
const MINE = "00000000-0000-4000-8000-0000000000e1";
const OTHER = "00000000-0000-4000-8000-0000000000e2";
const CLUSTER = "00000000-0000-4000-8000-0000000000c1";
const ELSEWHERE = "00000000-0000-4000-8000-0000000000c2";
const NOW = new Date("2026-11-21T10:00:00Z");

type Change = SpecChange<EnvironmentContext>;

function contextOf({ spec, ...rest }: Change = {}): EnvironmentContext {
  const least = { projectRef: { name: "shop" }, name: "staging", mode: "STAGING", clusterRef: { externalId: CLUSTER } };
  const parsed = environment.resource.spec.parse({ ...least, ...spec });
  const inputs = { projectId: PROJECT, clusterId: CLUSTER };
  return buildContext<EnvironmentContext>({ name: "staging", spec: parsed, inputs, id: MINE }, rest);
}

const record = (change: Partial<Environment> = {}): Environment => {
  return { id: MINE, name: "staging", mode: "STAGING", clusterId: CLUSTER, record: {}, ...change };
};

function observedOf(change: Partial<EnvironmentObserved> = {}): EnvironmentObserved {
  const { counts = [{ id: MINE }] } = change;
  const presence = counts.some(({ id }) => id === MINE) ? "Present" : "Gone";
  const usual = { records: undefined, projectIsOurs: true, serverNow: NOW, updated: false, deleting: false };
  return { counts, presence, ...usual, ...change };
}
const observedFull = (...records: readonly Environment[]): EnvironmentObserved =>
  observedOf({ records, counts: records.map(({ id }) => ({ id })) });

const full = { surface: "Full" } as const;
const fresh = { id: undefined, identitySource: undefined } as const;
const none = observedOf({ counts: [] });

/** The plan of every kind that has a name and settings: ../project/index.test.ts, test/model/kinds-contract.test.ts. */
describe("the plan of an environment", () => {
  const given = { identitySource: "given" } as const;
  const moved = observedFull(record({ clusterId: ELSEWHERE }));
  const preview = observedFull(record({ mode: "PREVIEW" }));
  const absent = { goal: "absent" } as const;
  const outside = { ...absent, ...full, identitySource: "claimed", allowedProjects: [OTHER] } as const;
  const UNFIT = "stalled InvalidSpec";

  planTable((change: Change, observed: EnvironmentObserved) => said(environment.plan(contextOf(change), observed)))([
    ["when its project is another organization's", fresh, observedOf({ projectIsOurs: false }), UNFIT],
    ["when its project is not allowed", { ...fresh, allowedProjects: [OTHER] }, none, "stalled PermissionDenied"],
    ["when one of its name is on another cluster", { ...fresh, ...full }, moved, UNFIT],
    ["when its given id is in the project", given, observedOf(), "adopt"],
    ["when its given id is not in the project", given, none, UNFIT],
    ["when its given id is on another cluster", { ...full, ...given }, moved, UNFIT],
    ["when its claimed id shows no name", { identitySource: "claimed" }, observedOf(), "adopt"],
    ["when it is there, and nothing more is known", {}, observedOf(), "settled"],
    ["when it was made otherwise", { memory: { mode: "DEVELOPMENT" } }, observedOf(), "settled"],
    ["when it was made on another cluster", { memory: { clusterId: ELSEWHERE } }, observedOf(), UNFIT],
    ["when it shows no mode", full, observedFull(record({ mode: undefined as never })), "settled"],
    ["when the spec has no mode", { ...full, spec: { mode: undefined } }, preview, "settled"],
    ["when its name differs", full, observedFull(record({ name: "Staging" })), "updateEnvironment corrects"],
    ["at the end, where its project is not allowed", outside, observedFull(record()), "stalled NotObservable"],
  ]);

  it("marks a create with the platform's clock and what was there", () => {
    const mark = { absentAt: "2026-11-21T10:00:00.000Z", ids: [OTHER] };
    const step = { repeat: "once", creates: true, name: "staging", mark };
    expect(environment.plan(contextOf(fresh), observedOf({ counts: [{ id: OTHER }] }))).toMatchObject({ step });
  });
});

it("the report of an environment shows its record where the platform does, else the one from its creation", () => {
  const memory = { name: "staging", mode: "STAGING", clusterId: CLUSTER, createdAt: "2026-11-21T09:00:00Z" };
  const counts = [{ id: MINE, serviceTotalNumber: 3 }];
  const ready = { reason: "Available", message: 'Environment "staging" exists on the platform.' };
  const status = { ...memory, projectId: PROJECT, serviceCount: 3 };
  const report = environment.report(contextOf({ memory }), observedOf({ counts }));
  expect(report).toEqual({ ready, conditions: [], status, drift: [] });
  const shown = environment.report(contextOf({ ...full, memory }), observedFull(record({ mode: "PREVIEW" })));
  expect(shown.status).toMatchObject({ mode: "PREVIEW" });
  expect(shown.drift).toEqual([{ path: "spec.mode", desired: "STAGING", observed: "PREVIEW" }]);
});

it("an environment whose services cannot be counted is ready, and says Unknown of their number", async () => {
  const error = new ApiError("getProjectEnvironmentStats", { is: "Unreachable" }, 0, "no answer");
  const api = platformWith({
    projects: { environmentStats: () => Promise.reject(error) },
    environments: { list: () => Promise.resolve([record()]) },
    serverNow: () => NOW,
  });
  const { ready, conditions, status } = environment.report(
    contextOf(full),
    await environment.observe(contextOf(full), api),
  );
  expect(ready.reason).toBe("Available");
  expect(conditions).toMatchObject([{ type: "ServicesCounted", status: "Unknown", reason: "PlatformUnreachable" }]);
  expect(status["serviceCount"]).toBeUndefined();
});

const made = { memory: { name: "staging", mode: "PREVIEW" } };

it.each<[string, Change, EnvironmentObserved, readonly string[]]>([
  ["has no update", made, observedOf(), ["UpdateNotSupported"]],
  ["has an update", full, observedFull(record({ mode: "PREVIEW" })), []],
  ["has an update and does not show the record", { ...full, ...made }, observedOf(), ["NotObservable"]],
  ["has no update, after the spec was changed back", { memory: { mode: "STAGING" } }, observedOf(), []],
])("another mode than that of the creation is reported where the platform %s", (_name, change, observed, expected) => {
  const { conditions } = environment.report(contextOf(change), observed);
  expect(conditions.map(({ reason }) => reason)).toEqual(expected);
});

const intent = (ids: readonly string[] | undefined) => {
  const mark = { absentAt: "2026-11-21T10:00:00Z", ...(ids !== undefined && { ids }) };
  return openIntent("createEnvironment", { creates: true, parentId: PROJECT, name: "staging", mark });
};
const platform = (records: readonly Environment[]) =>
  platformWith({
    projects: { environmentStats: () => Promise.resolve(records.map(({ id }) => ({ id }))) },
    environments: { list: () => Promise.resolve(records) },
    serverNow: () => NOW,
  });

it.each<[string, Change, readonly string[] | undefined, readonly Environment[], unknown]>([
  ["nothing new", {}, [OTHER], [record({ id: OTHER })], "unknowable"],
  ["one new id", {}, [OTHER], [record(), record({ id: OTHER })], [MINE]],
  ["two new ids", {}, [], [record(), record({ id: OTHER })], [MINE, OTHER]],
  ["a new id that is held", { holderOf: (id) => (id === MINE ? "a/b" : undefined) }, [], [record()], "unknowable"],
  ["nothing new in a list", full, [OTHER], [record({ id: OTHER, name: "x" })], "absent"],
  ["the name", full, [], [record(), record({ id: OTHER, name: "x" })], [MINE]],
  ["the name, there before", full, [MINE], [record()], "absent"],
])("the trace of an environment's create finds %s", async (_name, change, ids, records, expected) => {
  const api = platform(records);
  const trace = await environment.trace(intent(ids), contextOf({ ...fresh, ...change }), api);
  expect(trace.is === "landed" ? trace.known.map(({ id }) => id) : trace.is).toEqual(expected);
});
