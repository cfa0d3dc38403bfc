import { describe, expect, it } from "vitest";

import { variableSetEnv } from "./variable-set-runner.ts";

const plain = { name: "MODE", value: "fast" };
const secret = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
const valued = (value: string) => ({ "spec.variables[TOKEN]": value });

describe.each(["Full", "Documented"] as const)("a variable set on the %s surface", (surface) => {
  const env = variableSetEnv(surface);
  const isFull = surface === "Full";
  const scope = isFull ? { scope: "APPLICATION" } : {};

  it("is imported into every application by one request each, and then not written again", async () => {
    const targets = [env.target("web"), env.target("api")];
    const runner = env.set({ targets, variables: [plain, secret] }, { values: valued("hunter22") });
    const ran = await runner.settle();
    expect(ran).toMatchObject({ ops: ["importVariables", "importVariables"], end: "settled Available" });
    expect(ran.why.message).toBe("2 variables in place in 2 applications.");
    const vars = [
      { name: "MODE", value: "fast", is_secret: false, ...scope },
      { name: "TOKEN", value: expect.not.stringContaining("hunter"), is_secret: true, ...scope },
    ];
    const request = ["importEnvironmentVariable", { overwrite: false, vars }];
    expect(env.harness.writes()).toEqual([request, request]);
    for (const id of [env.web, env.api]) expect(env.harness.values(id)).toEqual({ MODE: "fast", TOKEN: "hunter22" });
    const web = { applicationId: env.web, name: "web", total: 2, imported: 2 };
    const api = { applicationId: env.api, name: "api", total: 2, imported: 2 };
    expect(ran.status).toMatchObject({ targetsSynced: "2/2", targets: [web, api] });
    expect(JSON.stringify(ran.status)).not.toContain("hunter22");
    env.wait(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("is sent again when a value changes, and not when only its Secret's version or the key changes", async () => {
    const runner = await env.synced({ variables: [plain, secret] }, { values: valued("old-value") });
    runner.around.key = "key-2";
    expect((await runner.run()).ops).toEqual([]);
    runner.around.sources = "s@2";
    expect((await runner.run()).ops).toEqual([]);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    const slow = { targets: [env.target("web")], variables: [{ ...plain, value: "slow" }, secret] };
    const changed = await runner.settle({ spec: slow });
    expect(changed).toMatchObject({ ops: ["importVariables"], is: "settled", report: { drift: [] } });
    expect(env.harness.values(env.web)).toEqual({ MODE: "slow", TOKEN: "old-value" });
  });

  it("is sent a few times with pauses if the platform does not store it, and then reported", async () => {
    env.harness.change({ refusedVariables: ["MODE"] });
    const runner = env.set({ variables: [plain, { name: "OTHER", value: "1" }] });
    const status = { targets: [{ total: 2, imported: 1, failed: ["MODE"] }] };
    const why = { reason: "VariablesPending", message: expect.stringContaining("MODE of application web") };
    expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], is: "waiting", why, status });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    for (const is of ["waiting", "stalled"] as const) {
      env.wait(120);
      expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], is });
    }
    env.wait(6000);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", wrote: false });
    env.harness.change({ refusedVariables: [] });
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled" });
    await runner.run({ requested: "again" });
    expect(await runner.run()).toMatchObject({ is: "settled", status: { targetsSynced: "1/1" } });
    expect(env.harness.values(env.web)).toEqual({ MODE: "fast", OTHER: "1" });
  });

  it("does not overwrite variables of others unless spec.overwrite is true", async () => {
    env.foreign("MODE");
    const targets = [env.target("web")];
    const variables = [plain, { name: "OTHER", value: "1" }];
    const runner = env.set({ variables });
    const why = { message: "MODE of application web: exists there and spec.overwrite is false." };
    const status = { targets: [{ imported: 1, failed: ["MODE"] }] };
    expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], is: "stalled", why, status });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(env.harness.values(env.web)).toEqual({ MODE: "theirs", OTHER: "1" });
    // What the set created, it may replace.
    const own = await runner.settle({ spec: { targets, variables: [plain, { name: "OTHER", value: "2" }] } });
    // Without scopes in its lists, the platform is asked about MODE once more: it may be an inherited one.
    expect(own.ops).toEqual(isFull ? ["importVariables"] : ["importVariables", "importVariables"]);
    expect(env.harness.values(env.web)).toEqual({ MODE: "theirs", OTHER: "2" });
    expect(await runner.settle({ spec: { targets, variables, overwrite: true } })).toMatchObject({ is: "settled" });
    expect(env.harness.values(env.web)).toEqual({ MODE: "fast", OTHER: "1" });
  });

  it("imports whole Secrets and ConfigMaps, and leaves out keys that cannot be names", async () => {
    const variablesFrom = [
      { configMapRef: { name: "c" } },
      { secretRef: { name: "s" }, prefix: "S_" },
      { secretRef: { name: "open" }, secret: false },
    ];
    const all = {
      "spec.variablesFrom[0]": { A: "config", MODE: "config", "tls.crt": "x" },
      "spec.variablesFrom[1]": { "1": "one", KEY: "canary" },
      "spec.variablesFrom[2]": { A: "later" },
    };
    const ran = await env.set({ variables: [plain], variablesFrom }, { all }).settle();
    const why = { message: "4 variables in place in 1 application. 1 key left out: see status.skippedKeys." };
    const targets = [{ total: 4, imported: 4 }];
    const status = { skippedKeys: ['ConfigMap "c" key "tls.crt"'], targets };
    expect(ran).toMatchObject({ is: "settled", why, status });
    expect(env.harness.values(env.web)).toEqual({ A: "later", MODE: "fast", S_1: "one", S_KEY: "canary" });
    expect(JSON.stringify(ran.status)).not.toContain("canary");
  });
});

