import { describe, expect, it, onTestFinished } from "vitest";

import { addForeignVariable, foreignDeploy } from "../../simulator/control/control.ts";
import { recordedIn } from "../../src/engine/contract/status.ts";
import { failureOf } from "../support/platform/client.ts";
import { OTHER_COMMIT } from "../support/services/applications.ts";
import { applicationEnv } from "./runners.ts";

const secret = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
/** Lets builds take two hours until the end of the test, when they end. @returns how long they took before */
function hang({ harness }: ReturnType<typeof applicationEnv>): number {
  const { build } = harness.simulator.sim.settings.durations;
  harness.change({ durations: { build: 7200 } });
  onTestFinished(() => {
    harness.change({ durations: { build } });
    harness.advance(24 * 3600);
  });
  return build;
}

const THIRD_COMMIT = "abcdef0123456789abcdef0123456789abcdef01";
const plain = { name: "MODE", value: "fast" };
const other = { deploy: { gitCommitId: OTHER_COMMIT } };

describe.each(["Documented", "Full"] as const)("an application on the %s surface", (surface) => {
  const env = applicationEnv(surface);

  it("reports the commit that is deployed now, and not one that the client remembers", async () => {
    const runner = await env.deployed();
    await runner.run({ spec: env.spec(other) });
    await env.after(3, runner);
    // Time passes on the platform, but not for what the client remembers.
    env.harness.simulator.sim.time.advance(120);
    const over = await runner.run();
    expect(over).toMatchObject({ is: "settled", why: { message: `Commit ${OTHER_COMMIT.slice(0, 7)} is deployed.` } });
    expect(over.report.drift).toEqual([]);
  });

  it.each([
    ["is created if the connection accepts unproven ids", true, "waiting Queued"],
    ["is not created otherwise", false, surface === "Full" ? "waiting Queued" : "stalled NotObservable"],
  ])("in an environment that the statistics lack %s", async (_name, allowUnverifiedIds, end) => {
    env.harness.fault(
      "getProjectEnvironmentStats",
      { is: "status", status: 200, body: { results: [] } },
      { count: null },
    );
    const runner = env.applied({ environmentRef: { externalId: env.environmentId } });
    expect(await runner.run({ allowUnverifiedIds })).toMatchObject({ end });
  });

  it("keeps what the platform sends about the run of its last deployment", async () => {
    const runner = await env.deployed();
    const { report } = await env.after(60, runner);
    expect(report.status["lastDeployment"]).toMatchObject({
      executionId: env.harness.service(runner.id()).executionId,
      subAction: "NONE",
      requestsCount: 0,
      steps: { totalSeconds: 30, details: [{ name: "TOTAL", seconds: 30 }] },
    });
  });

  it("says that a newer commit waits for the build of the one before it", async () => {
    const runner = await env.deployed();
    hang(env);
    await runner.run({ spec: env.spec(other) });
    env.harness.advance(60);
    const third = { deploy: { gitCommitId: THIRD_COMMIT } };
    const { ops, report, why } = await runner.run({ spec: env.spec(third) });
    const waits = "The platform reports BUILDING for commit feedfac. Commit abcdef0 waits for its end.";
    expect(why?.message).toBe(waits);
    const condition = { type: "UpToDate", status: "False", reason: "DeployPending", message: waits };
    expect(report.conditions).toContainEqual(condition);
    expect(ops).toEqual([]);
  });

  it("gets a variable that is added to the spec, also if others have set it before", async () => {
    const runner = await env.deployed();
    const parentId = runner.id() ?? "";
    addForeignVariable(env.harness.simulator.sim, { parentId, scope: "APPLICATION", key: "MODE", value: "foreign" });
    const run = await runner.run({ spec: env.spec({ variables: [plain] }) });
    expect(run.ops).toEqual(["importVariables", "deployApplication"]);
    expect(env.harness.values(runner.id())).toEqual({ MODE: "fast" });
  });

  it("gets a variable that the platform leaves out sent a few times with pauses, and again on request", async () => {
    env.harness.change({ refusedVariables: ["OTHER"] });
    const runner = env.applied({ variables: [plain, { name: "OTHER", value: "1" }] });
    const pending = (cause: string) => {
      const one = { reason: "VariablesPending", message: expect.stringContaining(`OTHER: ${cause}`) };
      return { report: { conditions: expect.arrayContaining([expect.objectContaining(one)]) } };
    };
    expect((await runner.run()).ops).toEqual(["createApplication", "importVariables", "deployApplication"]);
    expect(await runner.run()).toMatchObject({
      ops: [],
      ...pending("was not taken by the platform and is sent again"),
    });
    for (const cause of ["was not taken by the platform and is sent again", "was sent several times"]) {
      env.harness.wait(120);
      expect(await runner.run()).toMatchObject({ ops: ["importVariables"], ...pending(cause) });
    }
    env.harness.wait(6000);
    expect((await runner.run()).ops).toEqual([]);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });

    env.harness.change({ refusedVariables: [] });
    env.harness.writes();
    expect((await runner.run({ requested: "again" })).ops).toEqual(["importVariables", "deployApplication"]);
    const [[, body] = []] = env.harness.writes();
    expect(body).toMatchObject({ vars: [{ name: "OTHER" }] });
    expect(env.harness.values(runner.id())).toEqual({ MODE: "fast", OTHER: "1" });
    env.harness.wait(120);
    const { ops, status } = await runner.run();
    expect(ops).toEqual([]);
    expect(Object.keys(recordedIn({ status }, "owned") ?? {})).toEqual(
      expect.not.arrayContaining(["attempts", "sentAt"]),
    );
  });

  it("is deployed although the platform rejects a variable that an import left out before", async () => {
    env.harness.change({ refusedVariables: ["OTHER"] });
    const variables = [plain, { name: "OTHER", value: "1" }];
    const runner = await env.begun(env.applied({ variables }));
    await runner.run();
    env.harness.wait(120);
    env.harness.fault("importEnvironmentVariable", { is: "status", status: 422 });
    const { ops, status } = await runner.run({ requested: "again", spec: env.spec({ variables, ...other }) });
    expect(ops).toEqual(["importVariables", "deployApplication"]);
    expect(recordedIn({ status }, "owned")).toMatchObject({
      variables: [{ key: "MODE" }, { key: "OTHER", failed: true }],
    });
  });

  it("has its variables compared with the platform's lists once an hour while it is at rest", async () => {
    const runner = await env.deployed({ variables: [plain] });
    const listed = () => env.harness.calls().filter((operation) => operation === "listApplicationVariables").length;
    await env.after(600, runner);
    const before = listed();
    for (let polls = 0; polls < 12; polls += 1) expect((await env.after(600, runner)).ops).toEqual([]);
    expect(listed() - before).toBe(2);
  });

  it.each([
    ["the same value, except where the platform shows the scope", "SAME", "fast", surface === "Full"],
    ["another value", "OTHER", "inherited", true],
  ])("gets a variable of its own where it inherits one with %s", async (_, key, value, isSent) => {
    const runner = await env.deployed();
    const inherited = { parentId: env.projectId, scope: "PROJECT", key, value } as const;
    addForeignVariable(env.harness.simulator.sim, inherited);
    runner.lose({ externalId: runner.id()! });
    const found = await runner.run({ spec: env.spec({ variables: [{ name: key, value: "fast" }] }) });
    expect(found.ops).toEqual(isSent ? ["importVariables", "deployApplication"] : []);
  });
});

