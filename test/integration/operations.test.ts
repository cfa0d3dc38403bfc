/** PlatformOperation on the real control plane: carried out once, whatever is done to the object. */
import { beforeAll, describe, expect, it } from "vitest";

import { BEGUN, RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { endsOf, over } from "../support/kinds/operations.ts";
import { COMMIT, defaults, NEXT_COMMIT, operation, resource, tree } from "../support/kube/manifests.ts";

const deployment = (name: string, spec: JsonObject = {}): Manifest =>
  operation(name, {
    type: "DeployApplication",
    applicationRef: { name: "web" },
    gitCommitId: NEXT_COMMIT,
    ...spec,
  });

describe.each(effort.few(["full", "documented"] as const))("an operation, %s surface", (surface) => {
  const env = createEnv({ surface });
  const isFull = surface === "full";

  beforeAll(async () => {
    await env.apply(...defaults(env, { allowUnverifiedIds: true }), ...tree(env, "web"));
    await env.waitFor("PlatformApplication", "web", { status: "True" });
    await env.settled();
  }, 60_000);

  it("deploys a commit, ends Complete and is then left alone, whatever is done to it", async () => {
    const record = await env.record();
    await env.apply(deployment("deploy"));
    const done = await env.waitFor("PlatformOperation", "deploy", { type: "Complete", status: "True" });
    expect(endsOf(done)).toHaveLength(1);
    expect(condition(done, "Ready")).toMatchObject({ status: "True", reason: "Completed" });
    expect(condition(done, "Synced")).toMatchObject({ status: "True" });
    expect(condition(done, "Reconciling") ?? condition(done, "Stalled")).toBeUndefined();
    expect(done.metadata.annotations?.[BEGUN]).toBe(`${done.metadata.uid} ${env.namespace}/${done.metadata.name}`);
    expect(done.status).toMatchObject({ targetId: idOf(await env.get("PlatformApplication", "web")) });
    await env.settled();
    const since = await env.record();
    await env.annotate("PlatformOperation", "deploy", { [RECONCILE_REQUESTED_AT]: "now" });
    await env.patch("PlatformOperation", "deploy", { metadata: { labels: { touched: "yes" } } });
    await env.restart();
    await env.settled();
    // Its application tells that another commit is deployed whenever it is looked at.
    expect((await since.writes()).objects.filter(({ name }) => name === "deploy")).toEqual([]);
    expect(record.changes()).toEqual(["deployApplication"]);
  });

  it("costs the API server few writes", async () => {
    const record = await env.record();
    await env.apply(operation("cheap", { type: "SendInvoices" }));
    await over(env, "cheap");
    await env.settled();
    const { objects } = await record.writes();
    const own = objects.filter(({ name }) => name === "cheap").map(({ what }) => what);
    expect(own).toEqual(["platformoperations/status", "platformoperations", "platformoperations/status"]);
    expect(record.changes()).toEqual(["downloadInvoices"]);
  });

  it("does not run again once its status is lost, in the middle or at its end; a copy does run", async () => {
    const record = await env.record();
    const { durations } = env.platform.sim.settings;
    const usual = durations.deploy;
    durations.deploy = 1_000;
    await env.apply(deployment("lost"));
    await env.waitFor("PlatformOperation", "lost", ({ status }) => member(status, "request") !== undefined);
    await env.patch("PlatformOperation", "lost", { status: null }, "status");
    const lost = await over(env, "lost");
    expect(endsOf(lost)).toMatchObject([{ type: "Complete", status: "Unknown", reason: "OperationResultUnknown" }]);
    expect(condition(lost, "Stalled")).toMatchObject({ status: "True" });
    await env.patch("PlatformOperation", "lost", { status: null }, "status");
    await over(env, "lost");
    expect(record.changes()).toEqual(["deployApplication"]);
    durations.deploy = usual;

    const { spec, metadata } = await env.get("PlatformOperation", "lost");
    const annotations = { ...metadata.annotations };
    await env.apply({ ...operation("copy", {}), metadata: { name: "copy", annotations }, spec: spec ?? {} });
    await env.waitFor("PlatformOperation", "copy", { type: "Complete", status: "True" }, 40_000);
    expect(record.changes()).toEqual(["deployApplication", "deployApplication"]);
  });

  it("tells its end anew when its conditions are lost", async () => {
    await env.apply(operation("told", { type: "SendInvoices" }));
    await over(env, "told");
    const record = await env.record();
    await env.patch("PlatformOperation", "told", { status: { conditions: null } }, "status");
    await env.annotate("PlatformOperation", "told", { [RECONCILE_REQUESTED_AT]: "now" });
    await env.waitFor("PlatformOperation", "told", { type: "Complete", status: "True" });
    expect(record.changes()).toEqual([]);
  });

  it("acts on what other resources of the namespace stand for, Ready or not", async () => {
    const database = { name: "orders", type: "POSTGRESQL", version: "16", mode: "CONTAINER" };
    const clusterId = env.platform.clusterIds[1] ?? "";
    const record = await env.record();
    await env.apply(
      resource("PlatformDatabase", "orders", { ...database, environmentRef: { name: "web" } }),
      resource("PlatformCluster", "main", { externalId: clusterId }),
    );
    await env.waitFor("PlatformDatabase", "orders", { status: "True" });
    await env.waitFor("PlatformCluster", "main", { status: "True" });
    await env.apply(
      operation("stop-orders", { type: "StopDatabase", databaseRef: { name: "orders" } }),
      operation("stop-main", { type: "StopCluster", clusterRef: { name: "main" } }),
    );
    for (const name of ["stop-orders", "stop-main"]) {
      await env.waitFor("PlatformOperation", name, { type: "Complete", status: "True" }, 40_000);
    }
    // Stopped by now, it is not what its resource wants; another operation mends that.
    const start = { type: "DeployDatabase", databaseRef: { name: "orders" } };
    await env.apply(operation("start-orders", start));
    await env.waitFor("PlatformOperation", "start-orders", { type: "Complete", status: "True" }, 40_000);
    const sent = record.changes().filter((op) => op !== "createDatabase");
    expect(sent.toSorted()).toEqual(["deployDatabase", "deployDatabase", "stopCluster", "stopDatabase"]);
  });

  it("is deleted when its time is over, with the ConfigMap that it rendered", async () => {
    const source = { helm_repository: { chart_name: "redis" } };
    const environmentRef = { name: "web" };
    const render = { type: "RenderHelmDefaultValues", environmentRef, source, outputConfigMap: "redis" };
    await env.apply(operation("render", { ...render, ttlSecondsAfterFinished: 2 }));
    const done = await env.waitFor("PlatformOperation", "render", { type: "Complete", status: "True" });
    const values = await env.get("ConfigMap", "redis");
    expect(values).toMatchObject({
      metadata: { ownerReferences: [{ kind: "PlatformOperation", name: "render", uid: done.metadata.uid }] },
      data: { "values.yaml": expect.stringContaining("replicaCount: 1") },
    });
    expect(done.status).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    await env.waitGone("PlatformOperation", "render");
  });

  it("writes no ConfigMap of others, and goes on when it is gone", async () => {
    await env.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "taken" }, data: { a: "b" } });
    const render = { type: "RenderHelmDefaultValues", environmentRef: { name: "web" }, outputConfigMap: "taken" };
    await env.apply(operation("taken", { ...render, source: { helm_repository: {} } }));
    const stalled = await env.waitFor("PlatformOperation", "taken", { reason: "NameConflict" });
    expect(endsOf(stalled)).toEqual([]);
    await env.remove("ConfigMap", "taken");
    await env.waitFor("PlatformOperation", "taken", { type: "Complete", status: "True" });
  });

  it("does not begin through a connection whose policy forbids to write", async () => {
    const record = await env.record();
    const [secret, connection] = defaults(env, { defaults: { lifecycle: { managementPolicy: "ObserveOnly" } } });
    if (secret === undefined || connection === undefined) throw new Error("there are two");
    const named = { ...connection, metadata: { name: "watching" } };
    await env.apply(named);
    await env.apply(operation("forbidden", { type: "SendInvoices", connectionRef: { name: "watching" } }));
    await env.waitFor("PlatformOperation", "forbidden", { type: "Stalled", reason: "WithheldByPolicy" });
    expect(record.changes()).toEqual([]);
  });

  it("does not fight with the application that it deploys", async () => {
    const record = await env.record();
    await env.apply(deployment("foreign", { gitCommitId: "abcdef1" }));
    await env.waitFor("PlatformOperation", "foreign", { type: "Complete", status: "True" });
    await env.settled();
    expect(record.changes()).toEqual(["deployApplication"]);
    const web = await env.waitFor("PlatformApplication", "web", { status: "True" });
    expect(web.status).toMatchObject({ lastDeployment: { gitCommitId: COMMIT } });
    if (isFull) await env.waitFor("PlatformApplication", "web", { type: "Drifted", status: "True" });
    expect(record.changes()).toEqual(["deployApplication"]);
  });

  it("is given up at its deadline, which stands still while it waits for approval", async () => {
    const record = await env.record();
    env.platform.sim.settings.durations.deploy = 1_000;
    await env.apply(
      deployment("sent", { activeDeadlineSeconds: 4 }),
      deployment("unsent", { applicationRef: { name: "nobody" }, activeDeadlineSeconds: 2 }),
      deployment("unapproved", { lifecycle: { applyPolicy: "Manual" }, activeDeadlineSeconds: 3 }),
    );
    const unapproved = await env.waitFor("PlatformOperation", "unapproved", { reason: "ApprovalPending" });
    const unsent = await over(env, "unsent");
    expect(endsOf(unsent)).toMatchObject([{ type: "Failed", status: "True", reason: "DeadlineExceeded" }]);
    const sent = await over(env, "sent");
    expect(endsOf(sent)).toMatchObject([{ type: "Complete", status: "Unknown", reason: "DeadlineExceeded" }]);
    expect(condition(sent, "Stalled")).toMatchObject({ status: "True" });
    expect(sent.status).toMatchObject({ outcome: { result: "Unknown" }, deadline: expect.any(String) });
    expect(record.changes()).toEqual(["deployApplication"]);
    const { status } = await env.get("PlatformOperation", "unapproved");
    expect(status).toEqual(unapproved.status);
    expect(status).toMatchObject({ remainingSeconds: expect.any(Number) });
    expect(status).not.toHaveProperty("deadline");
  });
});
