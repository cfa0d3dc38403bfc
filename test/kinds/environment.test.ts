import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { environment } from "../../src/kinds/environment/index.ts";
import { createIntent, NOBODY, startKindHarness, SURFACES, type KindHarness } from "../support/kinds/env.ts";
import { failureOf } from "../support/platform/client.ts";

let harness: KindHarness;
const start = (surface: (typeof SURFACES)[number]) => {
  beforeAll(async () => {
    harness = await startKindHarness(surface);
  });
  afterAll(() => harness.close());
};

describe.each(SURFACES)("an environment on the %s surface", (surface) => {
  start(surface);
  let projectId: string;
  const spec = (change: object = {}) => ({
    projectRef: { name: "shop" },
    name: "staging",
    mode: "STAGING",
    clusterRef: { externalId: harness.clusterIds[0] },
    ...change,
  });
  beforeAll(async () => {
    projectId = await harness.newProject("shop");
  });

  it("is not looked for in a project of somebody else, or outside the connection's", async () => {
    const foreign = harness.environment(NOBODY, spec({ projectRef: { externalId: NOBODY }, name: "x" }));
    expect(await foreign.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
    expect(await harness.environment(projectId, spec({ name: "x" })).run({ allowedProjects: [NOBODY] })).toMatchObject({
      ops: [],
      why: { reason: "PermissionDenied" },
    });
  });

  it("that was given by its id must be in the project", async () => {
    const elsewhere = await harness.newEnvironment(await harness.newProject("elsewhere"), "given");
    const wrong = harness.environment(projectId, spec({ name: "given", externalId: elsewhere }));
    expect(await wrong.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
    const id = await harness.newEnvironment(projectId, "given");
    const right = harness.environment(projectId, spec({ name: "given", externalId: id }));
    expect(await right.run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    expect(
      await harness.environment(projectId, spec({ externalId: id })).run({ holderOf: () => "shop/other" }),
    ).toMatchObject({
      why: { reason: "AlreadyManaged" },
    });
  });

  it("is traced: not there, there, several, there before", async () => {
    const { environments } = harness.simulator.world();
    const before = [...environments.values()].filter((one) => one.projectId === projectId).map(({ id }) => id);
    const runner = harness.environment(projectId, spec({ name: "traced" }));
    const intent = createIntent("createEnvironment", "traced", { ...harness.absentNow(), ids: before }, projectId);
    expect(await harness.trace(environment, intent, runner.pass())).toEqual({ is: "absent" });
    const id = await harness.newEnvironment(projectId, "Traced");
    expect(await harness.trace(environment, intent, runner.pass())).toMatchObject({ is: "landed", known: [{ id }] });
    expect(await harness.trace(environment, intent, runner.pass({ holderOf: () => "shop/other" }))).toEqual({
      is: "absent",
    });
    const known = { ...intent, mark: { ...harness.absentNow(), ids: [...before, id] } };
    expect(await harness.trace(environment, known, runner.pass())).toEqual({ is: "absent" });
    await harness.newEnvironment(projectId, "another");
    // By its name there is one still; without names it may be either.
    expect(await harness.trace(environment, intent, runner.pass())).toMatchObject({
      known: surface === "Full" ? [{ id }] : [{}, {}],
    });
  });

  it("[C7] that is gone, with or without its project, is not created again", async () => {
    const parent = await harness.newProject("doomed");
    const gone = harness.environment(parent, spec({ name: "gone" }));
    await gone.run();
    harness.remove(gone.id());
    harness.pass(60);
    expect(await gone.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "ExternalResourceDeleted" } });
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
    const runner = harness.environment(projectId, spec({ name: "kept" }));
    await runner.run();
    for (const operation of ["getProjectEnvironmentStats", "listEnvironments"]) {
      harness.fault({ match: { operation }, count: null, answer: { is: "status", status: 403 } });
    }
    const failure = await failureOf(runner.run({ goal: "absent" }));
    harness.simulator.sim.faults.clear();
    expect(failure.failure.is).toBe("Forbidden");
  });
});

describe("an environment on the full surface alone", () => {
  start("Full");
  let projectId: string;
  const spec = (change: object = {}) => ({
    projectRef: { name: "shop" },
    name: "staging",
    clusterRef: { externalId: harness.clusterIds[0] },
    ...change,
  });
  beforeAll(async () => {
    projectId = await harness.newProject("shop");
  });

  it("is changed, once, and deleted until it is gone", async () => {
    const runner = harness.environment(projectId, spec());
    await runner.run();
    expect(await runner.run({ spec: spec({ mode: "PRODUCTION" }) })).toMatchObject({
      ops: ["updateEnvironment"],
      is: "settled",
    });
    expect(await runner.run({ goal: "absent" })).toMatchObject({
      ops: ["deleteEnvironment"],
      why: { reason: "Deleting" },
    });
    harness.pass(60);
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
  });

  it("that the platform stores otherwise is sent once in a pass, and told as drift", async () => {
    const runner = harness.environment(projectId, spec({ name: "normal" }));
    await runner.run();
    harness.fault({
      match: { operation: "updateEnvironment" },
      count: null,
      answer: { is: "edited", set: { mode: "STAGING" } },
    });
    const run = await runner.run({ spec: spec({ name: "normal", mode: "PRODUCTION" }) });
    harness.simulator.sim.faults.clear();
    expect(run).toMatchObject({ ops: ["updateEnvironment"], is: "settled" });
    expect(run.report.drift).toEqual([{ path: "spec.mode", desired: "PRODUCTION", observed: "STAGING" }]);
  });

  it("is taken over by its name, but not from another cluster: once recorded, that could not be mended", async () => {
    const id = await harness.newEnvironment(projectId, "found");
    const wrong = harness.environment(
      projectId,
      spec({ name: "found", clusterRef: { externalId: harness.clusterIds[1] } }),
    );
    expect(await wrong.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
    const right = harness.environment(projectId, spec({ name: "found" }));
    expect(await right.run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    expect(right.id()).toBe(id);
  });
});
