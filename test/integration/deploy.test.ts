import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { member } from "../../src/kube/api/json.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { COMMIT, deploying, NEXT_COMMIT, secret } from "../support/kube/manifests.ts";
import { lastDeployment, stagedApplications } from "./staged-applications.ts";

const KIND = "PlatformApplication";
/** A patch that reports only which versions of the sources were read. */
const Variables = z.strictObject({ variables: z.strictObject({ sources: z.string() }) });
const Noted = z.object({ status: z.strictObject({ lastDeployment: Variables, written: Variables }) });

describe.each(effort.few(["documented", "full"] as const))("a deployment on the %s surface", (surface) => {
  const env = createEnv({ surface, windows: { unknownMs: 4_000 } });
  const apps = stagedApplications(env);

  beforeAll(() => apps.fixture());

  it.each([
    [400, "UnexpectedResponse"],
    [403, "PermissionDenied"],
    [500, "PlatformUnavailable"],
  ])("continues while the reads beside it answer %s", async (status, reason) => {
    const name = `beside-${status}`;
    const { faults } = env.platform.sim;
    for (const operation of ["getIngressDeploymentStatus", "listApplicationSecrets"]) {
      faults.add({ match: { operation }, answer: { is: "status", status }, count: null });
    }
    const before = await apps.deploy(name, COMMIT);
    await env.patch(KIND, name, deploying(NEXT_COMMIT));
    await apps.deployed(name, NEXT_COMMIT, before);
    const later = await env.waitFor(KIND, name, (object) => condition(object, "IngressReady") !== undefined);
    expect(condition(later, "IngressReady")).toMatchObject({ status: "Unknown", reason });
    faults.clear();
  });

  it("that is left to others leaves the application to be read", async () => {
    const name = "manual";
    await apps.deploy(name, COMMIT);
    const record = await env.record();
    await apps.change(name, { deploy: { gitCommitId: NEXT_COMMIT, policy: "Manual" } });
    const isSeen = ({ metadata, status }: KubeObject): boolean =>
      member(status, "observedGeneration") === metadata.generation;
    await env.waitFor(KIND, name, isSeen);
    await apps.edit(name, { state: "STOPPED" });
    await env.waitFor(KIND, name, { status: "False", reason: "DriftDetected" });
    expect(record.changes()).toEqual([]);
  });

  it("of another commit is one call with that commit, and the status reports it", async () => {
    const before = await apps.deploy("commit", COMMIT);
    const record = await env.record();
    await env.patch(KIND, "commit", deploying(NEXT_COMMIT));
    const after = await apps.deployed("commit", NEXT_COMMIT, before);

    expect(record.changes()).toEqual(["deployApplication"]);
    const [call] = record.changeCalls();
    expect(call).toMatchObject({ body: { git_commit_id: NEXT_COMMIT } });
    const [effect] = call?.effects ?? [];
    const requestId = effect !== undefined && "request" in effect ? effect.request : undefined;
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(after.status).toMatchObject({
      state: "DEPLOYED",
      serviceDeploymentStatus: "UP_TO_DATE",
      commit: NEXT_COMMIT.slice(0, 7),
      lastDeployment: {
        requestId,
        gitCommitId: NEXT_COMMIT,
        state: "DEPLOYED",
        startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        finishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    expect(String(lastDeployment(after, "startedAt")) < String(lastDeployment(after, "finishedAt"))).toBe(true);
    expect(after.status).not.toHaveProperty("intent");
    expect(condition(after, "Deployed")).toMatchObject({ status: "True", reason: "DEPLOYED" });
    expect(condition(after, "UpToDate")).toMatchObject({ status: "True", reason: "UpToDate" });
    expect(condition(after, "Ready")?.message).toBe("Commit 89abcde is deployed.");
    expect((await apps.service("commit")).commit).toBe(NEXT_COMMIT);
  });

  it("that failed keeps the end of the log: masked, read once, and nowhere else", async () => {
    const [password, ...log] = ["hunter22-of-the-log", "connecting to the shop", "as hunter22-of-the-log"];
    await env.apply(secret("logged", { password }));
    const variables = [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "logged", key: "password" } } }];
    await apps.deploy("logged", COMMIT, { variables });
    await env.patch("PlatformConnection", "default", { spec: { defaults: { logs: { onFailure: 20 } } } });
    const service = await apps.service("logged");
    const createdAt = "2026-11-21T09:00:00.000Z";
    service.log = log.map((message) => ({ id: "00000000-0000-4000-8000-000000000001", createdAt, message }));
    service.failNext.push("deploy");
    const reads = (): number =>
      env.platform.journal().filter((entry) => entry.is === "call" && entry.operation === "listApplicationLog").length;
    const before = reads();
    await env.patch(KIND, "logged", deploying(NEXT_COMMIT));
    const failed = await apps.ready("logged", "False", "DeploymentFailed");
    const kept = ["connecting to the shop", "as •••", "state is DEPLOYMENT_ERROR"];
    expect(member(failed.status, "lastFailure")).toMatchObject({ log: expect.arrayContaining(kept) });
    await apps.change("logged", { lifecycle: { driftPolicy: "Report" } });
    await env.waitFor(KIND, "logged", ({ status }) => member(status, "observedGeneration") === 3);
    expect(reads() - before).toBe(1);
    const elsewhere = JSON.stringify([await env.list("Event"), env.operator.output()]);
    expect(elsewhere).not.toContain("connecting to the shop");
    await apps.change("logged", { logs: { onFailure: 0 } });
    await env.waitFor(KIND, "logged", ({ status }) => member(member(status, "lastFailure"), "log") === undefined);
  });

  describe("[C12] of variables from a Secret", () => {
    const variables = [
      { name: "LEVEL", value: "info" },
      { name: "MODE", secret: false, valueFrom: { secretKeyRef: { name: "values", key: "mode" } } },
    ];

    it("whose value changed is one import and one call", async () => {
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

    it("that was only touched is none; the status only notes which version it read", async () => {
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

  describe("[C5] a state", () => {
    it("of the specification's usage guide, running or failed, brings about nothing by itself", async () => {
      const record = await env.record();
      await apps.edit("commit", { state: "ERROR" });
      expect(await apps.ready("commit", "False", "DeploymentFailed")).toMatchObject({ status: { state: "ERROR" } });
      await apps.edit("commit", { state: "RUNNING" });
      const runs = await apps.ready("commit", "True", "Deployed");
      expect(condition(runs, "Deployed")).toMatchObject({ status: "True", reason: "RUNNING" });
      await apps.edit("commit", { state: "DEPLOYED" });
      expect(record.changes()).toEqual([]);
    });

    it.each([
      ["UNAVAILABLE", "UNAVAILABLE"],
      ["half-up, perhaps?", "UnknownState"],
    ])("%j leaves Ready as it was, and then unknown, and is not acted upon", async (state, shown) => {
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

  it("[C10] a deployment without a request id is followed by the service's own state", async () => {
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
