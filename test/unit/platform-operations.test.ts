import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { changeSettings, type SettingsChange } from "../../simulator/base/settings.ts";
import type { CallRecord } from "../../src/platform/client/caller.ts";
import { operations } from "../../src/platform/codec/operations.ts";
import { startHarness, type World } from "../support/platform/env.ts";
import { casesOf, documented, full } from "../support/platform/operations.ts";

/** The partial and null members that deployed services answer. */
const PARTIAL: SettingsChange = {
  nullRequestIds: false,
  profile: { statusCodes: "public", records: "public", routerKey: "routerId", applicationStatus: "partial" },
};

it("the cases of the tests call every operation of the client", () => {
  expect(casesOf({ ...documented, ...full }).map(([name]) => name)).toEqual(Object.keys(operations));
});

describe.each<["documented" | "full", string, SettingsChange]>([
  ["documented", "", {}],
  ["documented", "", PARTIAL],
  ["full", "/api/v1", {}],
])(`the client on the %s surface under "%s" with the settings %j`, (surface, prefix, settings) => {
  let world: World;

  beforeAll(async () => {
    world = await startHarness(surface, prefix);
    changeSettings(world.simulator.sim.settings, settings);
  });
  afterAll(() => world.close());

  const cases = casesOf(surface === "full" ? { ...documented, ...full } : documented);
  it.each(cases)("carries out %s", async (name, { call }) => {
    const calls: CallRecord[] = [];
    await call(world.connect({ onCall: (record) => calls.push(record) }), world);
    expect(calls.at(-1)).toMatchObject({ operation: name, sent: true, failure: undefined });
    expect(calls.at(-1)?.status).toBeLessThan(300);
    expect(world.calls().filter(({ path }) => !path.startsWith(prefix))).toEqual([]);
  });

  it("carries out a deployment without a request id", async () => {
    changeSettings(world.simulator.sim.settings, { nullRequestIds: true });
    const status = await world.admin.applications.deploy(world.applicationId, "abcdef1");
    expect(status).toMatchObject({ id: world.applicationId });
    expect(status?.deploymentRequestId).toBeUndefined();
  });
});
