import { describe, expect, it } from "vitest";

import { removeService } from "../../simulator/model/world.ts";
import type { OpenIntent } from "../../src/engine/contract/kind.ts";
import { blueprint } from "../../src/kinds/blueprint/index.ts";
import { openIntent } from "../support/kinds/contexts.ts";
import type { Runner } from "../support/kinds/kind-runner.ts";
import { blueprintEnv } from "./runners.ts";

type Env = ReturnType<typeof blueprintEnv>;

/** The service that a blueprint became. */
const serviceOf = ({ harness }: Env, runner: Runner) =>
  harness.service(harness.simulator.world().blueprints.get(runner.id() ?? "")?.serviceId);

/** Traces the create of this test. @param mark the baseline of the plan */
const traced = ({ harness, environmentId, name }: Env, runner: Runner, mark: OpenIntent["mark"]) => {
  const create = { creates: true, parentId: environmentId, name, mark };
  return blueprint.trace(openIntent("createBlueprint", create), runner.context(), harness.api);
};

const PASSWORD = { name: "password", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
const FIELD = "spec.variables[password]";

describe.each(["Documented", "Full"] as const)("a blueprint on the %s surface", (surface) => {
  const env = blueprintEnv(surface);

  it("gets its variables with its creation, secrets as secrets, and its status shows no value", async () => {
    const variables = [{ name: "size", value: "small" }, PASSWORD];
    const runner = await env.deployed({ variables }, { [FIELD]: "s3cret-value" });
    expect(env.harness.values(serviceOf(env, runner).id)).toEqual({ size: "small", password: "s3cret-value" });
    const { status, report } = await runner.run();
    expect(JSON.stringify(status)).not.toContain("s3cret-value");
    expect(report.conditions.find(({ type }) => type === "VariablesSynced")).toMatchObject({ status: "True" });
  });

  it("gets variables as objects of any shape, unchanged", async () => {
    const variableObjects = [{ name: "tier", value: "small", nested: { list: [1, null] } }];
    const runner = env.applied({ variables: [{ name: "size", value: "s" }], variableObjects });
    await runner.run();
    const usual = { name: "size", value: "s", is_secret: false };
    const body: unknown = expect.objectContaining({ variables: [usual, ...variableObjects] });
    expect(env.harness.writes()).toEqual([["createBlueprint", body]]);
    expect((await env.after(120, runner)).ops).toEqual([]);
  });
});

describe("a blueprint on the Documented surface", () => {
  const env = blueprintEnv("Documented");

  it("reports that the platform cannot change the value of a variable from a Secret", async () => {
    const runner = await env.deployed({ variables: [PASSWORD] }, { [FIELD]: "old-value" });
    runner.around.sources = "s@2";
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
    runner.around.values = { [FIELD]: "new-value" };
    const rotated = await runner.run();
    expect(rotated).toMatchObject({ ops: [], end: "stalled UpdateNotSupported" });
    expect(rotated.why.message).toContain("spec.variables");
    expect(rotated.report.conditions.find(({ type }) => type === "VariablesSynced")).toMatchObject({ status: "False" });
    expect(JSON.stringify(rotated)).not.toContain("-value");
    runner.around.values = { [FIELD]: "old-value" };
    expect(await runner.run()).toMatchObject({ is: "settled" });
  });

  it("is not deployed without deployOnCreate, and says that nothing will deploy it", async () => {
    const { deployOnCreate: _deployed, ...usual } = env.spec() as { readonly deployOnCreate: boolean };
    const runner = env.harness.blueprint(env.environmentId, usual);
    const { is, why } = await runner.run();
    expect(serviceOf(env, runner)).toMatchObject({ state: "READY", deploymentStatus: "NEVER_DEPLOYED" });
    expect(is).toBe("settled");
    expect(why.message).toContain("Nothing will deploy it: spec.deployOnCreate was false");
    // What exists was created with the choice that counts.
    expect(await runner.run({ spec: env.spec() })).toMatchObject({ ops: [], why: { message: why.message } });
  });

  it("is followed by the request that the answer to its creation names", async () => {
    env.harness.change({ profile: { blueprintDeployed: "both" } });
    const runner = env.applied();
    const { status } = await runner.run();
    const { requestId } = serviceOf(env, runner);
    expect(status).toMatchObject({ lastDeployment: { requestId } });
    expect(await env.after(3, runner)).toMatchObject({ end: "waiting Deploying" });
    const lastDeployment = { requestId, state: "DEPLOYED", finishedAt: expect.any(String) };
    expect(await env.after(120, runner)).toMatchObject({ end: "settled Deployed", status: { lastDeployment } });
    expect(await env.after(600, runner)).toMatchObject({ ops: [], is: "settled", wrote: false });
  });

  it("is Stalled when its deployment fails, until its spec leaves the deployment to others", async () => {
    env.harness.change({ profile: { blueprintDeployed: "both" } });
    const runner = await env.begun(env.applied());
    env.harness.edit(serviceOf(env, runner).id, { failNext: ["deploy"] });
    expect(await env.after(120, runner)).toMatchObject({ ops: [], end: "stalled DeploymentFailed" });
    expect(await env.after(600, runner)).toMatchObject({ ops: [], is: "stalled", wrote: false });
    const left = { spec: env.spec({ deployOnCreate: false }) };
    expect(await runner.run(left)).toMatchObject({ ops: [], end: "settled NotObservable" });
  });
});

describe("the service of a blueprint", () => {
  const env = blueprintEnv("Full");

  it("gets changed settings and variables, is deployed with them, and loses what left the spec", async () => {
    const variables = [PASSWORD, { name: "size", value: "small" }];
    const runner = await env.deployed(
      { variables, specOverrides: { timeout: 60, cpu: "1" } },
      { [FIELD]: "old-value" },
    );
    runner.around.values = { [FIELD]: "new-value" };
    runner.around.sources = "s@2";
    const spec = env.spec({ name: `${env.name}-2`, variables: [PASSWORD], specOverrides: { timeout: 90 } });
    const changed = await runner.run({ spec });
    expect(changed).toMatchObject({ ops: ["updateBlueprint", "deployBlueprint"], is: "waiting" });
    expect(env.harness.values(serviceOf(env, runner).id)).toEqual({ password: "new-value" });
    expect(serviceOf(env, runner)).toMatchObject({ name: `${env.name}-2`, settings: { timeout: 90 } });
    expect(serviceOf(env, runner).settings).not.toHaveProperty("cpu");
    const { requestId } = serviceOf(env, runner);
    const steps = { totalSeconds: expect.any(Number) as number };
    const lastDeployment = { settings: 1, state: "DEPLOYED", requestId, subAction: "NONE", steps };
    expect(await env.after(120, runner)).toMatchObject({
      ops: [],
      end: "settled Deployed",
      status: { lastDeployment },
    });
    expect(JSON.stringify(runner.status())).not.toContain("-value");
    expect(await env.after(600, runner)).toMatchObject({ ops: [], is: "settled", wrote: false });
  });

  it("gets the change that a crash left unsent, and nothing twice", async () => {
    const runner = await env.deployed();
    const spec = env.spec({ specOverrides: { timeout: 90 } });
    env.harness.fault("updateBlueprint", { is: "status", status: 502 }, { effect: "applied", count: 1 });
    await expect(runner.run({ spec })).rejects.toThrow("Simulated failure");
    expect((await runner.run()).ops).toEqual(["updateBlueprint", "deployBlueprint"]);
    expect(await env.after(120, runner)).toMatchObject({ ops: [], is: "settled" });
  });

  it.each([
    ["redis/3.0.0", {}, "deleteHelm"],
    ["postgres/1.0.0", { engine_version: "1.9.8" }, "deleteTerraform"],
  ])("of %s is deleted with its resource", async (tag, specOverrides, operation) => {
    const runner = await env.deployed({ tag, specOverrides });
    const { id } = serviceOf(env, runner);
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [operation], end: "waiting Deleting" });
    expect(await env.after(120, runner, { goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
    expect(env.harness.simulator.world().services.has(id)).toBe(false);
  });

  it("is stopped with its resource, and stays", async () => {
    const runner = await env.deployed();
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: ["stopHelm"], is: "waiting" });
    expect(await env.after(120, runner, { goal: "stopped" })).toMatchObject({ ops: [], is: "settled" });
    expect(serviceOf(env, runner).state).toBe("STOPPED");
  });

  it.each([
    ["deployBlueprint", "DEPLOYED"],
    ["stopHelm", "STOPPED"],
  ])("shows whether an unconfirmed %s was executed", async (op, state) => {
    const runner = await env.deployed();
    const { id: serviceId, lastDeploymentDate, executionId, requestId } = serviceOf(env, runner);
    const intent = {
      id: runner.id(),
      mark: { baseline: JSON.stringify([lastDeploymentDate, executionId, 0]), state: "DEPLOYED", requestId },
    };
    const traced = () => blueprint.trace(openIntent(op, intent), runner.context(), env.harness.api);
    expect(await traced()).toEqual({ is: "absent" });
    const { blueprints, services } = env.harness.api;
    await (op === "stopHelm" ? services.stopHelm(serviceId) : blueprints.deploy(runner.id() ?? ""));
    env.harness.advance(120);
    expect(await traced()).toMatchObject({ is: "landed", known: [{ observed: { status: { state } } }] });
  });

  it("has no ingress if it is of Terraform", async () => {
    const runner = await env.deployed({ tag: "postgres/1.0.0", specOverrides: { engine_version: "1.9.8" } });
    const { status } = await runner.run();
    expect(status).toMatchObject({ serviceType: "TERRAFORM", state: "DEPLOYED" });
    expect(status["ingress"]).toBeUndefined();
  });

  it("is created again only if both lists lack it", async () => {
    const runner = await env.deployed();
    removeService(env.harness.simulator.world(), serviceOf(env, runner));
    env.harness.advance(60);
    const status = { id: runner.status()["serviceId"], state: "DEPLOYED" };
    env.harness.fault("getEnvironmentStatuses", { is: "edited", set: { helms: [status] } });
    expect((await runner.run({ onMissing: "Recreate" })).ops).toEqual([]);
    expect((await runner.run({ onMissing: "Recreate" })).ops).toEqual(["forget"]);
  });

  it("is NotObservable, and not missing, when its environment is deleted", async () => {
    const environmentId = await env.harness.newEnvironment(await env.harness.newProject(env.name), "doomed");
    const runner = env.harness.blueprint(environmentId, env.spec());
    await runner.run();
    await env.after(60, runner);
    env.harness.remove(environmentId);
    const missed = await env.after(60, runner, { onMissing: "Recreate" });
    expect(missed).toMatchObject({ ops: [], end: "settled NotObservable" });
  });

  it("of others is adopted by the id of its blueprint, and not by the id of the service", async () => {
    const input = { name: env.name, tag: "redis/3.0.0", icon: "https://icons.example.com/redis.svg" };
    const { id = "" } = await env.harness.api.blueprints.create(env.environmentId, input, { deploy: true });
    env.harness.advance(120);
    expect(await env.applied({ externalId: id }).run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    const serviceId = env.harness.simulator.world().blueprints.get(id)?.serviceId ?? "";
    const wrong = await env.applied({ externalId: serviceId }).run();
    expect(wrong).toMatchObject({ ops: [], end: "stalled InvalidSpec" });
    expect(wrong.why.message).toContain(`Set spec.externalId to the id of its blueprint, ${id}.`);
    const nobody = await env.applied({ externalId: env.environmentId }).run();
    expect(nobody).toMatchObject({ ops: [], end: "stalled InvalidSpec" });
  });

  it.each(["status", "ids", "none"] as const)(
    "is found by the list of services when the answer to the create has no id (%s)",
    async (shape) => {
      env.harness.change({ profile: { blueprintDeployed: shape } });
      const runner = env.applied();
      const written = { settings: { "spec.tag": '"sent"' } };
      const mark = { absentAt: env.harness.api.serverNow()?.toISOString() ?? null, written, deploys: true };
      expect(await traced(env, runner, mark)).toEqual({ is: "absent" });
      const input = { name: env.name, tag: "redis/3.0.0", icon: "https://x.example/y.svg" };
      const answer = await env.harness.api.blueprints.create(env.environmentId, input, { deploy: true });
      expect(answer.id).toBeUndefined();
      const [made] = [...env.harness.simulator.world().blueprints.values()].slice(-1);
      const memory = { written, serviceId: made?.serviceId };
      const followed = { ...memory, lastDeployment: { startedAt: expect.any(String) } };
      const landed = { is: "landed", known: [{ id: made?.id, memory: followed }] };
      expect(await traced(env, runner, mark)).toMatchObject(landed);
      const alone = await traced(env, runner, { ...mark, deploys: false });
      expect(alone).toMatchObject({ known: [{ id: made?.id, memory }] });
      expect(JSON.stringify(alone)).not.toContain("startedAt");
    },
  );
});
