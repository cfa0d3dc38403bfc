import { describe, expect, it } from "vitest";

import { recordedIn } from "../../src/engine/contract/status.ts";
import { databaseEnv } from "./runners.ts";

describe.each(["Documented", "Full"] as const)("a database on the %s surface", (surface) => {
  const env = databaseEnv(surface);

  it("is created whether or not the platform lists its managed type, and reports that once", async () => {
    const { faults } = env.harness.simulator.sim;
    const read = "listManagedDatabaseTypes";
    env.harness.fault(read, { is: "status", status: 500 }, { count: null });
    const runner = env.applied({ type: "REDIS", mode: "MANAGED", version: "7" });
    const first = await runner.run();
    expect(first).toMatchObject({ ops: ["createDatabase", "deployDatabase"] });
    expect(first.report.conditions.map(({ type }) => type)).not.toContain("TypeKnown");
    faults.clear();
    env.harness.fault(read, { is: "edited", set: { results: [{ name: "POSTGRESQL" }] } }, { count: null });
    await env.after(120, runner);
    const result = await runner.run();
    expect(recordedIn(result, "typeCheck")).toEqual({ type: "REDIS", listed: false });
    const known = (status: string, reason: string): unknown =>
      expect.objectContaining({ type: "TypeKnown", status, reason });
    expect(result.report.conditions).toContainEqual(known("False", "TypeNotListed"));
    expect(result).toMatchObject({ is: "settled" });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    faults.clear();
    expect((await env.after(3_700, runner)).report.conditions).toContainEqual(known("True", "TypeListed"));
  });
});

describe("a database on the Full surface", () => {
  const env = databaseEnv("Full");

  it("[C7] is not missing while the lists are late", async () => {
    env.harness.change({ listLagSeconds: 3_600 });
    const runner = await env.begun(env.applied());
    env.harness.advance(120);
    const policies = { onMissing: "Recreate" } as const;
    expect(await runner.run(policies)).toMatchObject({ ops: [], is: "settled", status: { state: "DEPLOYED" } });
    expect(await runner.run(policies)).toMatchObject({ ops: [], wrote: false });
  });
});

describe("a database on the Documented surface", () => {
  const env = databaseEnv("Documented");
  const reads = (): number => env.harness.simulator.journal().filter((entry) => entry.is === "call").length;

  it.each([
    ["gives no request id", () => env.harness.change({ nullRequestIds: true })],
    ["answers without a body", () => env.harness.fault("deployDatabase", { is: "empty" }, { effect: "applied" })],
  ])("is NotObservable if the platform %s, and causes no further reads", async (_name, set) => {
    set();
    const runner = env.applied();
    const first = await runner.run();
    expect(first).toMatchObject({ ops: ["createDatabase", "deployDatabase"], end: "settled NotObservable" });
    expect(first.report.conditions).toMatchObject([{ type: "Deployed", status: "Unknown", reason: "NotObservable" }]);
    expect(first.status).not.toHaveProperty("state");
    const before = reads();
    expect(await env.after(600, runner)).toMatchObject({ ops: [], is: "settled", wrote: false });
    expect(reads()).toBe(before);
  });

  it("has no id of a run, as only its request is observed", async () => {
    const { report } = await env.after(60, await env.deployed());
    expect(report.status["lastDeployment"]).toMatchObject({
      state: "DEPLOYED",
      requestId: expect.any(String) as string,
    });
    expect(report.status["lastDeployment"]).not.toHaveProperty("executionId", expect.anything());
  });

  it("is stopped and started once each, although its state is not shown", async () => {
    env.harness.change({ nullRequestIds: true });
    const runner = await env.begun(env.applied());
    const stop = await env.after(120, runner, { spec: env.spec({ runState: "Stopped" }) });
    expect(stop).toMatchObject({ ops: ["stopDatabase"], end: "settled NotObservable" });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: [], end: "stalled NotObservable" });
    const start = await env.after(120, runner, { spec: env.spec() });
    expect(start).toMatchObject({ ops: ["deployDatabase"], end: "settled NotObservable" });
    expect(await runner.run({ requested: "look" })).toMatchObject({ ops: ["deployDatabase"], is: "settled" });
    expect(await runner.run({ requested: "look" })).toMatchObject({ ops: [], is: "settled" });
    env.harness.advance(120);
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: ["stopDatabase"], is: "stalled" });
  });

  it("is Stopped without a request if it was stopped before", async () => {
    const runner = await env.deployed();
    await env.harness.api.databases.stop(runner.id() ?? "");
    const stop = await env.after(120, runner, { spec: env.spec({ runState: "Stopped" }) });
    expect(stop).toMatchObject({ end: "settled Stopped", status: { state: "STOPPED" } });
    expect(await runner.run()).toMatchObject({ ops: [], end: "settled Stopped", wrote: false });
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: [], is: "settled" });
    expect(await runner.run({ spec: env.spec() })).toMatchObject({ ops: ["deployDatabase"], is: "waiting" });
  });
});
