import { describe, expect, it } from "vitest";

import type { OpenIntent } from "../../src/engine/contract/kind.ts";
import { application } from "../../src/kinds/application/index.ts";
import { applicationBench } from "../support/services/application-runner.ts";
import { OTHER_COMMIT } from "../support/services/applications.ts";

describe("an application on the documented surface alone", () => {
  const bench = applicationBench("Documented");

  it("is created, and its environment before it, with the documented members alone", async () => {
    const { world } = bench;
    const environment = world.environment(bench.projectId, {
      projectRef: { name: "shop" },
      clusterRef: { externalId: world.clusterIds[0] },
      name: `of-${bench.name}`,
    });
    await environment.run();
    const git = { url: "https://github.com/acme/api.git", branch: "main" };
    const { environmentRef, name, deploy } = bench.spec() as Readonly<Record<string, never>>;
    await bench.world.application(bench.environmentId, { environmentRef, name, deploy, gitRepository: git }).run();
    const [first, second] = world.writes();
    expect([first, second]).toEqual([
      ["createEnvironment", { name: `of-${bench.name}`, cluster_id: world.clusterIds[0] }],
      ["createApplication", { name, git_repository: git }],
    ]);
  });

  it("cannot be changed, stopped or deleted, and says so without an error", async () => {
    const runner = await bench.deployed({ cpu: 250 });
    const changed = await runner.run({ spec: bench.spec({ cpu: 750, memory: 1024 }) });
    expect(changed).toMatchObject({ ops: [], is: "stalled", why: { reason: "UpdateNotSupported" } });
    expect(changed.why.message).toContain(": spec.cpu, spec.memory cannot be changed");
    bench.world.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ spec: bench.spec({ cpu: 250 }) })).toMatchObject({ is: "settled" });
    const stopped = await runner.run({ spec: bench.spec({ cpu: 250, runState: "Stopped" }) });
    expect(stopped).toMatchObject({ ops: [], is: "stalled", why: { reason: "NotSupportedByApi" } });
    const ends = [await runner.run({ goal: "absent" }), await runner.run({ goal: "stopped" })];
    expect(ends.map(({ why }) => why.reason)).toEqual(["DeleteNotSupported", "NotSupportedByApi"]);
    expect(bench.sent()).toEqual([]);
  });

  it("cannot replace a secret, and says which", async () => {
    const token = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
    const runner = await bench.deployed({ variables: [token] }, { "spec.variables[TOKEN]": "old-value" });
    runner.around.values = { "spec.variables[TOKEN]": "new-value" };
    expect((await runner.run()).ops).toEqual(["importVariables", "deployApplication"]);
    bench.world.pass(120);
    const told = (await runner.run()).report.conditions.find(({ type }) => type === "VariablesSynced");
    expect(told).toMatchObject({
      status: "False",
      reason: "VariablesPending",
      message: expect.stringContaining(" TOKEN:"),
    });
    expect(JSON.stringify(told)).not.toContain("value");
    bench.world.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("that was given or claimed by its id is not touched unless the connection lets such ids stand", async () => {
    const id = await bench.foreign();
    const given = bench.applied({ externalId: id });
    const refused = { allowUnverifiedIds: false };
    expect(await given.run(refused)).toMatchObject({ ops: [], is: "stalled", why: { reason: "NotObservable" } });
    const other = { ...refused, spec: bench.spec({ externalId: id, deploy: { gitCommitId: OTHER_COMMIT } }) };
    expect(await given.run(other)).toMatchObject({ ops: [], is: "stalled" });
    expect(await given.run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    given.lose();
    expect(await given.run(refused)).toMatchObject({ ops: [], is: "stalled", why: { reason: "NotObservable" } });
    expect(bench.sent()).toEqual([]);
  });

  it("whose create was not confirmed cannot be looked up", async () => {
    const runner = bench.applied();
    const intent: OpenIntent = {
      op: "createApplication",
      creates: true,
      parentId: bench.environmentId,
      name: bench.name,
      id: undefined,
      commit: undefined,
      mark: null,
    };
    expect(await application.trace(intent, runner.pass(), bench.world.api)).toMatchObject({
      is: "unknowable",
      why: { reason: "CreateResultUnknown", message: expect.stringContaining("resolve=recreate") },
    });
  });

  it("is followed where its status shows no more than the usage guide", async () => {
    bench.world.change({ profile: { applicationStatus: "partial" } });
    const runner = bench.applied();
    expect(await runner.run()).toMatchObject({ ops: ["createApplication", "deployApplication"] });
    bench.world.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
    bench.world.change({ nullRequestIds: true });
    const bad = { spec: bench.spec({ deploy: { gitCommitId: `bad${OTHER_COMMIT.slice(3)}` } }) };
    expect(await runner.run(bad)).toMatchObject({ ops: ["deployApplication"], is: "waiting" });
    bench.world.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "BuildFailed" } });
    bench.world.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });
});