describe("a secret of a variable set", () => {
  const rotated = { values: valued("new-value"), sources: "s@2" };
  const failed = {
    is: "stalled",
    why: {
      reason: "VariablesPending",
      message: expect.stringContaining("TOKEN of application web: exists there as a secret"),
    },
    report: { conditions: [{ type: "VariablesSynced", status: "False" }] },
  };

  describe("on the Full surface", () => {
    const env = variableSetEnv("Full");

    it("is replaced by its id when its value changes", async () => {
      const runner = await env.synced({ variables: [plain, secret] }, { values: valued("old-value") });
      Object.assign(runner.around, rotated);
      const ran = await runner.settle();
      expect(ran).toMatchObject({ ops: ["updateSecret"], is: "settled", report: { drift: [] } });
      expect(env.harness.values(env.web)).toEqual({ MODE: "fast", TOKEN: "new-value" });
      expect(JSON.stringify(ran.status)).not.toMatch(/old-value|new-value/);
      env.wait(600);
      expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    });

    it("that others made is replaced by its id with spec.overwrite, and is then the set's own", async () => {
      env.foreign("TOKEN", { secret: true });
      const runner = env.set({ variables: [secret], overwrite: true }, { values: valued("hunter22") });
      expect(await runner.settle()).toMatchObject({ ops: ["updateSecret"], is: "settled" });
      expect(env.harness.values(env.web)).toEqual({ TOKEN: "hunter22" });
      expect((await runner.settle({ goal: "absent" })).ops).toEqual(["deleteSecret"]);
    });

    it("that others made is not replaced by a plain variable", async () => {
      env.foreign("MODE", { secret: true });
      const runner = env.set({ variables: [plain], overwrite: true });
      expect(await runner.settle()).toMatchObject({ ops: [], end: "stalled VariablesPending" });
    });

    it("of another scope, which has no id of the application, is reported", async () => {
      const spec = { variables: [secret], scope: "ENVIRONMENT", overwrite: true };
      const runner = env.set(spec, { values: valued("old-value") });
      expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], is: "settled" });
      Object.assign(runner.around, rotated);
      expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], ...failed });
      env.wait(600);
      expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    });
  });

  describe("on the Documented surface", () => {
    const env = variableSetEnv("Documented");

    it("is reported when its value changes, and imported once the old one is removed", async () => {
      const runner = await env.synced({ variables: [plain, secret] }, { values: valued("old-value") });
      Object.assign(runner.around, rotated);
      const ran = await runner.settle();
      const target = { total: 2, imported: 1, failed: ["TOKEN"] };
      expect(ran).toMatchObject({ ops: ["importVariables"], status: { targets: [target] }, ...failed });
      expect(JSON.stringify(ran.status)).not.toMatch(/old-value|new-value/);
      env.wait(600);
      expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", wrote: false });
      env.remove("TOKEN");
      env.wait(600);
      expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], is: "settled" });
      expect(env.harness.values(env.web)).toEqual({ MODE: "fast", TOKEN: "new-value" });
    });
  });
});
