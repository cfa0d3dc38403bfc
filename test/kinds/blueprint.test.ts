import { describe, expect, it } from "vitest";

import { NOBODY } from "../support/kinds/env.ts";
import { failureOf } from "../support/platform/client.ts";
import { blueprintEnv, ICON } from "../support/services/blueprint-runner.ts";

const PASSWORD = { name: "password", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
const FIELD = "spec.variables[password]";

describe.each(["Documented", "Full"] as const)("a blueprint on the %s surface", (surface) => {
  const env = blueprintEnv(surface);

  it("is created alone where nothing is to be deployed", async () => {
    const runner = await env.created({ deployOnCreate: false });
    expect(env.service(runner)).toMatchObject({ state: "READY", deploymentStatus: "NEVER_DEPLOYED" });
  });

  it.each([
    ["absent", {}, {}],
    ["null", { specOverrides: null }, { spec_overrides: null }],
    ["empty", { specOverrides: {} }, { spec_overrides: {} }],
    ["given", { specOverrides: { timeout: 60, cpu: "1" } }, { spec_overrides: { timeout: 60, cpu: "1" } }],
  ])("sends overrides as they stand in the spec: %s", async (_name, change, sent) => {
    const runner = env.applied({ deployOnCreate: false, ...change });
    await runner.run();
    expect(env.harness.writes()).toEqual([
      ["createBlueprint", { name: env.name, tag: "redis/3.0.0", icon: ICON, ...sent }],
    ]);
  });

  it("takes no overrides, null and empty ones for the same", async () => {
    const runner = await env.created({ specOverrides: null });
    expect(await runner.run({ spec: env.spec() })).toMatchObject({ ops: [], is: "settled" });
    expect(await runner.run({ spec: env.spec({ specOverrides: {} }) })).toMatchObject({ ops: [], is: "settled" });
    const given = { spec: env.spec({ specOverrides: { cpu: "1" } }) };
    expect(await runner.run(given)).toMatchObject({ ops: [], why: { reason: "UpdateNotSupported" } });
  });

  it("takes variables with it, secrets as such, and shows no value", async () => {
    const variables = [{ name: "size", value: "small" }, PASSWORD];
    const runner = await env.created({ variables }, { [FIELD]: "s3cret-value" });
    expect(env.harness.values(env.service(runner).id)).toEqual({ size: "small", password: "s3cret-value" });
    const { status, report } = await runner.run();
    expect(JSON.stringify(status)).not.toContain("s3cret-value");
    expect(report.conditions.find(({ type }) => type === "VariablesSynced")).toMatchObject({ status: "True" });
  });

  it("cannot be changed, says which fields, and is well again once they are what they were", async () => {
    const runner = await env.created();
    const other = { tag: "redis/4.0.0", specOverrides: { cpu: "2" } };
    const changed = await runner.run({ spec: env.spec(other) });
    expect(changed).toMatchObject({ ops: [], is: "stalled", why: { reason: "UpdateNotSupported" } });
    expect(changed.why.message).toContain(": spec.specOverrides, spec.tag cannot be changed");
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ spec: env.spec() })).toMatchObject({ ops: [], is: "settled" });
  });

  it("cannot be given the new value of a Secret, and says so", async () => {
    const runner = await env.created({ variables: [PASSWORD] }, { [FIELD]: "old-value" });
    runner.around.sources = "s@2";
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
    runner.around.values = { [FIELD]: "new-value" };
    const rotated = await runner.run();
    expect(rotated).toMatchObject({ ops: [], is: "stalled", why: { reason: "UpdateNotSupported" } });
    expect(rotated.why.message).toContain("spec.variables");
    expect(rotated.report.conditions.find(({ type }) => type === "VariablesSynced")).toMatchObject({ status: "False" });
    expect(JSON.stringify(rotated)).not.toContain("-value");
    runner.around.values = { [FIELD]: "old-value" };
    expect(await runner.run()).toMatchObject({ is: "settled" });
  });

  it.each(["text", "list"] as const)("that the platform rejects is told field by field: %s", async (rejections) => {
    env.harness.change({ profile: { rejections } });
    const overrides = { cpu: "1", ram: "1" };
    const failed = await failureOf(env.applied({ tag: "postgres/1.0.0", specOverrides: overrides }).run());
    expect(failed).toMatchObject({ status: 422, failure: { is: "Invalid" } });
    for (const field of ["cpu", "ram", "engine_version"]) expect(failed.message).toContain(`spec_overrides.${field}`);
  });

  it("whose overrides are checked here is not even sent", async () => {
    const terraform = { tag: "postgres/1.0.0", engine: "Terraform", allowedEngineVersions: ["1.9.8"] };
    const runner = env.applied({ ...terraform, specOverrides: null });
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
    const wrong = { spec: env.spec({ ...terraform, specOverrides: { engine_version: "1.5" } }) };
    expect(await runner.run(wrong)).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
    const right = { spec: env.spec({ ...terraform, specOverrides: { engine_version: "1.9.8" } }) };
    expect(await runner.run(right)).toMatchObject({ ops: ["createBlueprint"] });
  });

  it("of Helm is created with what it ignores, and warns of it", async () => {
    const specOverrides = { engine_version: "9", backend: "vendor", timeout: 60 };
    const runner = await env.created({ engine: "Helm", specOverrides });
    const told = (await runner.run()).report.conditions.find(({ type }) => type === "ConfigValid");
    expect(told).toMatchObject({ status: "True", reason: "FieldsIgnored" });
    expect(told?.message).toContain("spec.specOverrides.engine_version, spec.specOverrides.backend:");
  });

  it("cannot be deleted or stopped, and holds up nothing", async () => {
    const runner = await env.created();
    const ends = [await runner.run({ goal: "absent" }), await runner.run({ goal: "stopped" })];
    expect(ends.map(({ is, why }) => [is, why.reason])).toEqual([
      ["stalled", "DeleteNotSupported"],
      ["stalled", "NotSupportedByApi"],
    ]);
    expect(env.harness.writes()).toEqual([]);
  });

  it("is not made in an environment that is not the organization's", async () => {
    const foreign = env.harness.blueprint(NOBODY, env.spec({ environmentRef: { externalId: NOBODY } }));
    expect(await foreign.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
    const outside = await env.applied().run({ allowedProjects: [NOBODY] });
    expect(outside).toMatchObject({ ops: [], is: "stalled", why: { reason: "PermissionDenied" } });
  });
});

