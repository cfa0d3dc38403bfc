import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { member } from "../../src/kube/api/json.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { COMMIT, deploying, NEXT_COMMIT, secret } from "../support/kube/manifests.ts";
import { fixture } from "./fixture.ts";
import { lastDeployment, stagedApplications } from "./staged-applications.ts";

const KIND = "PlatformApplication";
/** A patch that reports only which versions of the sources were read. */
const Variables = z.strictObject({ variables: z.strictObject({ sources: z.string() }) });
const Noted = z.object({
  status: z.strictObject({ lastDeployment: Variables, writeLedger: z.strictObject({ written: Variables }) }),
});

describe.each(effort.few(["documented", "full"] as const))("a deployment on the %s surface", (surface) => {
  const env = createEnv({ surface, windows: { unknownMs: 4_000 } });
  const apps = stagedApplications(env);

  beforeAll(async () => {
    await fixture(env);
    await apps.deploy("commit", NEXT_COMMIT);
  });

  it("is kept with what the platform sends about its run", async () => {
    const object = await env.waitFor(KIND, "commit", (one) => lastDeployment(one, "steps") !== undefined);
    const { executionId } = await apps.service("commit");
    expect(executionId).toEqual(expect.any(String));
    const seconds = expect.any(Number) as number;
    expect(member(object.status, "lastDeployment")).toMatchObject({
      gitCommitId: NEXT_COMMIT,
      executionId,
      subAction: "NONE",
      requestsCount: 0,
      steps: { totalSeconds: seconds, details: [{ name: "TOTAL", seconds }] },
    });
  });

  describe("[C12] whose variable comes from a Secret", () => {
    const variables = [
      { name: "LEVEL", value: "info" },
      { name: "MODE", secret: false, valueFrom: { secretKeyRef: { name: "values", key: "mode" } } },
    ];

    it("imports the variables and deploys once when the value in the Secret changes", async () => {
      await env.apply(secret("values", { mode: "slow" }));
      const before = await apps.deploy("secretive", COMMIT, { variables });
      const record = await env.record();
      await env.apply(secret("values", { mode: "fast" }));
      await apps.deployed("secretive", COMMIT, before);
      await env.settled();
      expect(record.changes()).toEqual(["importEnvironmentVariable", "deployApplication"]);
      const { id } = await apps.service("secretive");
      const harness = [...env.platform.world().variables.values()].filter(({ parentId }) => parentId === id);
      expect(harness.map(({ key, value }) => `${key}=${value}`)).toEqual(
        expect.arrayContaining(["LEVEL=info", "MODE=fast"]),
      );
      expect(JSON.stringify(await env.list(KIND))).not.toContain("fast");
    });

    it("sends nothing when the Secret changes but not the value, and at most notes the version that it has read", async () => {
      const record = await env.record();
      await env.patch("Secret", "values", { metadata: { labels: { touched: "true" } } });
      await env.patch("Secret", "values", { stringData: { other: "value" } });
      const reads = async (): Promise<number> =>
        (await record.requests()).filter(({ verb, objectRef }) => verb === "get" && objectRef?.name === "values")
          .length;
      await expect.poll(reads, { timeout: 15_000, interval: 500 }).toBeGreaterThan(0);
      await env.settled();
      expect(record.changes()).toEqual([]);
      const bodies = (await record.requests()).flatMap(({ requestObject }) => requestObject ?? []);
      for (const body of bodies) expect(Noted.safeParse(body).error).toBeUndefined();
      expect(bodies.length).toBeLessThanOrEqual(1);
      expect(condition(await env.get(KIND, "secretive"), "VariablesSynced")).toMatchObject({ status: "True" });
    });
  });

  describe("[C5] that the platform reports in the undocumented state", () => {
    it.each([
      ["UNAVAILABLE", "UNAVAILABLE"],
      ["half-up, perhaps?", "UnknownState"],
    ])("%j makes Ready Unknown after a while, and nothing is written", async (state, shown) => {
      const record = await env.record();
      await apps.edit("commit", { state });
      const first = await env.waitFor(KIND, "commit", (one) => condition(one, "Deployed")?.status === "Unknown");
      expect(condition(first, "Ready")).toMatchObject({ status: "True", reason: "Deployed" });
      const unknown = await apps.ready("commit", "Unknown", "UnknownState");
      expect(condition(unknown, "Ready")?.message).toContain(state);
      expect(condition(unknown, "Reconciling")).toBeUndefined();
      expect(condition(unknown, "Stalled")).toBeUndefined();
      expect(condition(unknown, "Deployed")).toMatchObject({ status: "Unknown", reason: shown });
      expect(unknown.status).toMatchObject({ state });
      await env.settled();
      await apps.edit("commit", { state: "DEPLOYED" });
      await apps.ready("commit", "True", "Deployed");
      expect(record.changes()).toEqual([]);
    });
  });

  it("[C10] is followed by the state of the service where the platform answers without a request id", async () => {
    const before = await env.get(KIND, "commit");
    const record = await env.record();
    env.platform.sim.settings.nullRequestIds = true;
    await env.patch(KIND, "commit", deploying(COMMIT));
    const after = await apps.deployed("commit", COMMIT, before);
    env.platform.sim.settings.nullRequestIds = false;
    expect(lastDeployment(after, "requestId")).toBeUndefined();
    expect(after.status).toMatchObject({ state: "DEPLOYED", lastDeployment: { state: "DEPLOYED" } });
    await env.settled();
    expect(record.changes()).toEqual(["deployApplication"]);
    expect(record.calls("getDeploymentStatusByRequest")).toEqual([]);
  });
});