describe("an application on the Full surface", () => {
  const env = applicationEnv("Full");

  it("ends what follows the branch once a commit takes the place of autoDeploy", async () => {
    const runner = env.applied({ autoDeploy: true, deploy: undefined });
    await runner.run();
    const { ops } = await env.after(60, runner, { spec: env.spec() });
    expect(ops).toEqual(["updateApplication", "deployApplication"]);
    expect(env.harness.service(runner.id()).settings["auto_deploy"]).toBe(false);
  });

  it("has the build of a commit canceled once for a newer one under onNewCommit Cancel, and builds the newest", async () => {
    const runner = await env.deployed();
    const build = hang(env);
    env.harness.change({ durations: { cancel: 30 } });
    const commits = [
      OTHER_COMMIT,
      ...Array.from({ length: 5 }, (_each, index) => THIRD_COMMIT.replace("0", String(index))),
    ];
    const ops: string[] = [];
    for (const gitCommitId of commits) {
      ops.push(...(await runner.run({ spec: env.spec({ deploy: { gitCommitId, onNewCommit: "Cancel" } }) })).ops);
      env.harness.advance(2);
    }
    env.harness.change({ durations: { build } });
    ops.push(...(await env.after(60, runner)).ops);
    expect(ops).toEqual(["deployApplication", "cancelDeployment", "deployApplication"]);
    expect(await env.after(60, runner)).toMatchObject({ ops: [], is: "settled" });
    expect(env.harness.service(runner.id()).commit).toBe(commits.at(-1));
  });

  it("waits for the end of a deployment that the platform does not cancel", async () => {
    const runner = await env.deployed();
    hang(env);
    env.harness.fault("cancelDeploymentRequest", { is: "status", status: 405 }, { count: null });
    onTestFinished(() => env.harness.simulator.sim.faults.clear());
    for (const gitCommitId of [OTHER_COMMIT, THIRD_COMMIT]) {
      await runner.run({ spec: env.spec({ deploy: { gitCommitId, onNewCommit: "Cancel" } }) });
      env.harness.advance(60);
    }
    const why = { message: expect.stringContaining("Commit abcdef0 waits for its end.") };
    expect(await runner.run()).toMatchObject({ is: "waiting", why });
  });

  it("[C11] has its commit deployed again, once, after a deployment by others under driftPolicy Correct", async () => {
    const runner = await env.deployed();
    foreignDeploy(env.harness.simulator.sim, runner.id()!, "fedcba9");
    const everything = { corrects: "Everything" } as const;
    expect((await env.after(60, runner, everything)).ops).toEqual(["deployApplication"]);
    expect(await env.after(60, runner, everything)).toMatchObject({ ops: [], is: "settled" });
  });

  it("gets settings that the platform stores differently sent once, and reports them as drift", async () => {
    const runner = await env.deployed();
    env.harness.fault("updateApplication", { is: "edited", set: { cpu: 500 } });
    const first = await runner.run({ spec: env.spec({ cpu: 499 }) });
    env.harness.service(runner.id()).settings["cpu"] = 500;
    expect(first.ops).toEqual(["updateApplication", "deployApplication"]);
    for (let rounds = 0; rounds < 3; rounds += 1) {
      env.harness.advance(600);
      const drift = [{ path: "spec.cpu", desired: "499", observed: "500" }];
      expect(await runner.run()).toMatchObject({ ops: [], is: "settled", report: { drift } });
    }
    expect(env.sent()).toEqual(["updateApplication", "deployApplication"]);
    expect((await runner.run({ requested: "again" })).ops[0]).toBe("updateApplication");
  });

  it("gets its settings sent once, although the answer has no body", async () => {
    const runner = await env.deployed();
    env.harness.fault("updateApplication", { is: "empty" }, { effect: "applied" });
    const changed = await runner.run({ spec: env.spec({ cpu: 750 }) });
    expect(changed.ops).toEqual(["updateApplication", "deployApplication"]);
    expect(await env.after(120, runner)).toMatchObject({ ops: [], is: "settled", report: { drift: [] } });
  });

  it("is deployed once with a secret that an import does not replace, where the list lagged", async () => {
    const runner = await env.deployed({ variables: [secret] }, { "spec.variables[TOKEN]": "old-value" });
    runner.around.values = { "spec.variables[TOKEN]": "new-value" };
    env.harness.fault("listApplicationSecrets", { is: "edited", set: { results: [] } });
    expect((await runner.run()).ops).toEqual(["importVariables", "updateSecret", "deployApplication"]);
    expect(await env.after(120, runner)).toMatchObject({ ops: [], is: "settled" });
  });

  it("is deleted although the token may not list applications", async () => {
    const runner = await env.deployed();
    env.harness.fault("listApplications", { is: "status", status: 403 });
    expect((await runner.run({ goal: "absent" })).ops).toEqual(["deleteApplication"]);
  });

  it("is missing when its environment is deleted, and its deletion ends although the platform answers 403", async () => {
    const own = await env.harness.newEnvironment(env.projectId, `env-${env.name}`);
    const runner = env.harness.application(own, env.spec());
    await runner.run();
    env.harness.remove(own);
    expect(await env.after(60, runner)).toMatchObject({ ops: [], end: "stalled ExternalResourceDeleted" });
    env.harness.fault("listApplications", { is: "status", status: 403 });
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
  });
});

