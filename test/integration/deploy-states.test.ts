import { beforeAll, describe, expect, it } from "vitest";

import { lastDeployment, stagedApplications } from "../support/env/applications.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { COMMIT, deploying, NEXT_COMMIT } from "../support/kube/manifests.ts";

const KIND = "PlatformApplication";
describe.each(effort.few(["full", "documented"] as const))("on the %s surface", (surface) => {
  const env = createEnv({ surface, windows: { unknownMs: 4_000 } });
  const apps = stagedApplications(env);

  beforeAll(async () => {
    await apps.fixture();
    await apps.deploy("api", COMMIT);
    await env.settled();
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

  describe("[C5] a state that says nothing", () => {
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

  it("[C10] a deployment without a request id is followed by the service's own state", async () => {
    const before = await apps.deploy("anonymous", COMMIT);
    const record = await env.record();
    env.platform.sim.settings.nullRequestIds = true;
    await env.patch(KIND, "anonymous", deploying(NEXT_COMMIT));
    const after = await apps.deployed("anonymous", NEXT_COMMIT, before);
    env.platform.sim.settings.nullRequestIds = false;
    expect(lastDeployment(after, "requestId")).toBeUndefined();
    expect(after.status).toMatchObject({ state: "DEPLOYED", lastDeployment: { state: "DEPLOYED" } });
    await env.settled();
    expect(record.changes()).toEqual(["deployApplication"]);
    expect(record.calls("getDeploymentStatusByRequest")).toEqual([]);
  });
});
