import { describe, expect, it } from "vitest";

import { databaseEnv } from "../support/services/database-runner.ts";

describe.each(["Documented", "Full"] as const)("a database on the %s surface", (surface) => {
  const env = databaseEnv(surface);

  it("is stopped and started again, each by one order", async () => {
    const runner = await env.deployed();
    const stopping = await runner.run({ spec: env.spec({ runState: "Stopped" }) });
    expect(stopping).toMatchObject({ ops: ["stopDatabase"], is: "waiting", why: { reason: "Queued" } });
    expect(await runner.run()).toMatchObject({ ops: [], is: "waiting" });
    env.harness.pass(120);
    const stopped = await runner.run();
    expect(stopped).toMatchObject({
      ops: [],
      is: "settled",
      why: { reason: "Stopped" },
      status: { state: "STOPPED", runState: "Stopped" },
    });
    expect(stopped.status).not.toHaveProperty("stopping");
    expect(stopped.status).not.toHaveProperty("stopRequestId");
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ spec: env.spec() })).toMatchObject({ ops: ["deployDatabase"], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", status: { state: "DEPLOYED" } });
    expect(env.sent()).toEqual(["stopDatabase", "deployDatabase"]);
  });

  it("that is to be stopped from the beginning is created, and nothing more", async () => {
    const runner = env.applied({ runState: "Stopped" });
    expect(await runner.run()).toMatchObject({ ops: ["createDatabase"], is: "settled", why: { reason: "Stopped" } });
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
    expect(await runner.run({ spec: env.spec() })).toMatchObject({ ops: ["deployDatabase"], is: "waiting" });
  });

  it("whose deployment fails is for a person, and tried again once per request", async () => {
    const runner = env.applied({ runState: "Stopped" });
    await runner.run();
    env.harness.edit(runner.id(), { failNext: ["deploy"] });
    await runner.run({ spec: env.spec() });
    env.harness.pass(120);
    const failed = await runner.run();
    expect(failed).toMatchObject({
      ops: [],
      is: "stalled",
      why: { reason: "DeploymentFailed" },
      status: { lastFailure: { state: "DEPLOYMENT_ERROR" } },
    });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ requested: "again" })).toMatchObject({ ops: ["deployDatabase"], is: "waiting" });
    env.harness.pass(120);
    const mended = await runner.run({ requested: "again" });
    expect(mended).toMatchObject({ ops: [], is: "settled", status: { state: "DEPLOYED" } });
    expect(mended.status).not.toHaveProperty("lastFailure");
  });

  it("is started again by itself where the policy says so, as often and as late as it says", async () => {
    const policies = { retry: { limit: 1, backoffMs: 3_000 } };
    const runner = env.applied({ runState: "Stopped" });
    await runner.run();
    env.harness.edit(runner.id(), { failNext: ["deploy", "deploy"] });
    await runner.run({ spec: env.spec(), policies });
    env.harness.pass(120);
    expect(await runner.run({ policies })).toMatchObject({
      ops: [],
      is: "waiting",
      why: { reason: "DeploymentFailed" },
    });
    expect(await runner.run({ policies })).toMatchObject({ ops: [], is: "waiting", wrote: false });
    await runner.run({ policies });
    expect(await runner.run({ policies })).toMatchObject({
      is: "waiting",
      status: { lastDeployment: { attempts: 1 } },
    });
    expect(env.sent().filter((op) => op === "deployDatabase")).toHaveLength(2);
    env.harness.pass(120);
    expect(await runner.run({ policies })).toMatchObject({
      ops: [],
      is: "stalled",
      why: { reason: "DeploymentFailed" },
    });
    expect(await runner.run({ policies })).toMatchObject({ ops: [], is: "stalled", wrote: false });
  });

  it("whose stop fails is for a person", async () => {
    const runner = await env.deployed();
    env.harness.edit(runner.id(), { failNext: ["stop"] });
    await runner.run({ spec: env.spec({ runState: "Stopped" }) });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "StopFailed" } });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ requested: "again" })).toMatchObject({ ops: ["stopDatabase"], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run({ requested: "again" })).toMatchObject({ ops: [], is: "settled" });
  });

  it("is stopped and left when its object goes, where that is wanted", async () => {
    const runner = await env.deployed();
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: ["stopDatabase"], is: "waiting" });
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: [], is: "waiting" });
    env.harness.pass(60);
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: [], is: "settled" });
    expect(env.sent()).toEqual(["stopDatabase"]);
  });

  it("is told once whether the platform lists its managed type, and created in any case", async () => {
    const { faults } = env.harness.simulator.sim;
    const answer = { is: "status", status: 500 } as const;
    const fault = { match: { operation: "listManagedDatabaseTypes" }, count: null };
    env.harness.fault({ ...fault, answer });
    const runner = env.applied({ type: "REDIS", mode: "MANAGED", version: "7" });
    const first = await runner.run();
    expect(first).toMatchObject({ ops: ["createDatabase", "deployDatabase"] });
    expect(first.report.conditions.map(({ type }) => type)).not.toContain("TypeKnown");
    faults.clear();
    env.harness.fault({ ...fault, answer: { is: "edited", set: { results: [{ name: "POSTGRESQL" }] } } });
    env.harness.pass(120);
    await runner.run();
    const told = await runner.run();
    expect(told.status["typeCheck"]).toEqual({ type: "REDIS", listed: false });
    expect(told.report.conditions).toContainEqual(
      expect.objectContaining({ type: "TypeKnown", status: "False", reason: "TypeNotListed" }),
    );
    expect(told).toMatchObject({ is: "settled" });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    faults.clear();
    env.harness.pass(3_700);
    const listed = await runner.run();
    expect(listed.report.conditions).toContainEqual(
      expect.objectContaining({ type: "TypeKnown", status: "True", reason: "TypeListed" }),
    );
  });
});
