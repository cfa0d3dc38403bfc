import { describe, expect, it } from "vitest";

import { removeService } from "../../simulator/model/world.ts";
import { blueprintBench } from "../support/services/blueprint-runner.ts";

describe("the service of a blueprint", () => {
  const bench = blueprintBench("Full");
  const shown = (conditions: readonly { readonly type: string }[]) =>
    conditions.find(({ type }) => type === "Deployed");

  it("is followed until it is deployed", async () => {
    const runner = bench.applied();
    expect(await runner.run()).toMatchObject({ ops: ["createBlueprint"], is: "waiting" });
    bench.world.pass(3);
    const busy = await runner.run();
    expect(busy).toMatchObject({ is: "waiting", why: { reason: "Deploying" }, status: { state: "DEPLOYING" } });
    expect(shown(busy.report.conditions)).toMatchObject({ status: "False", reason: "DEPLOYING" });
    bench.world.pass(60);
    const done = await runner.run();
    expect(done).toMatchObject({ ops: [], is: "settled", why: { reason: "Deployed" } });
    expect(shown(done.report.conditions)).toMatchObject({ status: "True", reason: "DEPLOYED" });
    const { id, requestId } = bench.service(runner);
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
    const runner = await bench.created({ tag: "postgres/1.0.0", specOverrides });
    const { status } = await runner.run();
    expect(status).toMatchObject({ serviceType: "TERRAFORM", state: "DEPLOYED" });
    expect(status["ingress"]).toBeUndefined();
  });

  it("is not believed before the deployment shows", async () => {
    bench.world.change({ acceptLatencySeconds: 4 });
    const runner = bench.applied();
    await runner.run();
    bench.world.pass(1);
    expect(await runner.run()).toMatchObject({ ops: [], is: "waiting", status: { state: "READY" } });
    bench.world.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", why: { reason: "Deployed" } });
  });

  it("is waited for where the list lags behind", async () => {
    bench.world.change({ listLagSeconds: 3600 });
    const runner = bench.applied();
    expect(await runner.run()).toMatchObject({ ops: ["createBlueprint"], is: "waiting" });
    bench.world.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "waiting", why: { reason: "Progressing" } });
    expect(await runner.run({ goal: "absent" })).toMatchObject({ why: { reason: "DeleteNotSupported" } });
    bench.world.change({ listLagSeconds: 0 });
    bench.world.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });

  it("that failed is for a person, and well again once people deployed it", async () => {
    const runner = bench.applied();
    await runner.run();
    bench.world.edit(bench.service(runner).id, { failNext: ["deploy"] });
    bench.world.pass(60);
    const failed = await runner.run();
    expect(failed).toMatchObject({ ops: [], is: "stalled", why: { reason: "DeploymentFailed" } });
    expect(failed.status).toMatchObject({ lastFailure: { state: "DEPLOYMENT_ERROR" } });
    bench.world.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ requested: "again" })).toMatchObject({ ops: [], is: "stalled" });
    bench.world.foreignDeploy(bench.service(runner).id, "1a2b3c4");
    bench.world.pass(60);
    const mended = await runner.run();
    expect(mended).toMatchObject({ is: "settled", why: { reason: "Deployed" } });
    expect(mended.status["lastFailure"]).toBeUndefined();
  });

  it.each([
    ["before it was seen", 0],
    ["while it was followed", 3],
  ])("whose deployment was cancelled %s says so", async (_when, seconds) => {
    const runner = bench.applied();
    await runner.run();
    if (seconds > 0) {
      bench.world.pass(seconds);
      await runner.run();
    }
    bench.world.cancel(bench.service(runner).requestId ?? "");
    bench.world.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "Canceled" } });
    bench.world.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", wrote: false });
  });

  it("that others stopped is told, unless they may", async () => {
    const runner = await bench.created();
    bench.world.scheduledStop(bench.environmentId);
    bench.world.pass(60);
    const stopped = await runner.run();
    expect(stopped).toMatchObject({ ops: [], is: "stalled", why: { reason: "DriftDetected" } });
    expect(stopped.report.drift).toEqual([{ path: "state", desired: "DEPLOYED", observed: "STOPPED" }]);
    const left = await runner.run({ spec: bench.spec({ deployOnCreate: false }) });
    expect(left).toMatchObject({ ops: [], is: "settled", why: { reason: "NotDeployed" } });
    expect(left.report.drift).toEqual([]);
  });

  it("that others renamed is told as drift, and not undone", async () => {
    const runner = await bench.created();
    bench.world.edit(bench.service(runner).id, { name: "renamed", icon_uri: "https://other.example.com/i.png" });
    bench.world.pass(60);
    const { is, ops, report } = await runner.run();
    expect([is, ops]).toEqual(["settled", []]);
    expect(report.drift?.map(({ path }) => path)).toEqual(["spec.name", "spec.icon"]);
  });

  it("in a state that nobody documented is left alone", async () => {
    const runner = await bench.created();
    bench.world.edit(bench.service(runner).id, { state: "UNAVAILABLE" });
    bench.world.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "unknown", why: { reason: "UnknownState" } });
  });

  it("that is gone is not created again, unless the user wants it to be", async () => {
    const runner = await bench.created();
    removeService(bench.world.simulator.world(), bench.service(runner));
    bench.world.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "ExternalResourceDeleted" } });
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
    // Where only one of the lists lacks it, nobody knows.
    const status = { id: runner.status()["serviceId"], state: "DEPLOYED" };
    bench.world.fault({
      match: { operation: "getEnvironmentStatuses" },
      answer: { is: "edited", set: { helms: [status] } },
    });
    expect((await runner.run({ policies: { onMissing: "Recreate" } })).ops).toEqual([]);
    expect((await runner.run({ policies: { onMissing: "Recreate" } })).ops).toEqual(["forget"]);
    expect((await runner.run({ policies: { onMissing: "Recreate" } })).ops).toEqual(["createBlueprint"]);
    expect(bench.service(runner).name).toBe(bench.name);
  });

  it("with its environment gone is no proof of anything", async () => {
    const environmentId = await bench.world.newEnvironment(await bench.world.newProject(bench.name), "doomed");
    const runner = bench.world.blueprint(environmentId, bench.spec());
    await runner.run();
    bench.world.pass(60);
    await runner.run();
    bench.world.remove(environmentId);
    bench.world.pass(60);
    expect(await runner.run({ policies: { onMissing: "Recreate" } })).toMatchObject({
      ops: [],
      is: "stalled",
      why: { reason: "ExternalResourceDeleted" },
    });
  });
});

