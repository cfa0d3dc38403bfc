import { describe, expect, it } from "vitest";

import type { JsonObject, OpenIntent } from "../../src/engine/contract/kind.ts";
import { application } from "../../src/kinds/application/index.ts";
import { applicationBench } from "../support/services/application-runner.ts";
import { OTHER_COMMIT } from "../support/services/applications.ts";

const secret = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };

describe("the settings of an application", () => {
  const bench = applicationBench("Full");
  const port = { internalPort: 8080, externalPort: 443, protocol: "HTTP", publiclyAccessible: true };
  const stored = (id: string | undefined) => bench.world.service(id).settings;

  it("are changed, deployed, and what others set beside them stays", async () => {
    const runner = await bench.deployed({ ports: [port, { internalPort: 9090 }] });
    bench.world.edit(runner.id(), { auto_preview: true, healthchecks: { liveness_probe: { type: "TCP" } } });
    const portsBefore = stored(runner.id())["ports"] as { id: string; internal_port: number }[];
    const changed = await runner.run({
      spec: bench.spec({ cpu: 750, ports: [{ ...port, externalPort: 8443 }, { internalPort: 9090 }] }),
    });
    expect(changed.ops).toEqual(["updateApplication", "deployApplication"]);
    expect(stored(runner.id())).toMatchObject({
      cpu: 750,
      auto_preview: true,
      healthchecks: { liveness_probe: { type: "TCP" } },
    });
    const portsAfter = stored(runner.id())["ports"] as typeof portsBefore;
    expect(portsAfter.map(({ id }) => id)).toEqual(portsBefore.map(({ id }) => id));
    expect(portsAfter.find(({ internal_port: inner }) => inner === 8080)).toMatchObject({ external_port: 8443 });
    bench.world.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", report: { drift: [] } });
    bench.world.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("[C11] that others changed are put back", async () => {
    const runner = await bench.deployed({ cpu: 250 });
    bench.world.edit(runner.id(), { cpu: 2000 });
    bench.world.pass(60);
    expect((await runner.run()).ops).toEqual(["updateApplication", "deployApplication"]);
  });

  it("that the platform stores otherwise are sent and deployed once, and told as drift", async () => {
    const runner = await bench.deployed();
    bench.world.fault({ match: { operation: "updateApplication" }, answer: { is: "edited", set: { cpu: 500 } } });
    const first = await runner.run({ spec: bench.spec({ cpu: 499 }) });
    bench.world.service(runner.id()).settings["cpu"] = 500;
    expect(first.ops).toEqual(["updateApplication", "deployApplication"]);
    for (let passes = 0; passes < 3; passes += 1) {
      bench.world.pass(600);
      expect(await runner.run()).toMatchObject({
        ops: [],
        is: "settled",
        report: { drift: [{ path: "spec.cpu", desired: "499", observed: "500" }] },
      });
    }
    expect(bench.sent()).toEqual(["updateApplication", "deployApplication"]);
    expect((await runner.run({ requested: "again" })).ops[0]).toBe("updateApplication");
  });

  it("are sent once, also when the answer has no body", async () => {
    const runner = await bench.deployed();
    bench.world.fault({ match: { operation: "updateApplication" }, effect: "applied", answer: { is: "empty" } });
    expect((await runner.run({ spec: bench.spec({ cpu: 750 }) })).ops).toEqual([
      "updateApplication",
      "deployApplication",
    ]);
    bench.world.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", report: { drift: [] } });
  });
});

describe("a secret of an application", () => {
  const bench = applicationBench("Full");
  it("is replaced before the deployment", async () => {
    const runner = await bench.deployed({ variables: [secret] }, { "spec.variables[TOKEN]": "old-value" });
    runner.around.values = { "spec.variables[TOKEN]": "new-value" };
    runner.around.sources = "s@2";
    const run = await runner.run();
    expect(run.ops).toEqual(["importVariables", "updateSecret", "deployApplication"]);
    expect(bench.world.values(runner.id())).toEqual({ TOKEN: "new-value" });
    bench.world.pass(120);
    const over = await runner.run();
    expect(over).toMatchObject({ ops: [], is: "settled", report: { drift: [] } });
    expect(JSON.stringify(over.status)).not.toMatch(/old-value|new-value/);
    bench.world.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("that could not be replaced at once is deployed once it is", async () => {
    const runner = await bench.deployed({ variables: [secret] }, { "spec.variables[TOKEN]": "old-value" });
    runner.around.values = { "spec.variables[TOKEN]": "new-value" };
    bench.world.fault({
      match: { operation: "listApplicationSecrets" },
      answer: { is: "edited", set: { results: [] } },
    });
    expect((await runner.run()).ops).toEqual(["importVariables", "deployApplication"]);
    bench.world.pass(120);
    expect((await runner.run()).ops).toEqual(["updateSecret", "deployApplication"]);
    bench.world.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });
});

describe("an application that others made", () => {
  const bench = applicationBench("Full");
  it("is taken over by its name, not deployed again, and not if somebody holds it", async () => {
    const id = await bench.foreign();
    expect(await bench.applied().run({ adoption: "Never" })).toMatchObject({
      why: { reason: "NameConflict" },
    });
    expect(await bench.applied().run({ holderOf: () => "shop/other" })).toMatchObject({
      why: { reason: "AlreadyManaged" },
    });
    const runner = bench.applied();
    expect(await runner.run()).toMatchObject({ ops: ["adopt"], is: "settled", why: { reason: "Deployed" } });
    expect(runner.id()).toBe(id);
    bench.world.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(bench.sent()).toEqual([]);
  });

  it.each<[string, JsonObject, string[]]>([
    ["settings", { cpu: 750 }, ["adopt", "updateApplication", "deployApplication"]],
    ["variables", { variables: [{ name: "MODE", value: "fast" }] }, ["adopt", "importVariables", "deployApplication"]],
    ["a commit", { deploy: { gitCommitId: OTHER_COMMIT } }, ["adopt", "deployApplication"]],
  ])("gets %s of ours, and a deployment for it", async (_name, change, ops) => {
    await bench.foreign();
    const runner = bench.world.application(bench.environmentId, bench.spec(change));
    expect((await runner.run()).ops).toEqual(ops);
    bench.world.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });

  it("keeps the variables that it has when our status was lost", async () => {
    const runner = await bench.deployed({ variables: [secret] }, { "spec.variables[TOKEN]": "hunter22" });
    runner.lose();
    expect(await runner.run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    bench.world.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("that is given by its id must be in the environment, and keep its name when only an annotation claims it", async () => {
    const id = await bench.foreign();
    const elsewhere = await bench.world.newEnvironment(bench.projectId, `env-${bench.name}`);
    expect(await bench.world.application(elsewhere, bench.spec({ externalId: id })).run()).toMatchObject({
      ops: [],
      why: { reason: "InvalidSpec" },
    });
    const given = bench.world.application(bench.environmentId, bench.spec({ externalId: id }));
    expect(await given.run()).toMatchObject({ ops: ["adopt"] });
    bench.world.edit(id, { name: `${bench.name}-renamed` });
    given.lose();
    const { externalId: _, ...without } = bench.spec({ externalId: id });
    bench.world.pass(60);
    expect(await given.run({ spec: without })).toMatchObject({ ops: [], why: { reason: "NameConflict" } });
  });

  it("is found by the trace of a create, once", async () => {
    const intent: OpenIntent = {
      op: "createApplication",
      creates: true,
      parentId: bench.environmentId,
      name: bench.name,
      id: undefined,
      commit: undefined,
      mark: { absentAt: bench.world.api.serverNow()?.toISOString() ?? null },
    };
    const runner = bench.applied();
    const trace = (change = {}) => application.trace(intent, runner.pass(change), bench.world.api);
    expect(await trace()).toEqual({ is: "absent" });
    const id = await bench.foreign();
    expect(await trace()).toMatchObject({ is: "landed", known: [{ id }] });
    expect(await trace({ holderOf: () => "shop/other" })).toEqual({ is: "absent" });
    bench.world.edit(id, { createdAt: "2020-01-01T00:00:00Z" });
    expect(await trace()).toEqual({ is: "absent" });
  });
});
