import { describe, expect, it } from "vitest";

import { removeService } from "../../simulator/model/world.ts";
import { blueprintEnv } from "../support/services/blueprint-runner.ts";

describe("the service of a blueprint", () => {
  const env = blueprintEnv("Full");
  const shown = (conditions: readonly { readonly type: string }[]) =>
    conditions.find(({ type }) => type === "Deployed");

  it("is followed until it is deployed", async () => {
    const runner = env.applied();
    expect(await runner.run()).toMatchObject({ ops: ["createBlueprint"], is: "waiting" });
    env.harness.pass(3);
    const busy = await runner.run();
    expect(busy).toMatchObject({ is: "waiting", why: { reason: "Deploying" }, status: { state: "DEPLOYING" } });
    expect(shown(busy.report.conditions)).toMatchObject({ status: "False", reason: "DEPLOYING" });
    env.harness.pass(60);
    const done = await runner.run();
    expect(done).toMatchObject({ ops: [], is: "settled", why: { reason: "Deployed" } });
    expect(shown(done.report.conditions)).toMatchObject({ status: "True", reason: "DEPLOYED" });
    const { id, requestId } = env.service(runner);
    expect(done.status).toMatchObject({
      state: "DEPLOYED",
      serviceDeploymentStatus: "UP_TO_DATE",
      serviceId: id,
      serviceType: "HELM",
      lastDeployment: { requestId, state: "DEPLOYED", finishedAt: expect.any(String) },
      ingress: { routerId: expect.any(String), status: "DEPLOYED" },
    });
    expect(done.report.conditions.find(({ type }) => type === "IngressReady")).toMatchObject({ status: "True" });
    expect(done.report.drift).toEqual([]);
  });

  it("of Terraform has no ingress", async () => {
    const specOverrides = { engine_version: "1.9.8" };
    const runner = await env.created({ tag: "postgres/1.0.0", specOverrides });
    const { status } = await runner.run();
    expect(status).toMatchObject({ serviceType: "TERRAFORM", state: "DEPLOYED" });
    expect(status["ingress"]).toBeUndefined();
  });

  it("is not believed before the deployment shows", async () => {
    env.harness.change({ acceptLatencySeconds: 4 });
    const runner = env.applied();
    await runner.run();
    env.harness.pass(1);
    expect(await runner.run()).toMatchObject({ ops: [], is: "waiting", status: { state: "READY" } });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", why: { reason: "Deployed" } });
  });

  it("is waited for where the list lags behind", async () => {
    env.harness.change({ listLagSeconds: 3600 });
    const runner = env.applied();
    expect(await runner.run()).toMatchObject({ ops: ["createBlueprint"], is: "waiting" });
    env.harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "waiting", why: { reason: "Progressing" } });
    expect(await runner.run({ goal: "absent" })).toMatchObject({ why: { reason: "DeleteNotSupported" } });
    env.harness.change({ listLagSeconds: 0 });
    env.harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });

  it("that failed is for a person, and well again once people deployed it", async () => {
    const runner = env.applied();
    await runner.run();
    env.harness.edit(env.service(runner).id, { failNext: ["deploy"] });
    env.harness.pass(60);
    const failed = await runner.run();
    expect(failed).toMatchObject({ ops: [], is: "stalled", why: { reason: "DeploymentFailed" } });
    expect(failed.status).toMatchObject({ lastFailure: { state: "DEPLOYMENT_ERROR" } });
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ requested: "again" })).toMatchObject({ ops: [], is: "stalled" });
    env.harness.foreignDeploy(env.service(runner).id, "1a2b3c4");
    env.harness.pass(60);
    const mended = await runner.run();
    expect(mended).toMatchObject({ is: "settled", why: { reason: "Deployed" } });
    expect(mended.status["lastFailure"]).toBeUndefined();
  });

  it.each([
    ["before it was seen", 0],
    ["while it was followed", 3],
  ])("whose deployment was cancelled %s says so", async (_when, seconds) => {
    const runner = env.applied();
    await runner.run();
    if (seconds > 0) {
      env.harness.pass(seconds);
      await runner.run();
    }
    env.harness.cancel(env.service(runner).requestId ?? "");
    env.harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "Canceled" } });
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", wrote: false });
  });

  it("that others stopped is told, unless they may", async () => {
    const runner = await env.created();
    env.harness.scheduledStop(env.environmentId);
    env.harness.pass(60);
    const stopped = await runner.run();
    expect(stopped).toMatchObject({ ops: [], is: "stalled", why: { reason: "DriftDetected" } });
    expect(stopped.report.drift).toEqual([{ path: "state", desired: "DEPLOYED", observed: "STOPPED" }]);
    const left = await runner.run({ spec: env.spec({ deployOnCreate: false }) });
    expect(left).toMatchObject({ ops: [], is: "settled", why: { reason: "NotDeployed" } });
    expect(left.report.drift).toEqual([]);
  });

  it("that others renamed is told as drift, and not undone", async () => {
    const runner = await env.created();
    env.harness.edit(env.service(runner).id, { name: "renamed", icon_uri: "https://other.example.com/i.png" });
    env.harness.pass(60);
    const { is, ops, report } = await runner.run();
    expect([is, ops]).toEqual(["settled", []]);
    expect(report.drift?.map(({ path }) => path)).toEqual(["spec.name", "spec.icon"]);
  });

  it("in a state that nobody documented is left alone", async () => {
    const runner = await env.created();
    env.harness.edit(env.service(runner).id, { state: "UNAVAILABLE" });
    env.harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "unknown", why: { reason: "UnknownState" } });
  });

  it("that is gone is not created again, unless the user wants it to be", async () => {
    const runner = await env.created();
    removeService(env.harness.simulator.world(), env.service(runner));
    env.harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "ExternalResourceDeleted" } });
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
    // Where only one of the lists lacks it, nobody knows.
    const status = { id: runner.status()["serviceId"], state: "DEPLOYED" };
    env.harness.fault({
      match: { operation: "getEnvironmentStatuses" },
      answer: { is: "edited", set: { helms: [status] } },
    });
    expect((await runner.run({ policies: { onMissing: "Recreate" } })).ops).toEqual([]);
    expect((await runner.run({ policies: { onMissing: "Recreate" } })).ops).toEqual(["forget"]);
    expect((await runner.run({ policies: { onMissing: "Recreate" } })).ops).toEqual(["createBlueprint"]);
    expect(env.service(runner).name).toBe(env.name);
  });

  it("with its environment gone is no proof of anything", async () => {
    const environmentId = await env.harness.newEnvironment(await env.harness.newProject(env.name), "doomed");
    const runner = env.harness.blueprint(environmentId, env.spec());
    await runner.run();
    env.harness.pass(60);
    await runner.run();
    env.harness.remove(environmentId);
    env.harness.pass(60);
    expect(await runner.run({ policies: { onMissing: "Recreate" } })).toMatchObject({
      ops: [],
      is: "stalled",
      why: { reason: "ExternalResourceDeleted" },
    });
  });
});