describe("a blueprint that others made", () => {
  const bench = blueprintBench("Full");

  it("is taken over by its name, as it is", async () => {
    const id = await bench.foreign(bench.name.toUpperCase());
    const runner = bench.applied({ variables: [{ name: "size", value: "small" }] });
    const adopted = await runner.run();
    expect(adopted).toMatchObject({ ops: ["adopt"], is: "settled", why: { reason: "Deployed" } });
    expect(runner.id()).toBe(id);
    expect(adopted.report.conditions.find(({ type }) => type === "VariablesSynced")).toMatchObject({
      status: "Unknown",
      reason: "NotObservable",
    });
    bench.world.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ spec: bench.spec({ tag: "redis/4.0.0" }) })).toMatchObject({
      why: { reason: "UpdateNotSupported" },
    });
  });

  it("stands in the way of a create where it may not be taken over, or somebody holds it", async () => {
    await bench.foreign();
    expect(await bench.applied().run({ adoption: "Never" })).toMatchObject({
      ops: [],
      why: { reason: "NameConflict" },
    });
    const held = await bench.applied().run({ holderOf: () => "shop/other" });
    expect(held).toMatchObject({ ops: [], why: { reason: "AlreadyManaged" } });
    expect(bench.world.writes()).toEqual([]);
  });

  it("is found by the id that was given, if it is a blueprint's", async () => {
    const id = await bench.foreign();
    expect(await bench.applied({ externalId: id }).run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    const serviceId = bench.world.simulator.world().blueprints.get(id)?.serviceId ?? "";
    const wrong = await bench.applied({ externalId: serviceId }).run();
    expect(wrong).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
    expect(wrong.why.message).toContain(`Set spec.externalId to the id of its blueprint, ${id}.`);
    const nobody = await bench.applied({ externalId: bench.environmentId }).run();
    expect(nobody).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
  });
});

describe("a create of a blueprint whose answer says nothing", () => {
  const bench = blueprintBench("Full");

  it.each(["status", "ids", "none"] as const)("is traced by the environment's services: %s", async (shape) => {
    bench.world.change({ profile: { blueprintDeployed: shape } });
    const runner = bench.applied();
    const mark = {
      absentAt: bench.world.api.serverNow()?.toISOString() ?? null,
      written: { settings: { "spec.tag": '"sent"' } },
      deploys: true,
    };
    expect(await bench.traced(runner, mark)).toEqual({ is: "absent" });
    const input = { name: bench.name, tag: "redis/3.0.0", icon: "https://x.example/y.svg" };
    const answer = await bench.world.api.blueprints.create(bench.environmentId, input, { deploy: true });
    expect(answer.id).toBeUndefined();
    const [made] = [...bench.world.simulator.world().blueprints.values()].slice(-1);
    const memory = { written: { settings: { "spec.tag": '"sent"' } }, serviceId: made?.serviceId };
    expect(await bench.traced(runner, mark)).toMatchObject({
      is: "landed",
      known: [{ id: made?.id, memory: { ...memory, lastDeployment: { startedAt: expect.any(String) } } }],
    });
    const alone = await bench.traced(runner, { ...mark, deploys: false });
    expect(alone).toMatchObject({ known: [{ id: made?.id, memory }] });
    expect(JSON.stringify(alone)).not.toContain("startedAt");
  });
});
