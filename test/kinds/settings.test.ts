import { describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/engine/contract/kind.ts";
import { application } from "../../src/kinds/application/index.ts";
import { createIntent } from "../support/kinds/env.ts";
import { applicationEnv } from "../support/services/application-runner.ts";
import { OTHER_COMMIT } from "../support/services/applications.ts";

const secret = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };

describe("the settings of an application", () => {
  const env = applicationEnv("Full");
  const port = { internalPort: 8080, externalPort: 443, protocol: "HTTP", publiclyAccessible: true };
  const stored = (id: string | undefined) => env.harness.service(id).settings;

  it("are changed, deployed, and what others set beside them stays", async () => {
    const runner = await env.deployed({ ports: [port, { internalPort: 9090 }] });
    env.harness.edit(runner.id(), { auto_preview: true, healthchecks: { liveness_probe: { type: "TCP" } } });
    const portsBefore = stored(runner.id())["ports"] as { id: string; internal_port: number }[];
    const changed = await runner.run({
      spec: env.spec({ cpu: 750, ports: [{ ...port, externalPort: 8443 }, { internalPort: 9090 }] }),
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
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", report: { drift: [] } });
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("[C11] that others changed are put back", async () => {
    const runner = await env.deployed({ cpu: 250 });
    env.harness.edit(runner.id(), { cpu: 2000 });
    env.harness.pass(60);
    expect((await runner.run()).ops).toEqual(["updateApplication", "deployApplication"]);
  });

  it("that the platform stores otherwise are sent and deployed once, and told as drift", async () => {
    const runner = await env.deployed();
    env.harness.fault({ match: { operation: "updateApplication" }, answer: { is: "edited", set: { cpu: 500 } } });
    const first = await runner.run({ spec: env.spec({ cpu: 499 }) });
    env.harness.service(runner.id()).settings["cpu"] = 500;
    expect(first.ops).toEqual(["updateApplication", "deployApplication"]);
    for (let passes = 0; passes < 3; passes += 1) {
      env.harness.pass(600);
      expect(await runner.run()).toMatchObject({
        ops: [],
        is: "settled",
        report: { drift: [{ path: "spec.cpu", desired: "499", observed: "500" }] },
      });
    }
    expect(env.sent()).toEqual(["updateApplication", "deployApplication"]);
    expect((await runner.run({ requested: "again" })).ops[0]).toBe("updateApplication");
  });

  it("are sent once, also when the answer has no body", async () => {
    const runner = await env.deployed();
    env.harness.fault({ match: { operation: "updateApplication" }, effect: "applied", answer: { is: "empty" } });
    expect((await runner.run({ spec: env.spec({ cpu: 750 }) })).ops).toEqual([
      "updateApplication",
      "deployApplication",
    ]);
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", report: { drift: [] } });
  });
});

describe("a secret of an application", () => {
  const env = applicationEnv("Full");
  it("is replaced before the deployment", async () => {
    const runner = await env.deployed({ variables: [secret] }, { "spec.variables[TOKEN]": "old-value" });
    runner.around.values = { "spec.variables[TOKEN]": "new-value" };
    runner.around.sources = "s@2";
    const run = await runner.run();
    expect(run.ops).toEqual(["importVariables", "updateSecret", "deployApplication"]);
    expect(env.harness.values(runner.id())).toEqual({ TOKEN: "new-value" });
    env.harness.pass(120);
    const over = await runner.run();
    expect(over).toMatchObject({ ops: [], is: "settled", report: { drift: [] } });
    expect(JSON.stringify(over.status)).not.toMatch(/old-value|new-value/);
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("that could not be replaced at once is deployed once it is", async () => {
    const runner = await env.deployed({ variables: [secret] }, { "spec.variables[TOKEN]": "old-value" });
    runner.around.values = { "spec.variables[TOKEN]": "new-value" };
    env.harness.fault({
      match: { operation: "listApplicationSecrets" },
      answer: { is: "edited", set: { results: [] } },
    });
    expect((await runner.run()).ops).toEqual(["importVariables", "deployApplication"]);
    env.harness.pass(120);
    expect((await runner.run()).ops).toEqual(["updateSecret", "deployApplication"]);
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });
});

describe("an application that others made", () => {
  const env = applicationEnv("Full");
  it("is taken over by its name, not deployed again, and not if somebody holds it", async () => {
    const id = await env.foreign();
    expect(await env.applied().run({ adoption: "Never" })).toMatchObject({
      why: { reason: "NameConflict" },
    });
    expect(await env.applied().run({ holderOf: () => "shop/other" })).toMatchObject({
      why: { reason: "AlreadyManaged" },
    });
    const runner = env.applied();
    expect(await runner.run()).toMatchObject({ ops: ["adopt"], is: "settled", why: { reason: "Deployed" } });
    expect(runner.id()).toBe(id);
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(env.sent()).toEqual([]);
  });

  it.each<[string, JsonObject, string[]]>([
    ["settings", { cpu: 750 }, ["adopt", "updateApplication", "deployApplication"]],
    ["variables", { variables: [{ name: "MODE", value: "fast" }] }, ["adopt", "importVariables", "deployApplication"]],
    ["a commit", { deploy: { gitCommitId: OTHER_COMMIT } }, ["adopt", "deployApplication"]],
  ])("gets %s of ours, and a deployment for it", async (_name, change, ops) => {
    await env.foreign();
    const runner = env.harness.application(env.environmentId, env.spec(change));
    expect((await runner.run()).ops).toEqual(ops);
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });

  it("keeps the variables that it has when our status was lost", async () => {
    const runner = await env.deployed({ variables: [secret] }, { "spec.variables[TOKEN]": "hunter22" });
    runner.lose();
    expect(await runner.run()).toMatchObject({ ops: ["adopt"], is: "settled" });
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("that is given by its id must be in the environment, and keep its name when only an annotation claims it", async () => {
    const id = await env.foreign();
    const elsewhere = await env.harness.newEnvironment(env.projectId, `env-${env.name}`);
    expect(await env.harness.application(elsewhere, env.spec({ externalId: id })).run()).toMatchObject({
      ops: [],
      why: { reason: "InvalidSpec" },
    });
    const given = env.harness.application(env.environmentId, env.spec({ externalId: id }));
    expect(await given.run()).toMatchObject({ ops: ["adopt"] });
    env.harness.edit(id, { name: `${env.name}-renamed` });
    given.lose();
    const { externalId: _, ...without } = env.spec({ externalId: id });
    env.harness.pass(60);
    expect(await given.run({ spec: without })).toMatchObject({ ops: [], why: { reason: "NameConflict" } });
  });

  it("is found by the trace of a create, once", async () => {
    const intent = createIntent("createApplication", env.name, env.harness.absentNow(), env.environmentId);
    const runner = env.applied();
    const trace = (change = {}) => application.trace(intent, runner.pass(change), env.harness.api);
    expect(await trace()).toEqual({ is: "absent" });
    const id = await env.foreign();
    expect(await trace()).toMatchObject({ is: "landed", known: [{ id }] });
    expect(await trace({ holderOf: () => "shop/other" })).toEqual({ is: "absent" });
    env.harness.edit(id, { createdAt: "2020-01-01T00:00:00Z" });
    expect(await trace()).toEqual({ is: "absent" });
  });
});
