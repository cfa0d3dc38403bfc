import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { clusterConnection, connection } from "../../src/kinds/connection/index.ts";
import { project } from "../../src/kinds/project/index.ts";
import { createIntent, NOBODY, startKindHarness, SURFACES, type KindHarness } from "../support/kinds/env.ts";

let harness: KindHarness;
const start = (surface: (typeof SURFACES)[number], known: "Auto" | typeof surface = surface) => {
  beforeAll(async () => {
    harness = await startKindHarness(surface, known);
  });
  afterAll(() => harness.close());
};

describe.each(SURFACES)("a project on the %s surface", (surface) => {
  start(surface);

  it("is taken over by its name, whatever the case, and only if that is allowed", async () => {
    const id = await harness.newProject("Taken");
    expect(await harness.project({ name: "taken" }).run({ adoption: "Never" })).toMatchObject({
      ops: [],
      is: "stalled",
      why: { reason: "NameConflict", message: expect.stringContaining(id) },
    });
    expect(await harness.project({ name: "Taken" }).run({ holderOf: () => "shop/other" })).toMatchObject({
      why: { reason: "AlreadyManaged", message: expect.stringContaining('"shop/other"') },
    });
    const mine = harness.project({ name: "Taken" });
    expect(await mine.run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    expect(mine.id()).toBe(id);
    expect(await harness.project({ name: "nothing" }).run({ adoption: "Required" })).toMatchObject({
      is: "waiting",
      why: { reason: "DependencyNotReady" },
    });
  });

  it("is taken over by its id, but not another organization's, or one outside the connection's projects", async () => {
    const id = await harness.newProject("given");
    const given = () => harness.project({ name: "given", externalId: id });
    expect(await given().run({ allowedProjects: [NOBODY] })).toMatchObject({
      is: "stalled",
      why: { reason: "PermissionDenied" },
    });
    expect(await given().run({ allowedProjects: [id] })).toMatchObject({ ops: ["adopt"], is: "settled" });
    expect(await harness.project({ name: "given", externalId: NOBODY }).run()).toMatchObject({
      ops: [],
      why: { reason: "InvalidSpec" },
    });
    expect(await harness.project({ name: "new" }).run({ allowedProjects: [id] })).toMatchObject({
      ops: [],
      why: { reason: "PermissionDenied" },
    });
  });

  it("that an annotation claims is verified", async () => {
    const lost = harness.project({ name: "lost" });
    await lost.run();
    lost.lose();
    expect(await lost.run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    harness.edit(lost.id(), { name: "renamed" });
    lost.lose();
    harness.pass(60);
    expect(await lost.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "NameConflict" } });
  });

  it("is traced: not there, there, there before, there for somebody else", async () => {
    const runner = harness.project({ name: "traced" });
    const intent = createIntent("createProject", "traced", harness.absentNow());
    expect(await harness.trace(project, intent, runner.pass())).toEqual({ is: "absent" });
    const id = await harness.newProject("Traced");
    expect(await harness.trace(project, intent, runner.pass())).toMatchObject({ is: "landed", known: [{ id }] });
    expect(await harness.trace(project, intent, runner.pass({ holderOf: () => "shop/other" }))).toEqual({
      is: "absent",
    });
    const late = createIntent("createProject", "traced", { absentAt: "2999-01-01T00:00:00Z" });
    expect(await harness.trace(project, late, runner.pass())).toEqual({ is: "absent" });
  });

  it("[C7] that is gone is not created again", async () => {
    const gone = harness.project({ name: "gone" });
    await gone.run();
    harness.remove(gone.id());
    harness.pass(60);
    expect(await gone.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "ExternalResourceDeleted" } });
    expect(await gone.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
  });

  it("whose description is left open keeps that of others", async () => {
    const runner = harness.project({ name: "described" });
    await runner.run();
    harness.edit(runner.id(), { description: "of others" });
    harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });
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
    harness.fault({ match: { operation: "getProject" }, answer: { is: "status", status: 500 }, count: null });
    const failing = await observe("Auto");
    harness.simulator.sim.faults.clear();
    // What has worked once is not forgotten over a failure.
    expect(failing).toMatchObject({ surface });
  });
});
