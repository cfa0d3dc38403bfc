import { describe, expect, it } from "vitest";

import { databaseEnv } from "./runners.ts";

/** The harness begins at 10:00. */
const stopUntil = new Date("2026-11-21T20:00:00Z");
const nextStop = new Date("2026-11-22T10:00:00Z");
const within = { runSchedule: { stopUntil, nextStop } };
const outside = { runSchedule: { stopUntil: undefined, nextStop } };

// All kinds have the same schedule; test/model/faults/run-schedule.test.ts has each of them.
describe("the run schedule of a database", () => {
  const env = databaseEnv("Full");
  const startByHand = async (id: string): Promise<void> => {
    await env.harness.api.databases.deploy(id);
    env.harness.advance(120);
  };

  it("leaves a database running that somebody starts within a window, and stops it in the next window", async () => {
    const runner = await env.deployed();
    await runner.run(within);
    env.harness.advance(120);
    const message = "The database is stopped until 2026-11-21T20:00:00Z, as spec.runSchedule says.";
    const nextRunChange = { at: "2026-11-21T20:00:00Z", runState: "Running" };
    const stopped = await runner.run(within);
    expect(stopped).toMatchObject({ ops: [], end: "settled Stopped", why: { message }, status: { nextRunChange } });
    expect(stopped.report.drift ?? []).toEqual([]);
    expect(await runner.run(within)).toMatchObject({ ops: [], wrote: false });
    await startByHand(runner.id()!);
    const held = { ops: [], is: "settled", status: { runState: "Running", runUntil: "2026-11-21T20:00:00Z" } };
    expect(await runner.run(within)).toMatchObject(held);
    expect((await runner.run({ ...within, requested: "a look" })).ops).not.toContain("stopDatabase");
    const later = { stopUntil: new Date("2026-11-23T08:00:00Z"), nextStop: undefined };
    const nextNight = { runSchedule: later, now: new Date("2026-11-22T12:00:00Z") };
    expect(await runner.run(nextNight)).toMatchObject({ ops: ["stopDatabase"] });
  });

  it("leaves a database running that was stopped before a window and is started within it", async () => {
    const runner = await env.deployed();
    env.harness.edit(runner.id(), { state: "STOPPED" });
    env.harness.advance(60);
    expect(await runner.run(within)).toMatchObject({ ops: [], is: "settled", status: { runState: "Stopped" } });
    await startByHand(runner.id()!);
    expect(await runner.run(within)).toMatchObject({ ops: [], is: "settled" });
  });

  it("applies again once the database is stopped by hand", async () => {
    const runner = await env.deployed();
    await runner.run(within);
    await env.after(120, runner, within);
    await startByHand(runner.id()!);
    await runner.run(within);
    env.harness.edit(runner.id(), { state: "STOPPED" });
    const stopped = await env.after(60, runner, within);
    expect(stopped).toMatchObject({ ops: [], end: "settled Stopped" });
    expect(stopped.status).not.toHaveProperty("runUntil");
    expect(await runner.run(outside)).toMatchObject({ ops: ["deployDatabase"] });
  });
});
