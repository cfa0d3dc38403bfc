import { beforeAll, describe, expect, it } from "vitest";

import { foreignCancel, foreignDeploy, scheduledStop } from "../../simulator/control/control.ts";
import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { lastDeployment, stagedApplications } from "../support/env/applications.ts";
import { condition, PATIENCE_MS } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";

const KIND = "PlatformApplication";
const COMMIT = "1111111111111111111111111111111111111111";
const OTHER = "2222222222222222222222222222222222222222";
const RETRY = "or request a retry with the annotation platform-operator.io/reconcile-requested-at.";

describe.each(effort.few(["full", "documented"] as const))("on the %s surface", (surface) => {
  const env = createEnv({ surface, windows: { unknownMs: 4_000 } });
  const apps = stagedApplications(env);

  beforeAll(async () => {
    await apps.fixture();
    await apps.deploy("api", COMMIT);
    await env.settled();
  });

  describe("a state of failure that comes from outside", () => {
    it("stalls the application with a reason of its own, and says what to do", async () => {
      const state = "BUILD_ERROR";
      const reason = "BuildFailed";
      const record = await env.record();
      await apps.edit("api", { state });
      const failed = await apps.ready("api", "False", reason);
      expect(condition(failed, "Stalled")).toMatchObject({ status: "True", reason });
      expect(condition(failed, "Reconciling")).toBeUndefined();
      expect(condition(failed, "Deployed")).toMatchObject({ status: "False", reason: state });
      const message = condition(failed, "Ready")?.message ?? "";
      expect(message).toMatch(new RegExp(`^The platform reports ${state}`));
      expect(message.endsWith(RETRY)).toBe(true);
      expect(failed.status).toMatchObject({ state, lastFailure: { state } });

      await apps.edit("api", { state: "DEPLOYED" });
      const mended = await apps.ready("api", "True", "Deployed");
      expect(condition(mended, "Stalled")).toBeUndefined();
      expect(mended.status).not.toHaveProperty("lastFailure");
      expect(record.changes()).toEqual([]);
    });
  });

  describe("[C5] the states of the specification's usage guide", () => {
    it("are running and failed, and bring about nothing by themselves", async () => {
      const record = await env.record();
      await apps.edit("api", { state: "ERROR" });
      expect(await apps.ready("api", "False", "DeploymentFailed")).toMatchObject({ status: { state: "ERROR" } });
      await apps.edit("api", { state: "RUNNING" });
      const runs = await apps.ready("api", "True", "Deployed");
      expect(condition(runs, "Deployed")).toMatchObject({ status: "True", reason: "RUNNING" });
      await apps.edit("api", { state: "DEPLOYED" });
      expect(record.changes()).toEqual([]);
    });
  });

  describe("[C5] a state that tells nothing", () => {
    it.each([
      ["UNAVAILABLE", "UNAVAILABLE"],
      ["half-up, perhaps?", "UnknownState"],
    ])("%j leaves Ready as it was, and then unknown, and is not acted upon", async (state, shown) => {
      const record = await env.record();
      await apps.edit("api", { state });
      const first = await env.waitFor(KIND, "api", (one) => condition(one, "Deployed")?.status === "Unknown");
      expect(condition(first, "Ready")).toMatchObject({ status: "True", reason: "Deployed" });
      const unknown = await apps.ready("api", "Unknown", "UnknownState");
      expect(condition(unknown, "Ready")?.message).toContain(state);
      expect(condition(unknown, "Reconciling")).toBeUndefined();
      expect(condition(unknown, "Stalled")).toBeUndefined();
      expect(condition(unknown, "Deployed")).toMatchObject({ status: "Unknown", reason: shown });
      expect(unknown.status).toMatchObject({ state });
      await env.settled();
      await apps.edit("api", { state: "DEPLOYED" });
      await apps.ready("api", "True", "Deployed");
      expect(record.changes()).toEqual([]);
    });
  });

  it("settings that somebody else left undeployed are drift, and are not deployed", async () => {
    const record = await env.record();
    await apps.edit("api", { auto_deploy: true });
    const drifted = await env.waitFor(KIND, "api", { type: "Drifted", status: "True" });
    expect(drifted.status).toMatchObject({ serviceDeploymentStatus: "OUT_OF_DATE" });
    expect(condition(drifted, "Ready")).toMatchObject({ status: "True" });
    await env.settled();
    expect(record.changes()).toEqual([]);
  });

  it("a commit that somebody else deployed is not deployed away", async () => {
    const record = await env.record();
    const service = await apps.service("api");
    foreignDeploy(env.platform.sim, service.id, OTHER);
    await expect
      .poll(() => env.platform.world().services.get(service.id)?.commit, { timeout: PATIENCE_MS })
      .toBe(OTHER);
    const ended = env.platform.journal().at(-1)?.seq ?? 0;
    await env.annotate(KIND, "api", { [RECONCILE_REQUESTED_AT]: "look" });
    // Only the full surface shows which commit runs; the other one is read again.
    await env.waitFor(KIND, "api", (object) =>
      surface === "full"
        ? (condition(object, "Drifted")?.message ?? "").includes(OTHER)
        : record.calls("getApplicationStatus").some(({ seq }) => seq > ended),
    );
    await env.settled();
    await apps.ready("api", "True", "Deployed");
    const after = await env.waitFor(KIND, "api", { type: "Drifted", status: surface === "full" ? "True" : "False" });
    expect(lastDeployment(after, "gitCommitId")).toBe(COMMIT);
    expect(record.changes()).toEqual([]);
  });

  it("a deployment that somebody cancels is told, and waits for a request", async () => {
    await apps.deploy("canceled", COMMIT);
    const service = await apps.service("canceled");
    const record = await env.record();
    service.stuck = true;
    await apps.change("canceled", { deploy: { gitCommitId: OTHER } });
    const busy = await env.waitFor(KIND, "canceled", { status: "False" });
    expect(condition(busy, "Reconciling")).toMatchObject({ status: "True" });
    const atWork = (): string | undefined => env.platform.world().services.get(service.id)?.state;
    await expect.poll(atWork, { timeout: PATIENCE_MS }).toBe("BUILDING");
    foreignCancel(env.platform.sim, service.requestId ?? "");
    service.stuck = false;
    const told = await apps.ready("canceled", "False", "Canceled");
    expect(condition(told, "Stalled")).toMatchObject({ status: "True", reason: "Canceled" });
    await env.settled();
    await env.annotate(KIND, "canceled", { [RECONCILE_REQUESTED_AT]: "again" });
    await apps.deployed("canceled", OTHER);
    expect(record.changes()).toEqual(["deployApplication", "deployApplication"]);
  });

  it("[C10] a deployment without a request id is followed by the service's own state", async () => {
    const before = await apps.deploy("anonymous", COMMIT);
    const record = await env.record();
    env.platform.sim.settings.nullRequestIds = true;
    await apps.change("anonymous", { deploy: { gitCommitId: OTHER } });
    const after = await apps.deployed("anonymous", OTHER, before);
    env.platform.sim.settings.nullRequestIds = false;
    expect(lastDeployment(after, "requestId")).toBeUndefined();
    expect(after.status).toMatchObject({ state: "DEPLOYED", lastDeployment: { state: "DEPLOYED" } });
    await env.settled();
    expect(record.changes()).toEqual(["deployApplication"]);
    expect(record.calls("getDeploymentStatusByRequest")).toEqual([]);
  });

  describe("the run state", () => {
    it.runIf(surface === "full")("is changed by one stop and one start of the same commit", async () => {
      await apps.deploy("sleeper", COMMIT);
      await env.settled();
      const record = await env.record();
      await apps.change("sleeper", { runState: "Stopped" });
      const stopped = await apps.ready("sleeper", "True", "Stopped");
      expect(condition(stopped, "Deployed")).toMatchObject({ status: "False", reason: "STOPPED" });
      await env.settled();
      expect(record.changes()).toEqual(["stopApplication"]);

      await apps.change("sleeper", { runState: "Running" });
      const started = await apps.ready("sleeper", "True", "Deployed");
      expect(condition(started, "Deployed")).toMatchObject({ status: "True", reason: "DEPLOYED" });
      await env.settled();
      expect(record.changes()).toEqual(["stopApplication", "deployApplication"]);
      expect(record.changeCalls()[1]).toMatchObject({ body: { git_commit_id: COMMIT } });
    });

    it.runIf(surface === "full")("that cannot be reached is a failure of the stop", async () => {
      await apps.deploy("sleepless", COMMIT);
      (await apps.service("sleepless")).failNext.push("stop");
      const record = await env.record();
      await apps.change("sleepless", { runState: "Stopped" });
      const failed = await apps.ready("sleepless", "False", "StopFailed");
      expect(condition(failed, "Stalled")).toMatchObject({ status: "True", reason: "StopFailed" });
      await env.settled();
      expect(record.changes()).toEqual(["stopApplication"]);
    });

    it.runIf(surface === "documented")("cannot be changed there, and that is told", async () => {
      await apps.deploy("sleeper", COMMIT);
      const record = await env.record();
      await apps.change("sleeper", { runState: "Stopped" });
      const stalled = await apps.ready("sleeper", "False", "NotSupportedByApi");
      expect(condition(stalled, "Stalled")).toMatchObject({ status: "True" });
      expect(condition(stalled, "Ready")?.message).toContain("Set spec.runState to Running");
      await env.settled();
      await apps.change("sleeper", { runState: "Running" });
      await apps.ready("sleeper", "True", "Deployed");
      // Trying it once is how it is learned that the platform has none.
      expect(record.changes()).toEqual([expect.stringMatching(/^POST \/application\/[^/]+\/stop$/)]);
    });

    it("that somebody else changed is drift, and is not undone but on request", async () => {
      await apps.deploy("stopped", COMMIT);
      await env.settled();
      const record = await env.record();
      scheduledStop(env.platform.sim, (await apps.service("stopped")).environmentId);
      const drifted = await apps.ready("stopped", "False", "DriftDetected");
      expect(condition(drifted, "Drifted")).toMatchObject({ status: "True" });
      expect(condition(drifted, "Stalled")).toMatchObject({ status: "True" });
      await env.settled();
      expect(record.changes()).toEqual([]);
      await env.annotate(KIND, "stopped", { [RECONCILE_REQUESTED_AT]: "start" });
      await apps.ready("stopped", "True", "Deployed");
      await env.settled();
      expect(record.changes()).toEqual(["deployApplication"]);
    });
  });
});