describe("a blueprint that others made", () => {
  const env = blueprintEnv("Full");

  it("stands in the way of a create where it may not be taken over, or somebody holds it", async () => {
    await env.foreign();
    expect(await env.applied().run({ adoption: "Never" })).toMatchObject({
      ops: [],
      why: { reason: "NameConflict" },
    });
    const held = await env.applied().run({ holderOf: () => "shop/other" });
    expect(held).toMatchObject({ ops: [], why: { reason: "AlreadyManaged" } });
    expect(env.harness.writes()).toEqual([]);
  });

  it("is found by the id that was given, if it is a blueprint's", async () => {
    const id = await env.foreign();
    expect(await env.applied({ externalId: id }).run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    const serviceId = env.harness.simulator.world().blueprints.get(id)?.serviceId ?? "";
    const wrong = await env.applied({ externalId: serviceId }).run();
    expect(wrong).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
    expect(wrong.why.message).toContain(`Set spec.externalId to the id of its blueprint, ${id}.`);
    const nobody = await env.applied({ externalId: env.environmentId }).run();
    expect(nobody).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
  });
});

describe("a create of a blueprint whose answer says nothing", () => {
  const env = blueprintEnv("Full");

  it.each(["status", "ids", "none"] as const)("is traced by the environment's services: %s", async (shape) => {
    env.harness.change({ profile: { blueprintDeployed: shape } });
    const runner = env.applied();
    const mark = {
      absentAt: env.harness.api.serverNow()?.toISOString() ?? null,
      written: { settings: { "spec.tag": '"sent"' } },
      deploys: true,
    };
    expect(await env.traced(runner, mark)).toEqual({ is: "absent" });
    const input = { name: env.name, tag: "redis/3.0.0", icon: "https://x.example/y.svg" };
    const answer = await env.harness.api.blueprints.create(env.environmentId, input, { deploy: true });
    expect(answer.id).toBeUndefined();
    const [made] = [...env.harness.simulator.world().blueprints.values()].slice(-1);
    const memory = { written: { settings: { "spec.tag": '"sent"' } }, serviceId: made?.serviceId };
    expect(await env.traced(runner, mark)).toMatchObject({
      is: "landed",
      known: [{ id: made?.id, memory: { ...memory, lastDeployment: { startedAt: expect.any(String) } } }],
    });
    const alone = await env.traced(runner, { ...mark, deploys: false });
    expect(alone).toMatchObject({ known: [{ id: made?.id, memory }] });
    expect(JSON.stringify(alone)).not.toContain("startedAt");
  });
});
