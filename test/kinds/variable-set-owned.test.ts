import { describe, expect, it, onTestFinished } from "vitest";

import { failureOf } from "../support/platform/client.ts";
import { variableSetEnv } from "./variable-set-runner.ts";

const plain = { name: "MODE", value: "fast" };
const secret = { name: "TOKEN", value: "hunter22", secret: true };
const extra = { name: "EXTRA", value: "1" };
const at = (name: string): string => `spec.targets[web].variables[${name}]`;
/** While nothing suggests a change, the lists are compared once an hour. */
const HOUR = 3_700;
const PLAIN_WANTED = "the value of the spec";
const SECRET_WANTED = "the secret of the spec";

describe.each(["Full", "Documented"] as const)("a variable of a set, %s surface,", (surface) => {
  const env = variableSetEnv(surface);
  const isFull = surface === "Full";

  it("is also a variable of others that it overwrote", async () => {
    env.foreign("MODE");
    const runner = await env.synced({ variables: [plain], overwrite: true });
    expect((await runner.settle({ goal: "absent" })).ops).toEqual(isFull ? ["deleteVariable"] : []);
    expect(env.harness.values(env.web)).toEqual(isFull ? {} : { MODE: "fast" });
  });

  it("is none where the set overwrites nothing and the variable of others has the same value", async () => {
    env.foreign("MODE");
    env.change("MODE", "fast");
    const runner = env.set({ variables: [plain] });
    expect(await runner.settle()).toMatchObject({ ops: [], is: "settled" });
    expect(await runner.settle({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
    expect(env.harness.values(env.web)).toEqual({ MODE: "fast" });
  });

  it("is known to be the set's after an import without an answer", async () => {
    const runner = env.set({ variables: [plain, secret] });
    env.harness.fault("importEnvironmentVariable", { is: "reset" }, { effect: "applied" });
    await failureOf(runner.run());
    expect(await runner.settle()).toMatchObject({ ops: [], end: "settled Available" });
    const removed = isFull ? ["deleteVariable", "deleteSecret"] : [];
    expect((await runner.settle({ goal: "absent" })).ops).toEqual(removed);
  });

  it("is changed after an import without an answer when the spec changes in between", async () => {
    const runner = env.set({ variables: [plain, secret] });
    env.harness.fault("importEnvironmentVariable", { is: "reset" }, { effect: "applied" });
    await failureOf(runner.run());
    // The documented surface replaces no secret.
    const TOKEN = isFull ? "hunter23" : "hunter22";
    const variables = [
      { ...plain, value: "slow" },
      { ...secret, value: TOKEN },
    ];
    const ops = isFull ? ["importVariables", "updateSecret"] : ["importVariables"];
    const spec = { targets: [env.target("web")], variables };
    expect(await runner.settle({ spec })).toMatchObject({ ops, end: "settled Available" });
    expect(env.harness.values(env.web)).toEqual({ MODE: "slow", TOKEN });
  });

  it("is imported once into another scope that the spec gives it, also where no list shows scopes", async () => {
    // The specification says that an import has a scope, and does not show the member.
    const { settings } = env.harness.simulator.sim;
    const { strictRequests } = settings;
    onTestFinished(() => void (settings.strictRequests = strictRequests));
    settings.strictRequests = false;
    const moved = { ...plain, name: "MOVED" };
    const runner = await env.synced({ variables: [moved], overwrite: true });
    const spec = { targets: [env.target("web")], variables: [{ ...moved, scope: "ENVIRONMENT" }], overwrite: true };
    expect(await runner.settle({ spec })).toMatchObject({ ops: ["importVariables"], end: "settled Available" });
    expect(await env.after(HOUR, runner)).toMatchObject({ ops: [], is: "settled" });
  });

  it("is imported again when others removed it", async () => {
    const runner = await env.synced({ variables: [plain, secret] });
    for (const key of ["MODE", "TOKEN"]) env.remove(key);
    env.wait(HOUR);
    const result = await runner.run({ blockedOperations: new Set(["importVariables"]) });
    const drift = [
      { path: at("MODE"), desired: PLAIN_WANTED, observed: "missing" },
      { path: at("TOKEN"), desired: SECRET_WANTED, observed: "missing" },
    ];
    expect(result).toMatchObject({ ops: [], end: "stalled VariablesPending", report: { drift } });
    expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], is: "settled", report: { drift: [] } });
    expect(env.harness.values(env.web)).toEqual({ MODE: "fast", TOKEN: "hunter22" });
    expect((await runner.settle({ goal: "absent" })).ops).toHaveLength(isFull ? 2 : 0);
  });

  it("is restored when others changed it", async () => {
    const runner = await env.synced({ variables: [plain, secret] });
    env.change("MODE", "theirs");
    env.wait(HOUR);
    const result = await runner.run({ blockedOperations: new Set(["importVariables"]), corrects: "Nothing" });
    const drift = [{ path: at("MODE"), desired: PLAIN_WANTED, observed: "another value" }];
    expect(result).toMatchObject({ ops: [], end: "stalled VariablesPending", report: { drift } });
    expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], is: "settled", report: { drift: [] } });
    expect(env.harness.values(env.web)).toEqual({ MODE: "fast", TOKEN: "hunter22" });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("becomes a secret when the spec says so", async () => {
    const runner = await env.synced({ variables: [plain] });
    const hidden = { targets: [env.target("web")], variables: [{ ...plain, secret: true }] };
    const ops = isFull ? ["deleteVariable", "importVariables"] : ["importVariables"];
    expect(await runner.settle({ spec: hidden })).toMatchObject({ ops, is: "settled" });
    expect(env.variable("MODE")).toMatchObject({ secret: true });
    expect((await runner.settle({ goal: "absent" })).ops).toEqual(isFull ? ["deleteSecret"] : []);
  });
});

