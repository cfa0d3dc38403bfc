/** PlatformOperation against the simulated platform, without Kubernetes. */
import { describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/engine/contract/kind.ts";
import { kindEnv, type SurfaceName } from "../support/kinds/env.ts";
import { COMMIT } from "../support/kube/manifests.ts";
import { ownCluster } from "./runners.ts";

const NEXT = "89abcdef0123456789abcdef0123456789abcdef";
const deploy = { type: "DeployApplication", applicationRef: { name: "api" }, gitCommitId: NEXT };
const stopDatabase = { type: "StopDatabase", databaseRef: { name: "orders" } };
const startDatabase = { type: "DeployDatabase", databaseRef: { name: "orders" } };
const stopCluster = { type: "StopCluster", clusterRef: { name: "main" } };
const upgrade = { type: "UpgradeCluster", clusterRef: { name: "main" } };
const invoices = { type: "SendInvoices" };
const render = { type: "RenderHelmDefaultValues", environmentRef: { name: "staging" }, outputConfigMap: "redis" };

const complete = { type: "Complete", status: "True", reason: "Completed" };
const failed = (reason: string): unknown => expect.objectContaining({ type: "Failed", status: "True", reason });

/** A platform with targets for operations: for each test an application, a database and a cluster, all DEPLOYED. */
const operationEnv = (surface: SurfaceName) =>
  kindEnv(
    surface,
    async ({ harness, environmentId, number }) => {
      const applicationId = await harness.newApplication(environmentId, `api-${number}`, COMMIT);
      const database = { name: `main-${number}`, type: "POSTGRESQL", mode: "CONTAINER", version: "16" };
      const { id: databaseId } = await harness.api.databases.create(environmentId, database);
      await harness.api.databases.deploy(databaseId);
      const cluster = ownCluster(harness);
      harness.pass(600);
      return { applicationId, databaseId, cluster };
    },
    (env) => ({
      /** Returns a custom resource that was just applied; its references name the targets of this test. */
      applied: (spec: JsonObject) =>
        env.harness.operation(spec, {
          "spec.applicationRef": env.applicationId,
          "spec.databaseRef": env.databaseId,
          "spec.clusterRef": env.cluster.id,
          "spec.environmentRef": env.environmentId,
        }),
    }),
  );

describe.each(["Documented", "Full"] as const)("an operation on the %s surface", (surface) => {
  const env = operationEnv(surface);

  it.each([
    ["deployApplication", deploy, "Commit 89abcde is deployed."],
    ["stopDatabase", stopDatabase, "The database is stopped."],
    ["deployDatabase", startDatabase, "The database is deployed."],
  ])("follows %s to its end by its request", async (op, spec, done) => {
    const runner = env.applied(spec);
    const first = await runner.run();
    expect(first).toMatchObject({ ops: [op], is: "waiting", report: { conditions: [] } });
    expect(first.status).toMatchObject({ request: { requestId: expect.any(String) }, startedAt: expect.any(String) });
    expect(await runner.run()).toMatchObject({ ops: [], end: "waiting Queued" });
    const last = await env.after(600, runner);
    expect(last).toMatchObject({ ops: [], is: "settled", report: { conditions: [{ ...complete, message: done }] } });
    expect(last.status).toMatchObject({ outcome: { result: "Complete" }, request: { finishedAt: expect.any(String) } });
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
    expect(env.sent()).toEqual([op]);
  });

  it.each([
    ["stopCluster", stopCluster, "The cluster is stopped."],
    ["upgradeCluster", upgrade, "The cluster is upgraded."],
  ])("follows %s where the surface shows it, and says so where not", async (op, spec, done) => {
    const runner = env.applied(spec);
    const isShown = surface === "Full";
    const first = await runner.run();
    expect(first).toMatchObject({ ops: [op], is: isShown ? "waiting" : "settled" });
    expect(first.why.reason).toBe(isShown ? "Queued" : "Accepted");
    const last = await env.after(5_000, runner);
    const reason = isShown ? "Completed" : "Accepted";
    expect(last).toMatchObject({ is: "settled", report: { conditions: [{ ...complete, reason }] } });
    expect(last.why.message).toContain(isShown ? done : "its surface does not show how it ends");
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
    expect(env.sent()).toEqual([op]);
  });

  it("waits for an end that has to be observed, and sends nothing where none is shown", async () => {
    const first = await env.applied({ ...stopCluster, completion: "Observed" }).run();
    const refused = { ops: [], end: "stalled NotObservable" };
    expect(first).toMatchObject(surface === "Full" ? { ops: ["stopCluster"], is: "waiting" } : refused);
    expect(await env.applied({ ...invoices, completion: "Observed" }).run()).toMatchObject({ ops: [], is: "stalled" });
    env.harness.change({ nullRequestIds: true });
    const unfollowed = env.applied({ ...stopDatabase, completion: "Observed" });
    expect(await unfollowed.run()).toMatchObject({ ops: ["stopDatabase"], is: "waiting" });
    expect(await unfollowed.run()).toMatchObject({ ops: [], is: "waiting", report: { conditions: [] } });
  });

  it("renders default values, of a source that is passed through as it is", async () => {
    const source = { git_repository: { url: "https://git.example.com/charts.git", root_path: "/redis" } };
    const runner = env.applied({ ...render, source });
    const done = await runner.run();
    expect(done).toMatchObject({ ops: [], is: "settled", report: { conditions: [complete] } });
    const values = "replicaCount: 1\nimage:\n  tag: latest\nservice:\n  port: 80\n";
    expect(done.report.output).toEqual({ name: "redis", data: { "values.yaml": values } });
    expect(done.status).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(env.harness.writes()).toEqual([["createHelmDefaultValues", { source }]]);
    expect((await runner.run()).report.output).toBeUndefined();
    expect(env.sent()).toEqual([]);
  });

  it("fails with the platform's words for a source that it does not take, and puts nothing out", async () => {
    const done = await env.applied({ ...render, source: { any: ["thing", { at: "all" }] } }).run();
    expect(done).toMatchObject({ is: "stalled", report: { conditions: [failed("OperationRejected")] } });
    expect(done.why.message).toContain("git_repository or helm_repository");
    expect(done.report.output).toBeUndefined();
  });

  it("fails for default values that no ConfigMap holds", async () => {
    const body = JSON.stringify("x".repeat(1024 * 1024));
    env.harness.fault("createHelmDefaultValues", { is: "status", status: 200, body });
    const done = await env.applied({ ...render, source: { helm_repository: {} } }).run();
    expect(done).toMatchObject({ is: "stalled", report: { conditions: [failed("OperationRejected")] } });
    expect(done.why.message).toContain("900 KiB");
  });

  it("[C8] is sent again after a 409 until it is accepted, whatever its limit of failures", async () => {
    const body = { message: "Operation is in progress" };
    const refusals = [409, 409, 400].map((status) => ({ is: "status", status, body }) as const);
    for (const answer of refusals) env.harness.fault("stopDatabase", answer, { effect: "none" });
    const runner = env.applied({ ...stopDatabase, backoffLimit: 0 });
    for (const { status } of refusals) {
      const tried = await runner.run();
      expect(tried).toMatchObject({ ops: ["stopDatabase"], end: "waiting Queued" });
      expect(tried.why.message).toContain(`(${status})`);
      expect(tried.status).not.toHaveProperty("failedRequests");
    }
    expect(await runner.run()).toMatchObject({ ops: ["stopDatabase"], status: { request: {} } });
  });

  it("waits for the end of what is in its way", async () => {
    env.harness.change({ queueMode: "strict" });
    await env.harness.api.applications.deploy(env.applicationId, COMMIT);
    const runner = env.applied(deploy);
    expect(await runner.run()).toMatchObject({ ops: ["deployApplication"], end: "waiting Queued" });
    for (let looks = 0; looks < 8; looks += 1) {
      expect(await runner.run()).toMatchObject({ ops: [], end: "waiting Queued" });
    }
    expect(await env.after(600, runner)).toMatchObject({ ops: ["deployApplication"], is: "waiting" });
  });

  describe("on an id that a user gave", () => {
    const given = (id: string) => ({ ...deploy, applicationRef: { externalId: id } });

    it.each([
      ["service", "deployApplication", () => given(env.applicationId)],
      ["cluster", "upgradeCluster", () => ({ ...upgrade, clusterRef: { externalId: env.cluster.id } })],
    ])("touches no %s that is not proven to be the organization's", async (_what, op, spec) => {
      const runner = env.applied(spec());
      const unproven = { ops: [], end: "stalled NotObservable" };
      const refused = await runner.run({ allowUnverifiedIds: false });
      expect(refused).toMatchObject(surface === "Documented" ? unproven : { ops: [op] });
      await runner.run();
      expect(env.sent()).toEqual([op]);
    });

    it("touches no service outside the projects of the connection", async () => {
      const runner = env.applied(given(env.applicationId));
      const reason = surface === "Documented" ? "NotObservable" : "PermissionDenied";
      const outside = { allowedProjects: [env.environmentId] };
      expect(await runner.run(outside)).toMatchObject({ ops: [], is: "stalled", why: { reason } });
      expect(env.sent()).toEqual([]);
    });

    it("renders for environments of the organization and of the connection's projects alone", async () => {
      const source = { helm_repository: {} };
      const runner = env.applied({ ...render, source, environmentRef: { externalId: env.environmentId } });
      const outside = await runner.run({ allowedProjects: [env.applicationId] });
      expect(outside).toMatchObject({ end: "stalled PermissionDenied" });
      expect(await runner.run({ allowedProjects: [env.projectId] })).toMatchObject({ is: "settled" });
    });

    it("touches neither clusters nor the organization through a connection that is limited to projects", async () => {
      const limited = { allowedProjects: [env.projectId] };
      const stop = env.applied({ ...stopCluster, clusterRef: { externalId: env.cluster.id } });
      for (const runner of [stop, env.applied(invoices)]) {
        expect(await runner.run(limited)).toMatchObject({ ops: [], end: "stalled NotObservable" });
      }
      expect(env.sent()).toEqual([]);
    });
  });
});
