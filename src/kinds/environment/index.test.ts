import { describe, expect, it } from "vitest";

import { capabilitiesOn } from "../../../test/support/kinds/supports.ts";
import {
  CLUSTER,
  type Change,
  MINE,
  NOW,
  OTHER,
  PROJECT,
  fresh,
  full,
  contextOf,
  record,
  observedFull,
  observedOf,
} from "../../../test/support/services/environments.ts";
import type { OpenIntent } from "../../engine/contract/kind.ts";
import type { Environment } from "../../platform/areas/environments.ts";
import type { Platform } from "../../platform/index.ts";
import { environment } from "./index.ts";

describe("the report of an environment", () => {
  it("shows its record where the platform does, else the one from its creation", () => {
    const memory = { name: "staging", mode: "STAGING", clusterId: CLUSTER, createdAt: "2026-11-21T09:00:00Z" };
    const counts = [{ id: MINE, serviceTotalNumber: 3 }];
    expect(environment.report(contextOf({ memory }), observedOf({ counts }))).toEqual({
      ready: { reason: "Available", message: 'Environment "staging" exists on the platform.' },
      conditions: [],
      status: { ...memory, projectId: PROJECT, serviceCount: 3 },
      drift: [],
    });
    const shown = environment.report(contextOf({ ...full, memory }), observedFull(record({ mode: "PREVIEW" })));
    expect(shown.status).toMatchObject({ mode: "PREVIEW" });
    expect(shown.drift).toEqual([{ path: "spec.mode", desired: "STAGING", observed: "PREVIEW" }]);
  });

  it("shows nothing of an environment that does not belong to it, or not yet", () => {
    for (const identitySource of ["given", "claimed"] as const) {
      expect(
        environment.report(contextOf({ ...full, identitySource }), observedFull(record({ mode: "PREVIEW" }))),
      ).toMatchObject({
        status: {},
        drift: [],
      });
    }
  });
});

describe("the trace of an environment's create", () => {
  const intent = (ids: readonly string[] | undefined): OpenIntent => ({
    op: "createEnvironment",
    creates: true,
    parentId: PROJECT,
    name: "staging",
    id: undefined,
    commit: undefined,
    mark: { absentAt: "2026-11-21T10:00:00Z", ...(ids === undefined ? {} : { ids }) },
  });
  const platform = (surface: "Documented" | "Full", records: readonly Environment[]) =>
    ({
      capabilities: capabilitiesOn(surface),
      projects: { environmentStats: () => Promise.resolve(records.map(({ id }) => ({ id }))) },
      environments: { list: () => Promise.resolve(records) },
      serverNow: () => NOW,
    }) as unknown as Platform;
  const traced = async (change: Change, ids: readonly string[] | undefined, ...records: readonly Environment[]) => {
    const trace = await environment.trace(
      intent(ids),
      contextOf({ ...fresh, ...change }),
      platform(change.surface ?? "Documented", records),
    );
    return trace.is === "landed" ? trace.known.map(({ id }) => id) : trace.is;
  };

  it.each<[string, Change, readonly string[] | undefined, readonly Environment[], unknown]>([
    ["nothing new", {}, [OTHER], [record({ id: OTHER })], "absent"],
    ["one new id", {}, [OTHER], [record(), record({ id: OTHER })], [MINE]],
    ["two new ids", {}, [], [record(), record({ id: OTHER })], [MINE, OTHER]],
    ["a new id that is held", { holderOf: (id) => (id === MINE ? "a/b" : undefined) }, [], [record()], "absent"],
    ["the name", full, [], [record(), record({ id: OTHER, name: "x" })], [MINE]],
    ["the name, there before", full, [MINE], [record()], "absent"],
    ["the name, made before", full, [], [record({ createdAt: "2026-11-21T09:00:00Z" })], "absent"],
  ])("finds %s", async (_name, change, ids, records, expected) => {
    expect(await traced(change, ids, ...records)).toEqual(expected);
  });
});