describe("a variable of a set, Full surface,", () => {
  const env = variableSetEnv("Full");
  const web = () => [env.target("web")];

  it("is removed when it leaves the spec, and variables of others stay", async () => {
    env.foreign("OTHER");
    const runner = await env.synced({ variables: [secret, extra] });
    const removed = await runner.settle({ spec: { targets: web(), variables: [extra] } });
    expect(removed).toMatchObject({ ops: ["deleteSecret"], is: "settled", status: { targets: [{ total: 1 }] } });
    expect(env.harness.values(env.web)).toEqual({ OTHER: "theirs", EXTRA: "1" });
    env.wait(600);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
  });

  it("is removed as far as the policies allow it", async () => {
    const runner = await env.synced({ variables: [plain, secret] });
    const spec = { targets: web(), variables: [] };
    expect((await runner.run({ spec, blockedOperations: new Set(["deleteVariable"]) })).ops).toEqual(["deleteSecret"]);
    expect(env.harness.values(env.web)).toEqual({ MODE: "fast" });
    expect((await runner.settle()).ops).toEqual(["deleteVariable"]);
  });

  it("is removed with the set, unless others have replaced it", async () => {
    env.foreign("THEIRS");
    const targets = [env.target("web"), env.target("api")];
    const runner = await env.synced({ targets, variables: [plain, secret, { name: "THEIRS", value: "1" }] });
    env.remove("MODE");
    env.foreign("MODE");
    const gone = await runner.settle({ goal: "absent" });
    const ops = ["deleteVariable", "deleteVariable", "deleteSecret", "deleteSecret"];
    expect(gone).toMatchObject({ ops, is: "settled" });
    expect(env.harness.values(env.web)).toEqual({ THEIRS: "theirs", MODE: "theirs" });
    expect(env.harness.values(env.api)).toEqual({});
  });

  it("counts as removed if others remove it at the same time", async () => {
    const runner = await env.synced({ variables: [plain] });
    env.harness.fault("deleteApplicationVariable", { is: "status", status: 404 }, { effect: "applied" });
    expect(await runner.settle({ goal: "absent" })).toMatchObject({ ops: ["deleteVariable"], is: "settled" });
  });

  it("is restored by its id if it is a secret that others changed", async () => {
    const runner = await env.synced({ variables: [secret] });
    env.change("TOKEN", "theirs");
    env.wait(HOUR);
    expect(await runner.settle()).toMatchObject({ ops: ["updateSecret"], is: "settled", report: { drift: [] } });
    expect(env.harness.values(env.web)).toEqual({ TOKEN: "hunter22" });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("becomes a plain variable when the spec says so", async () => {
    const runner = await env.synced({ variables: [secret] });
    const shown = await runner.settle({ spec: { targets: web(), variables: [{ ...secret, secret: false }] } });
    expect(shown).toMatchObject({ ops: ["deleteSecret", "importVariables"], is: "settled" });
    expect(env.variable("TOKEN")).toMatchObject({ secret: false });
    expect((await runner.settle({ goal: "absent" })).ops).toEqual(["deleteVariable"]);
  });

  it("is removed from an application that leaves the spec", async () => {
    const runner = await env.synced({ targets: [env.target("web"), env.target("api")], variables: [plain] });
    const gone = await runner.settle({ spec: { targets: web(), variables: [plain] } });
    expect(gone).toMatchObject({ ops: ["deleteVariable"], is: "settled", status: { targetsSynced: "1/1" } });
    expect(gone.status["targets"]).toHaveLength(1);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("is changed, and removed with the set, although the application's resource was missing for a while", async () => {
    const targets = [env.target("web"), env.target("api")];
    const runner = await env.synced({ targets, variables: [plain] });
    const { ids } = runner.around;
    Object.assign(runner.around, { ids: { "spec.targets[1].applicationRef": env.api } });
    const written = await runner.settle({ spec: { targets, variables: [{ ...plain, value: "other" }] } });
    expect(written).toMatchObject({ ops: ["importVariables"], end: "waiting DependencyNotReady" });
    expect(written.status["targets"]).toHaveLength(2);
    Object.assign(runner.around, { ids });
    expect(await runner.settle()).toMatchObject({ ops: ["importVariables"], is: "settled" });
    expect((await runner.settle({ goal: "absent" })).ops).toEqual(["deleteVariable", "deleteVariable"]);
  });

  it.each([
    [404, { is: "settled" }],
    [403, { end: "stalled NotObservable" }],
  ])("does not delay the deletion of the set if the platform answers %i for the application", async (status, end) => {
    const runner = await env.synced({ variables: [plain] });
    env.harness.fault({ path: `/application/${env.web}/*` }, { is: "status", status }, { count: null });
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], ...end });
  });
});

describe("a variable of a set, Documented surface,", () => {
  const env = variableSetEnv("Documented");
  const web = () => [env.target("web")];

  it("is none where others have a secret of its name, after an import without an answer and another value", async () => {
    env.foreign("MODE", { secret: true });
    const runner = env.set({ variables: [plain] });
    env.harness.fault("importEnvironmentVariable", { is: "reset" }, { effect: "applied" });
    await failureOf(runner.run());
    const spec = { targets: [env.target("web")], variables: [{ ...plain, value: "slow" }] };
    const why = { message: "MODE of application web: exists there and spec.overwrite is false." };
    expect(await runner.settle({ spec })).toMatchObject({ is: "stalled", why });
    expect(env.harness.values(env.web)).toEqual({ MODE: "theirs" });
  });

  it("is reported when it leaves the spec, until others remove it", async () => {
    const runner = await env.synced({ variables: [secret, extra] });
    const removed = await runner.settle({ spec: { targets: web(), variables: [extra] } });
    const message =
      "Not declared any more, and not removed, as the platform's surface cannot: TOKEN of application web. Remove them on the platform.";
    const conditions = [{ type: "VariablesSynced", status: "False", reason: "VariablesLeft", message }];
    expect(removed).toMatchObject({ ops: [], end: "settled Available", report: { conditions } });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    env.remove("TOKEN");
    env.wait(HOUR);
    expect((await runner.run()).status["targets"]).not.toMatchObject([{ left: ["TOKEN"] }]);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
  });

  it("is named in the status when the set is deleted", async () => {
    env.foreign("THEIRS");
    const runner = await env.synced({ variables: [plain, secret, { name: "THEIRS", value: "1" }] });
    const message =
      "Not declared any more, and not removed, as the platform's surface cannot: MODE, TOKEN of application web. Remove them on the platform.";
    const why = { reason: "DeleteNotSupported", message };
    expect(await runner.settle({ goal: "absent" })).toMatchObject({ ops: [], is: "stalled", why });
  });

  it("is reported and not restored if it is a secret that others changed", async () => {
    const runner = await env.synced({ variables: [secret] });
    env.change("TOKEN", "theirs");
    env.wait(HOUR);
    const drift = [{ path: at("TOKEN"), desired: SECRET_WANTED, observed: "changed by others" }];
    expect(await runner.settle()).toMatchObject({ ops: [], end: "stalled VariablesPending", report: { drift } });
    expect(await runner.run()).toMatchObject({ ops: [], end: "stalled VariablesPending", wrote: false });
  });

  it("stays a secret", async () => {
    const runner = await env.synced({ variables: [secret] });
    const shown = await runner.settle({ spec: { targets: web(), variables: [{ ...secret, secret: false }] } });
    expect(shown).toMatchObject({ ops: ["importVariables"], end: "stalled VariablesPending" });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });
});