describe("a blueprint on the documented surface alone", () => {
  const env = blueprintEnv("Documented");

  it("is Available once it is created, and says that no more is to be seen", async () => {
    const runner = await env.created();
    const { status, report, why } = await runner.run();
    expect(why).toMatchObject({ reason: "Available", message: expect.stringContaining("does not show its state") });
    expect(report.conditions.find(({ type }) => type === "Deployed")).toMatchObject({
      status: "Unknown",
      reason: "NotObservable",
    });
    expect(status["state"]).toBeUndefined();
    expect(report.drift).toBeUndefined();
    env.harness.edit(env.service(runner).id, { state: "DEPLOYMENT_ERROR", name: "other" });
    expect(await runner.run()).toMatchObject({ is: "settled", wrote: false });
  });

  it("is not deployed unless its spec says so, and says that nothing will deploy it", async () => {
    const { deployOnCreate: _deployed, ...usual } = env.spec() as { readonly deployOnCreate: boolean };
    const runner = env.harness.blueprint(env.environmentId, usual);
    const { is, why } = await runner.run();
    expect(env.service(runner)).toMatchObject({ state: "READY", deploymentStatus: "NEVER_DEPLOYED" });
    expect(is).toBe("settled");
    expect(why.message).toContain("Nothing will deploy it: spec.deployOnCreate was false");
    // What exists was created with the choice that counts.
    expect(await runner.run({ spec: env.spec() })).toMatchObject({ ops: [], why: { message: why.message } });
  });

  it("is followed by the request that the answer to its creation names", async () => {
    env.harness.change({ profile: { blueprintDeployed: "both" } });
    const runner = env.applied();
    const told = async () => {
      const { is, why, status, report } = await runner.run();
      const deployed = report.conditions.find(({ type }) => type === "Deployed");
      return { is, reason: why.reason, last: status["lastDeployment"], deployed: deployed?.reason };
    };
    const { requestId } = ((await told()).last ?? {}) as { readonly requestId?: string };
    expect(requestId).toBe(env.service(runner).requestId);
    env.harness.pass(3);
    expect(await told()).toMatchObject({ is: "waiting", reason: "Deploying", deployed: "DEPLOYING" });
    env.harness.pass(120);
    const last = { requestId, state: "DEPLOYED", finishedAt: expect.any(String) };
    expect(await told()).toMatchObject({ is: "settled", reason: "Deployed", deployed: "DEPLOYED", last });
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
  });

  it("whose followed deployment fails is for a person, who may leave it to others", async () => {
    env.harness.change({ profile: { blueprintDeployed: "both" } });
    const runner = env.applied();
    await runner.run();
    env.harness.edit(env.service(runner).id, { failNext: ["deploy"] });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "DeploymentFailed" } });
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", wrote: false });
    const left = { spec: env.spec({ deployOnCreate: false }) };
    expect(await runner.run(left)).toMatchObject({ ops: [], is: "settled", why: { reason: "Available" } });
  });

  it("cannot be looked up when its create was not confirmed", async () => {
    await env.foreign();
    expect(await env.traced(env.applied(), null)).toMatchObject({
      is: "unknowable",
      why: { reason: "CreateResultUnknown", message: expect.stringContaining("resolve=recreate") },
    });
  });

  it("that was given by its id is not touched unless the connection lets such ids stand", async () => {
    const given = env.applied({ externalId: await env.foreign() });
    const refused = await given.run({ allowUnverifiedIds: false });
    expect(refused).toMatchObject({ ops: [], is: "stalled", why: { reason: "NotObservable" } });
    expect(await given.run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    expect(await given.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
    expect(env.harness.writes()).toEqual([]);
  });
});
