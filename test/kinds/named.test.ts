import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { clusterConnection, connection } from "../../src/kinds/connection/index.ts";
import { NOBODY, startKindHarness, SURFACES, type KindHarness } from "../support/kinds/env.ts";
import { failureOf } from "../support/platform/client.ts";

let harness: KindHarness;
const start = (surface: (typeof SURFACES)[number], known: "Auto" | typeof surface = surface) => {
  beforeAll(async () => {
    harness = await startKindHarness(surface, known);
  });
  afterAll(() => harness.close());
};

describe.each(SURFACES)("a project on the %s surface", (surface) => {
  start(surface);

  it("[C7] that is gone is not created again", async () => {
    const gone = harness.project({ name: "gone" });
    await gone.run();
    harness.remove(gone.id());
    harness.pass(60);
    expect(await gone.run()).toMatchObject({ ops: [], end: "stalled ExternalResourceDeleted" });
    expect(await gone.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
  });
});

describe.each(SURFACES)("an environment on the %s surface", (surface) => {
  start(surface);
  let projectId: string;
  const spec = (name: string, change: object = {}) => ({
    projectRef: { name: "shop" },
    name,
    mode: "STAGING",
    clusterRef: { externalId: harness.clusterIds[0] },
    ...change,
  });
  beforeAll(async () => {
    projectId = await harness.newProject("shop");
  });

  it("is not looked for in a project of somebody else", async () => {
    const foreign = harness.environment(NOBODY, spec("x", { projectRef: { externalId: NOBODY } }));
    expect(await foreign.run()).toMatchObject({ ops: [], end: "stalled InvalidSpec" });
  });

  it("[C7] that is gone, with or without its project, is not created again", async () => {
    const parent = await harness.newProject("doomed");
    const gone = harness.environment(parent, spec("gone"));
    await gone.run();
    harness.remove(gone.id());
    harness.pass(60);
    expect(await gone.run()).toMatchObject({ ops: [], end: "stalled ExternalResourceDeleted" });
    harness.remove(parent);
    harness.pass(60);
    expect((await failureOf(gone.run())).failure.is).toBe("NotFound");
    for (const goneAs of [404, 403] as const) {
      harness.change({ goneAs });
      expect(await gone.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
    }
    harness.change({ goneAs: 404 });
  });

  it("of a project that may not be read is not taken for gone", async () => {
    const runner = harness.environment(projectId, spec("kept"));
    await runner.run();
    for (const operation of ["getProjectEnvironmentStats", "listEnvironments"]) {
      harness.fault(operation, { is: "status", status: 403 }, { count: null });
    }
    const failure = await failureOf(runner.run({ goal: "absent" }));
    harness.simulator.sim.faults.clear();
    expect(failure.failure.is).toBe("Forbidden");
  });

  it.runIf(surface === "Full")(
    "that the platform stores otherwise is sent once, reported as drift, and deleted until it is gone",
    async () => {
      const runner = harness.environment(projectId, spec("normal"));
      await runner.run();
      const answer = { is: "edited", set: { mode: "STAGING" } } as const;
      harness.fault("updateEnvironment", answer, { count: null });
      const run = await runner.run({ spec: spec("normal", { mode: "PRODUCTION" }) });
      harness.simulator.sim.faults.clear();
      expect(run).toMatchObject({ ops: ["updateEnvironment"], is: "settled" });
      const drift = [{ path: "spec.mode", desired: "PRODUCTION", observed: "STAGING" }];
      expect(run.report.drift).toEqual(drift);
      const storedAs = (mode: string) => {
        harness.edit(runner.id(), { mode });
        harness.pass(60);
      };
      storedAs("STAGING");
      expect(await runner.run()).toMatchObject({ ops: [], is: "settled", wrote: false, report: { drift } });
      storedAs("DEVELOPMENT");
      expect(await runner.run()).toMatchObject({ ops: ["updateEnvironment"], is: "settled", report: { drift: [] } });
      const removal = await runner.run({ goal: "absent" });
      expect(removal).toMatchObject({ ops: ["deleteEnvironment"], why: { reason: "Deleting" } });
      harness.pass(60);
      expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
    },
  );
});

describe.each(SURFACES)("a connection to a platform with the %s surface", (surface) => {
  start(surface, "Auto");
  const observe = (wanted: string, kind: object = connection) =>
    (kind as typeof connection).observe({ spec: { surface: wanted }, memory: {} } as never, harness.api);

  it("finds out the surface with a project that is listed, and not before there is one", async () => {
    expect(await observe("Auto")).toMatchObject({ surface: undefined });
    expect(await observe("Full", clusterConnection)).toEqual({ surface: "Full" });
    await harness.newProject("shop");
    expect(await observe("Auto")).toMatchObject({ surface });
    expect(await observe("Auto", clusterConnection)).toMatchObject({ surface });
    harness.fault("getProject", { is: "status", status: 500 }, { count: null });
    const failing = await observe("Auto");
    harness.simulator.sim.faults.clear();
    // What has worked once is not forgotten over a failure.
    expect(failing).toMatchObject({ surface });
  });
});
