import { describe, expect, it } from "vitest";

import { application } from "../../src/kinds/application/index.ts";
import { createIntent } from "../support/kinds/env.ts";
import { applicationEnv } from "../support/services/application-runner.ts";
import { OTHER_COMMIT } from "../support/services/applications.ts";

describe("an application on the documented surface alone", () => {
  const env = applicationEnv("Documented");

  it("is created, and its environment before it, with the documented members alone", async () => {
    const { harness } = env;
    const environment = harness.environment(env.projectId, {
      projectRef: { name: "shop" },
      clusterRef: { externalId: harness.clusterIds[0] },
      name: `of-${env.name}`,
    });
    await environment.run();
    const git = { url: "https://github.com/acme/api.git", branch: "main" };
    const { environmentRef, name, deploy } = env.spec() as Readonly<Record<string, never>>;
    await env.harness.application(env.environmentId, { environmentRef, name, deploy, gitRepository: git }).run();
    const [first, second] = harness.writes();
    expect([first, second]).toEqual([
      ["createEnvironment", { name: `of-${env.name}`, cluster_id: harness.clusterIds[0] }],
      ["createApplication", { name, git_repository: git }],
    ]);
  });

  it("cannot be changed, stopped or deleted, and says so without an error", async () => {
    const runner = await env.deployed({ cpu: 250 });
    const changed = await runner.run({ spec: env.spec({ cpu: 750, memory: 1024 }) });
    expect(changed).toMatchObject({ ops: [], is: "stalled", why: { reason: "UpdateNotSupported" } });
    expect(changed.why.message).toContain(": spec.cpu, spec.memory cannot be changed");
    env.harness.pass(600);
    // Shows the ingress.
    expect(await runner.run()).toMatchObject({ ops: [] });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ spec: env.spec({ cpu: 250 }) })).toMatchObject({ is: "settled" });
    const stopped = await runner.run({ spec: env.spec({ cpu: 250, runState: "Stopped" }) });
    expect(stopped).toMatchObject({ ops: [], is: "stalled", why: { reason: "NotSupportedByApi" } });
    const ends = [await runner.run({ goal: "absent" }), await runner.run({ goal: "stopped" })];
    expect(ends.map(({ why }) => why.reason)).toEqual(["DeleteNotSupported", "NotSupportedByApi"]);
    expect(env.sent()).toEqual([]);
  });

  it("cannot replace a secret, and says which", async () => {
    const token = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
    const runner = await env.deployed({ variables: [token] }, { "spec.variables[TOKEN]": "old-value" });
    runner.around.values = { "spec.variables[TOKEN]": "new-value" };
    expect((await runner.run()).ops).toEqual(["importVariables", "deployApplication"]);
    env.harness.pass(120);
    const told = (await runner.run()).report.conditions.find(({ type }) => type === "VariablesSynced");
    expect(told).toMatchObject({
      status: "False",
      reason: "VariablesPending",
      message: expect.stringContaining(" TOKEN:"),
    });
    expect(JSON.stringify(told)).not.toContain("value");
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("that was given or claimed by its id is not touched unless the connection lets such ids stand", async () => {
    const id = await env.foreign();
    const given = env.applied({ externalId: id });
    const refused = { allowUnverifiedIds: false };
    expect(await given.run(refused)).toMatchObject({ ops: [], is: "stalled", why: { reason: "NotObservable" } });
    const other = { ...refused, spec: env.spec({ externalId: id, deploy: { gitCommitId: OTHER_COMMIT } }) };
    expect(await given.run(other)).toMatchObject({ ops: [], is: "stalled" });
    expect(await given.run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    given.lose();
    expect(await given.run(refused)).toMatchObject({ ops: [], is: "stalled", why: { reason: "NotObservable" } });
    expect(env.sent()).toEqual([]);
  });

  it("whose create was not confirmed cannot be looked up", async () => {
    const runner = env.applied();
    const intent = createIntent("createApplication", env.name, null, env.environmentId);
    expect(await application.trace(intent, runner.pass(), env.harness.api)).toMatchObject({
      is: "unknowable",
      why: { reason: "CreateResultUnknown", message: expect.stringContaining("resolve=recreate") },
    });
  });

  it("is followed where its status shows no more than the usage guide", async () => {
    env.harness.change({ profile: { applicationStatus: "partial" } });
    const runner = env.applied();
    expect(await runner.run()).toMatchObject({ ops: ["createApplication", "deployApplication"] });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
    env.harness.change({ nullRequestIds: true });
    const bad = { spec: env.spec({ deploy: { gitCommitId: `bad${OTHER_COMMIT.slice(3)}` } }) };
    expect(await runner.run(bad)).toMatchObject({ ops: ["deployApplication"], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "BuildFailed" } });
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });
});
