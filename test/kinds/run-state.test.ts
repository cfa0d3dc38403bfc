import { describe, expect, it } from "vitest";

import { addForeignVariable } from "../../simulator/control/control.ts";
import { NOBODY } from "../support/kinds/env.ts";
import { failureOf } from "../support/platform/client.ts";
import { applicationEnv } from "../support/services/application-runner.ts";

describe("the run state of an application", () => {
  const env = applicationEnv("Full");
  it("is brought about, once", async () => {
    const runner = await env.deployed();
    expect(await runner.run({ spec: env.spec({ runState: "Stopped" }) })).toMatchObject({
      ops: ["stopApplication"],
      is: "waiting",
    });
    env.harness.pass(120);
    const stopped = await runner.run();
    expect(stopped).toMatchObject({
      ops: [],
      is: "settled",
      why: { reason: "Stopped" },
      status: { state: "STOPPED", runState: "Stopped" },
    });
    expect(stopped.status).not.toHaveProperty("stopping");
    expect(await runner.run({ spec: env.spec() })).toMatchObject({ ops: ["deployApplication"], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", status: { runState: "Running" } });
    expect(env.sent()).toEqual(["stopApplication", "deployApplication"]);
  });

  it.each([
    ["the platform takes its time to show it", () => env.harness.change({ acceptLatencySeconds: 4 })],
    [
      "the answer has no body",
      () => env.harness.fault({ match: { operation: "stopApplication" }, effect: "applied", answer: { is: "empty" } }),
    ],
  ])("is asked for once when %s", async (_name, set) => {
    const runner = await env.deployed();
    set();
    expect(await runner.run({ spec: env.spec({ runState: "Stopped" }) })).toMatchObject({
      ops: ["stopApplication"],
      is: "waiting",
    });
    expect(await runner.run()).toMatchObject({ ops: [], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", status: { state: "STOPPED" } });
  });

  it("is asked for once in the pass that sees a deployment over", async () => {
    const runner = env.applied();
    await runner.run();
    env.harness.pass(120);
    expect(await runner.run({ spec: env.spec({ runState: "Stopped" }) })).toMatchObject({
      ops: ["stopApplication"],
      is: "waiting",
    });
  });

  it("is for a person when stopping fails", async () => {
    const runner = await env.deployed();
    env.harness.edit(runner.id(), { failNext: ["stop"] });
    await runner.run({ spec: env.spec({ runState: "Stopped" }) });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "StopFailed" } });
    expect(await runner.run({ requested: "again" })).toMatchObject({ ops: ["stopApplication"], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });
});

describe("the end of an application", () => {
  const env = applicationEnv("Full");
  it("[A5] is deleted until it is gone", async () => {
    const runner = await env.deployed();
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: ["deleteApplication"], is: "waiting" });
    env.harness.pass(3);
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], is: "waiting", why: { reason: "Deleting" } });
    env.harness.pass(60);
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
    expect(env.sent()).toEqual(["deleteApplication"]);
  });

  it("is stopped and left, once", async () => {
    const runner = await env.deployed();
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: ["stopApplication"], is: "waiting" });
    env.harness.pass(60);
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: [], is: "settled" });
    env.harness.edit(runner.id(), { state: "UNAVAILABLE" });
    env.harness.pass(60);
    expect(await runner.run({ goal: "stopped" })).toMatchObject({
      ops: [],
      is: "waiting",
      why: { reason: "UnknownState" },
    });
  });

  it("is over when its environment is gone, also where that is a 403, but not for want of a scope", async () => {
    const own = await env.harness.newEnvironment(env.projectId, `env-${env.name}`);
    const runner = env.harness.application(own, env.spec());
    await runner.run();
    env.harness.fault({ match: { operation: "listApplications" }, answer: { is: "status", status: 403 } });
    expect((await failureOf(runner.run({ goal: "absent" }))).failure.is).toBe("Forbidden");
    env.harness.remove(own);
    env.harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "ExternalResourceDeleted" } });
    env.harness.fault({ match: { operation: "listApplications" }, answer: { is: "status", status: 403 } });
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
  });

  it("is not told by a list that lags behind", async () => {
    env.harness.change({ listLagSeconds: 3600 });
    const runner = env.applied();
    await runner.run();
    env.harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", status: { state: "DEPLOYED" } });
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: ["deleteApplication"], is: "waiting" });
  });

  it("does not reach what an annotation claims outside the connection's projects", async () => {
    const runner = await env.deployed();
    runner.lose();
    for (const goal of ["absent", "stopped"] as const) {
      const run = await runner.run({ goal, allowedProjects: [NOBODY] });
      expect(run).toMatchObject({ ops: [], is: "stalled", why: { reason: "NotObservable" } });
    }
    addForeignVariable(env.harness.simulator.sim, {
      parentId: runner.id()!,
      scope: "APPLICATION",
      key: "K",
      value: "v",
    });
    expect(await runner.run({ goal: "absent", allowedProjects: [env.projectId] })).toMatchObject({
      ops: ["deleteApplication"],
    });
  });
});