describe("an application on the Documented surface", () => {
  const env = applicationEnv("Documented");
  const synced = expect.objectContaining({ reason: "VariablesSynced", status: "True" });
  const settled = { ops: [], report: { conditions: expect.arrayContaining([synced]) } };
  const removeSecret = () => {
    const { variables } = env.harness.simulator.world();
    for (const { id, key } of variables.values()) if (key === "TOKEN") variables.delete(id);
  };

  it("reports a secret that the platform cannot replace, and gets it once the old one is removed", async () => {
    const runner = await env.deployed({ variables: [secret] }, { "spec.variables[TOKEN]": "old-value" });
    runner.around.values = { "spec.variables[TOKEN]": "new-value" };
    // Nothing has changed on the platform, so nothing is deployed.
    expect((await runner.run()).ops).toEqual(["importVariables"]);
    env.harness.advance(120);
    const condition = (await runner.run()).report.conditions.find(({ type }) => type === "VariablesSynced");
    const message: unknown = expect.stringContaining("TOKEN: exists there as a secret");
    expect(condition).toMatchObject({ status: "False", reason: "VariablesPending", message });
    expect(JSON.stringify(condition)).not.toMatch(/old-value|new-value/);
    env.harness.advance(600);
    // Shows the ingress.
    expect(await runner.run()).toMatchObject({ ops: [] });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    removeSecret();
    expect((await runner.run()).ops).toEqual(["importVariables", "deployApplication"]);
    expect(env.harness.values(runner.id())).toEqual({ TOKEN: "new-value" });
    expect((await env.after(120, runner)).report.conditions).toContainEqual(synced);
  });

  it("has its secret synced after an import without an answer that followed the removal of the old one", async () => {
    const runner = await env.deployed({ variables: [secret] }, { "spec.variables[TOKEN]": "old-value" });
    runner.around.values = { "spec.variables[TOKEN]": "new-value" };
    await runner.run();
    removeSecret();
    env.harness.advance(120);
    env.harness.fault("importEnvironmentVariable", { is: "reset" }, { effect: "applied" });
    await failureOf(runner.run());
    expect(env.harness.values(runner.id())).toEqual({ TOKEN: "new-value" });
    expect((await runner.run()).ops).toEqual(["deployApplication"]);
    expect(await env.after(120, runner)).toMatchObject(settled);
  });

  it("has its secret synced after an import without an answer that followed the read of the list", async () => {
    const runner = env.applied({ variables: [secret] });
    runner.around.values = { "spec.variables[TOKEN]": "hunter22" };
    env.harness.fault("importEnvironmentVariable", { is: "reset" }, { effect: "applied" });
    await failureOf(runner.run());
    env.harness.fault("listApplicationSecrets", { is: "edited", set: { results: [] } });
    expect((await runner.run()).ops).toEqual(["importVariables", "deployApplication"]);
    expect(await env.after(120, runner)).toMatchObject(settled);
  });
});
