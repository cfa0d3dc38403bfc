import { describe, expect, it } from "vitest";

import type { OpenIntent } from "../../src/engine/contract/kind.ts";
import { database } from "../../src/kinds/database/index.ts";
import { databaseEnv } from "../support/services/database-runner.ts";

const EVERYTHING = { policies: { corrects: "Everything" } } as const;

describe("a database that others work on, too", () => {
  const env = databaseEnv("Full");

  it.each(["type", "mode"])("is not taken over when its %s is another", async (field) => {
    await env.foreign();
    const runner = env.applied({ [field]: field === "type" ? "REDIS" : "MANAGED" });
    const run = await runner.run();
    expect(run).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
    expect(run.why.message).toContain(`spec.${field}`);
  });

  it("has its version and sizes changed and deployed", async () => {
    const runner = await env.deployed({ storage: 10 });
    const change = await runner.run({ spec: env.spec({ version: "17", storage: 20 }) });
    expect(change).toMatchObject({ ops: ["updateDatabase", "deployDatabase"], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", status: { version: "17" } });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(env.harness.service(runner.id()).settings).toMatchObject({ version: "17", storage: 20 });
  });

  it("[A5] is deleted until it is gone", async () => {
    const runner = await env.deployed();
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: ["deleteDatabase"], is: "waiting" });
    env.harness.pass(60);
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
    expect(env.sent()).toEqual(["deleteDatabase"]);
  });

  it("has its settings corrected and deployed", async () => {
    const runner = await env.deployed({ cpu: 500 });
    env.harness.edit(runner.id(), { cpu: 250 });
    env.harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: ["updateDatabase", "deployDatabase"], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });

  it("is told as stopped, and started where everything is corrected", async () => {
    const runner = await env.deployed();
    env.harness.scheduledStop(env.environmentId);
    env.harness.pass(120);
    const told = await runner.run();
    expect(told).toMatchObject({ ops: [], is: "stalled", why: { reason: "DriftDetected" } });
    expect(told.report.drift).toEqual([{ path: "spec.runState", desired: "Running", observed: "Stopped" }]);
    expect(await runner.run(EVERYTHING)).toMatchObject({ ops: ["deployDatabase"], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run(EVERYTHING)).toMatchObject({ ops: [], is: "settled" });
  });

  it("is stopped again when others started it, unless that is only to be told", async () => {
    const runner = await env.deployed();
    await runner.run({ spec: env.spec({ runState: "Stopped" }) });
    env.harness.pass(120);
    await runner.run();
    await env.harness.api.databases.deploy(runner.id() ?? "");
    env.harness.pass(120);
    const told = await runner.run({ policies: { corrects: "Nothing", blockedOperations: new Set(["stopDatabase"]) } });
    expect(told).toMatchObject({ ops: [], is: "settled", why: { reason: "Available" } });
    expect(told.report.drift).toEqual([{ path: "spec.runState", desired: "Stopped", observed: "Running" }]);
    expect(await runner.run()).toMatchObject({ ops: ["stopDatabase"], is: "waiting" });
  });

  it("[C7] is missed, and made anew only where that is wanted and its environment's list proves it", async () => {
    const runner = await env.deployed();
    env.harness.remove(runner.id());
    env.harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "ExternalResourceDeleted" } });
    const policies = { onMissing: "Recreate" } as const;
    expect(await runner.run({ policies })).toMatchObject({ ops: ["forget"] });
    expect(await runner.run({ policies })).toMatchObject({ ops: ["createDatabase", "deployDatabase"], is: "waiting" });
  });

  it("[C7] is not missed when the lists lag behind", async () => {
    env.harness.change({ listLagSeconds: 3_600 });
    const runner = env.applied();
    await runner.run();
    env.harness.pass(120);
    const policies = { onMissing: "Recreate" } as const;
    expect(await runner.run({ policies })).toMatchObject({ ops: [], is: "settled", status: { state: "DEPLOYED" } });
    expect(await runner.run({ policies })).toMatchObject({ ops: [], wrote: false });
  });

  it("is not made anew when its environment is gone", async () => {
    const environmentId = await env.harness.newEnvironment(await env.harness.newProject("short"), "gone");
    const runner = env.harness.database(environmentId, env.spec());
    await runner.run();
    env.harness.remove(environmentId);
    env.harness.pass(60);
    const policies = { onMissing: "Recreate" } as const;
    expect(await runner.run({ policies })).toMatchObject({
      ops: [],
      is: "stalled",
      why: { reason: "ExternalResourceDeleted" },
    });
  });

  it.each([
    ["the platform takes its time to show an order", () => env.harness.change({ acceptLatencySeconds: 4 })],
    ["the platform gives no request ids", () => env.harness.change({ nullRequestIds: true })],
    [
      "an answer has no body",
      () => env.harness.fault({ match: { operation: "stopDatabase" }, effect: "applied", answer: { is: "empty" } }),
    ],
  ])("is ordered once when %s", async (_name, set) => {
    set();
    const runner = env.applied();
    await runner.run();
    expect(await runner.run()).toMatchObject({ ops: [], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", why: { reason: "Available" } });
    await runner.run({ spec: env.spec({ runState: "Stopped" }) });
    expect(await runner.run()).toMatchObject({ ops: [], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", why: { reason: "Stopped" } });
    expect(env.sent()).toEqual(["createDatabase", "deployDatabase", "stopDatabase"]);
  });

  it("shows whether an old order landed", async () => {
    const runner = await env.deployed();
    const { api } = env.harness;
    const before = runner.pass();
    const status = (await api.services.statuses(env.environmentId)).find(({ id }) => id === runner.id());
    const mark = {
      baseline: JSON.stringify([status?.lastDeploymentDate ?? null, status?.executionId ?? null, 0]),
      requestId: status?.deploymentRequestId ?? null,
      settings: 3,
      retry: "token",
    };
    const intent: OpenIntent = {
      op: "deployDatabase",
      creates: false,
      parentId: env.environmentId,
      name: undefined,
      id: runner.id(),
      commit: undefined,
      mark,
    };
    expect(await database.trace(intent, before, api)).toEqual({ is: "absent" });
    expect(await database.trace({ ...intent, op: "stopDatabase" }, before, api)).toEqual({ is: "absent" });
    await api.databases.deploy(runner.id() ?? "");
    expect(await database.trace(intent, before, api)).toMatchObject({
      is: "landed",
      known: [{ memory: { runState: "Running", lastDeployment: { settings: 3, retry: "token" } } }],
    });
    env.harness.pass(120);
    await api.databases.stop(runner.id() ?? "");
    expect(await database.trace({ ...intent, op: "stopDatabase" }, before, api)).toMatchObject({
      is: "landed",
      known: [{ memory: { runState: "Stopped" } }],
    });
    const name = before as { readonly spec: { readonly name: string } };
    const create = { ...intent, op: "createDatabase", creates: true, name: name.spec.name, mark: { absentAt: null } };
    expect(await database.trace(create, before, api)).toMatchObject({ is: "landed", known: [{ id: runner.id() }] });
    expect(await database.trace({ ...create, name: "other" }, before, api)).toEqual({ is: "absent" });
  });
});
