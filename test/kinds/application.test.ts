import { describe, expect, it } from "vitest";

import { addForeignVariable } from "../../simulator/control/control.ts";
import type { OpenIntent } from "../../src/engine/contract/kind.ts";
import { application } from "../../src/kinds/application/index.ts";
import { NOBODY } from "../support/kinds/env.ts";
import { failureOf } from "../support/platform/client.ts";
import { applicationEnv } from "../support/services/application-runner.ts";
import { COMMIT, OTHER_COMMIT } from "../support/services/applications.ts";

const SURFACES = ["Documented", "Full"] as const;
const secret = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
const plain = { name: "MODE", value: "fast" };

describe.each(SURFACES)("an application on the %s surface", (surface) => {
  const env = applicationEnv(surface);

  it("is created, gets its variables, is deployed, and then left in peace", async () => {
    const runner = env.harness.application(env.environmentId, env.spec({ variables: [plain, secret] }));
    runner.around.values = { "spec.variables[TOKEN]": "hunter22" };
    expect(await runner.run()).toMatchObject({
      ops: ["createApplication", "importVariables", "deployApplication"],
      is: "waiting",
    });
    expect(env.harness.values(runner.id())).toEqual({ MODE: "fast", TOKEN: "hunter22" });
    for (const [seconds, state] of [
      [3, "BUILDING"],
      [20, "DEPLOYING"],
    ] as const) {
      env.harness.pass(seconds);
      expect(await runner.run()).toMatchObject({ ops: [], is: "waiting", status: { state } });
    }
    env.harness.pass(60);
    const done = await runner.run();
    expect(done).toMatchObject({
      ops: [],
      is: "settled",
      why: { reason: "Deployed", message: `Commit ${COMMIT.slice(0, 7)} is deployed.` },
    });
    expect(done.status).toMatchObject({
      state: "DEPLOYED",
      commit: COMMIT.slice(0, 7),
      lastDeployment: { state: "DEPLOYED" },
    });
    expect(env.harness.service(runner.id())).toMatchObject({ commit: COMMIT, deploymentStatus: "UP_TO_DATE" });
    expect(JSON.stringify(done.status)).not.toContain("hunter22");
    env.harness.pass(60);
    await runner.run();
    env.harness.pass(600);
    // What is not listed shows its ingress a look later.
    expect(await runner.run()).toMatchObject({ ops: [], status: { ingress: { status: "DEPLOYED" } } });
    for (let passes = 0; passes < 3; passes += 1) {
      env.harness.pass(600);
      expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    }
    expect(env.harness.writes()).toHaveLength(3);
  });

  it("gets another commit once, and tells the failure of a bad one", async () => {
    const runner = await env.deployed();
    const bad = `bad${COMMIT.slice(3)}`;
    const next = await runner.run({ spec: env.spec({ deploy: { gitCommitId: bad } }) });
    expect(next).toMatchObject({ ops: ["deployApplication"], is: "waiting" });
    expect(env.harness.writes()).toEqual([["deployApplication", { git_commit_id: bad }]]);
    env.harness.pass(120);
    const failed = await runner.run();
    expect(failed).toMatchObject({
      ops: [],
      is: "stalled",
      why: { reason: "BuildFailed", message: expect.stringContaining(bad.slice(0, 7)) },
    });
    expect(failed.status).toMatchObject({
      lastDeployment: { state: "BUILD_ERROR" },
      lastFailure: { gitCommitId: bad, state: "BUILD_ERROR" },
    });
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ requested: "again" })).toMatchObject({ ops: ["deployApplication"] });
    env.harness.pass(120);
    expect(await runner.run({ requested: "again" })).toMatchObject({ ops: [], is: "stalled" });
    const good = await runner.run({ spec: env.spec({ deploy: { gitCommitId: OTHER_COMMIT } }) });
    expect(good).toMatchObject({ ops: ["deployApplication"], is: "waiting" });
    env.harness.pass(120);
    const healed = await runner.run();
    expect(healed).toMatchObject({ is: "settled", why: { reason: "Deployed" } });
    expect(healed.status).not.toHaveProperty("lastFailure");
  });

  it("keeps the log of a failure whose log cannot be read as that, and reads it once", async () => {
    const runner = await env.deployed();
    const reads = () =>
      env.harness.simulator.journal().filter((one) => "operation" in one && one.operation === "listApplicationLog");
    const before = reads().length;
    env.harness.fault({
      match: { operation: "listApplicationLog" },
      answer: { is: "status", status: 403 },
      count: null,
    });
    const spec = env.spec({ deploy: { gitCommitId: `bad${COMMIT.slice(3)}` }, logs: { onFailure: 5 } });
    await runner.run({ spec });
    env.harness.pass(120);
    const { why, status } = await runner.run();
    expect(why.reason).toBe("BuildFailed");
    expect(status).toMatchObject({ lastFailure: { log: ["(getApplicationLog was answered 403)"] } });
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(reads().length - before).toBe(1);
  });

  it("follows the commit that was set while another was deployed", async () => {
    const runner = env.applied();
    await runner.run();
    env.harness.pass(3);
    expect(await runner.run({ spec: env.spec({ deploy: { gitCommitId: OTHER_COMMIT } }) })).toMatchObject({
      ops: [],
      is: "waiting",
    });
    env.harness.pass(120);
    // The pass that sees the first one over starts the second, and must not take it for over.
    const second = await runner.run();
    expect(second).toMatchObject({
      ops: ["deployApplication"],
      is: "waiting",
      status: { lastDeployment: { gitCommitId: OTHER_COMMIT } },
    });
    expect(second.status["lastDeployment"]).not.toHaveProperty("finishedAt");
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({
      ops: [],
      is: "settled",
      status: { lastDeployment: { state: "DEPLOYED" } },
    });
    expect(env.harness.service(runner.id()).commit).toBe(OTHER_COMMIT);
  });

  it("does not tell a commit as deployed that was cancelled in the queue", async () => {
    const runner = await env.deployed();
    const next = await runner.run({ spec: env.spec({ deploy: { gitCommitId: OTHER_COMMIT } }) });
    expect(next).toMatchObject({ ops: ["deployApplication"], is: "waiting" });
    const { requestId } = next.status["lastDeployment"] as { requestId: string };
    env.harness.cancel(requestId);
    for (let passes = 0; passes < 3; passes += 1) {
      env.harness.pass(60);
      expect(await runner.run()).toMatchObject({
        ops: [],
        is: "stalled",
        why: { reason: "Canceled" },
        status: { state: "DEPLOYED" },
      });
    }
    expect(await runner.run({ requested: "again" })).toMatchObject({ ops: ["deployApplication"] });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });

  it("tells the commit that is deployed now, not the one of a moment before", async () => {
    const runner = await env.deployed();
    await runner.run({ spec: env.spec({ deploy: { gitCommitId: OTHER_COMMIT } }) });
    env.harness.pass(3);
    await runner.run();
    // Time passes on the platform, but not for what the client remembers.
    env.harness.simulator.sim.time.advance(120);
    const over = await runner.run();
    expect(over).toMatchObject({ is: "settled", why: { message: `Commit ${OTHER_COMMIT.slice(0, 7)} is deployed.` } });
    expect(over.report.drift).toEqual([]);
  });

  it("is not blamed for another one of the same request", async () => {
    const [one, other] = [env.applied(), env.applied({ name: `${env.name}-other` })];
    await one.run();
    await other.run();
    const requests = [one, other].map((each) => (each.status()["lastDeployment"] as { requestId: string }).requestId);
    expect(new Set(requests).size).toBe(1);
    env.harness.edit(other.id(), { failNext: ["deploy"] });
    env.harness.pass(120);
    expect(await other.run()).toMatchObject({ is: "stalled", why: { reason: "DeploymentFailed" } });
    expect(await one.run()).toMatchObject({
      is: "settled",
      why: { reason: "Deployed" },
      status: { state: "DEPLOYED" },
    });
  });

  it("follows its state where the platform tells no request", async () => {
    env.harness.change({ nullRequestIds: true, acceptLatencySeconds: 4 });
    const runner = env.applied();
    expect(await runner.run()).toMatchObject({ ops: ["createApplication", "deployApplication"], is: "waiting" });
    expect(await runner.run()).toMatchObject({ ops: [], is: "waiting" });
    env.harness.pass(120);
    const over = await runner.run();
    expect(over).toMatchObject({ ops: [], is: "settled", status: { lastDeployment: { state: "DEPLOYED" } } });
    expect(over.status["lastDeployment"]).not.toHaveProperty("requestId");
  });

  it("imports variables again when one changed, and deploys them", async () => {
    const runner = await env.deployed({ variables: [plain] });
    const run = await runner.run({ spec: env.spec({ variables: [{ ...plain, value: "slow" }] }) });
    expect(run.ops).toEqual(["importVariables", "deployApplication"]);
    expect(env.harness.values(runner.id())).toEqual({ MODE: "slow" });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });

  it("gets a variable that was added to the spec, also when others have set it before", async () => {
    const runner = await env.deployed();
    const parentId = runner.id() ?? "";
    addForeignVariable(env.harness.simulator.sim, { parentId, scope: "APPLICATION", key: "MODE", value: "foreign" });
    const run = await runner.run({ spec: env.spec({ variables: [plain] }) });
    expect(run.ops).toEqual(["importVariables", "deployApplication"]);
    expect(env.harness.values(runner.id())).toEqual({ MODE: "fast" });
  });

  it("neither imports nor deploys when a Secret was only touched, or the token rotated", async () => {
    const values = { "spec.variables[TOKEN]": "hunter22" };
    const runner = await env.deployed({ variables: [secret] }, values);
    // A new generation that has nothing to do with variables.
    await runner.run({ spec: env.spec({ variables: [secret], lifecycle: { deletionPolicy: "Delete" } }) });
    runner.around.sources = "s@2";
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
    runner.around.token = "token-2";
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
  });

  it("tells what others did, and leaves it so", async () => {
    const runner = await env.deployed();
    env.harness.edit(runner.id(), { cpu: 750 });
    env.harness.pass(60);
    const edited = await runner.run();
    expect(edited).toMatchObject({ ops: [], is: "settled" });
    expect(edited.report.drift).toEqual([
      { path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" },
    ]);
    env.harness.scheduledStop(env.environmentId);
    env.harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "DriftDetected" } });
    expect(await runner.run({ requested: "start" })).toMatchObject({ ops: ["deployApplication"], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled" });
  });

  it("[C7] that is gone is not created again", async () => {
    const runner = await env.deployed();
    env.harness.remove(runner.id());
    env.harness.pass(60);
    expect(await runner.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "ExternalResourceDeleted" } });
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
  });

  it("is not looked for in an environment of somebody else, or outside the connection's projects", async () => {
    const foreign = env.harness.application(NOBODY, env.spec({ environmentRef: { externalId: NOBODY } }));
    expect(await foreign.run()).toMatchObject({ ops: [], is: "stalled", why: { reason: "InvalidSpec" } });
    const given = env.harness.application(
      env.environmentId,
      env.spec({ environmentRef: { externalId: env.environmentId } }),
    );
    expect(await given.run({ allowedProjects: [NOBODY] })).toMatchObject({
      ops: [],
      why: { reason: "PermissionDenied" },
    });
    expect(await given.run({ allowedProjects: [env.projectId] })).toMatchObject({
      ops: ["createApplication", "deployApplication"],
    });
    expect(env.harness.writes().map(([op]) => op)).toEqual(["createApplication", "deployApplication"]);
  });

  it("throws what the platform forbids, and has sent nothing twice", async () => {
    env.harness.fault({ match: { operation: "createApplication" }, answer: { is: "status", status: 403 } });
    expect((await failureOf(env.applied().run())).failure.is).toBe("Forbidden");
    expect((await failureOf(env.harness.application(NOBODY, env.spec()).run())).failure.is).toBe("NotFound");
    expect(env.harness.writes().filter(([op]) => op === "createApplication").length).toBeLessThanOrEqual(2);
  });

  it("traces a deployment: not sent, landed, landed and over", async () => {
    const runner = await env.deployed();
    const { deploymentRequestId } = await env.harness.api.applications.status(runner.id()!);
    const current = await env.harness.api.applications.status(runner.id()!);
    const baseline = JSON.stringify([current.lastDeploymentDate, current.executionId, current.deploymentRequestsCount]);
    const intent: OpenIntent = {
      op: "deployApplication",
      creates: false,
      parentId: env.environmentId,
      name: undefined,
      id: runner.id(),
      commit: OTHER_COMMIT,
      mark: { baseline, requestId: deploymentRequestId ?? null, settings: 0, retry: "again" },
    };
    const trace = () => application.trace(intent, runner.pass(), env.harness.api);
    expect(await trace()).toEqual({ is: "absent" });
    const begun = await env.harness.api.applications.deploy(runner.id()!, OTHER_COMMIT);
    const landed = { gitCommitId: OTHER_COMMIT, requestId: begun?.deploymentRequestId, retry: "again" };
    expect(await trace()).toMatchObject({ is: "landed", known: [{ memory: { lastDeployment: landed } }] });
    env.harness.pass(120);
    expect(await trace()).toMatchObject({ is: "landed", known: [{ memory: { lastDeployment: landed } }] });
    env.harness.remove(runner.id());
    expect(await trace()).toEqual({ is: "absent" });
  });

  it("sees inherited variables for what they are, where they are told apart", async () => {
    const runner = await env.deployed();
    addForeignVariable(env.harness.simulator.sim, {
      parentId: env.projectId,
      scope: "PROJECT",
      key: "MODE",
      value: "inherited",
    });
    runner.lose({ externalId: runner.id()! });
    const found = await runner.run({ spec: env.spec({ variables: [plain] }) });
    // Only deployed services show a scope.
    expect(found.ops).toEqual(surface === "Full" ? ["importVariables", "deployApplication"] : []);
  });
});
