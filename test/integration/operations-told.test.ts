/** What a PlatformOperation did, every resource that stands for its target tells. */
import { randomUUID } from "node:crypto";

import { beforeAll, describe, expect, it } from "vitest";

import { editRecord } from "../../simulator/control/records.ts";
import { PAUSED, RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { database, defaults, NEXT_COMMIT, operation, resource, tree } from "../support/kube/manifests.ts";

const DATABASE = "PlatformDatabase";

/** While the connection of a new process is not Ready, what is not settled waits for it. */
const withoutTimes = (status: unknown): unknown =>
  JSON.parse(JSON.stringify(status, (key, value: unknown) => (key === "lastTransitionTime" ? undefined : value)));

describe.each(effort.few(["documented", "full"] as const))("what an operation did, %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(async () => {
    await env.apply(...defaults(env, { allowUnverifiedIds: true }), ...tree(env, "web"));
    await env.apply(database("orders", "web"));
    await env.waitFor("PlatformApplication", "web", { status: "True" });
    await env.waitFor(DATABASE, "orders", { status: "True" });
    await env.settled();
  }, 60_000);

  const carriedOut = async (name: string, spec: JsonObject): Promise<string> => {
    await env.apply(operation(name, spec));
    await env.waitFor("PlatformOperation", name, { type: "Complete", status: "True" }, 40_000);
    return `${env.namespace}/${name}`;
  };

  it("is told by its database, which is not started unasked, also after a restart", async () => {
    const record = await env.record();
    const stop = await carriedOut("stop-orders", { type: "StopDatabase", databaseRef: { name: "orders" } });
    const stopped = await env.waitFor(DATABASE, "orders", { type: "Stalled", status: "True" });
    expect(condition(stopped, "Ready")).toMatchObject({
      status: "False",
      reason: "DriftDetected",
      message: expect.stringContaining(stop),
    });
    expect(condition(stopped, "Deployed")).toMatchObject({ status: "False", reason: "STOPPED" });
    expect(condition(stopped, "Drifted")).toMatchObject({ status: "True" });
    const before = await env.waitFor(
      DATABASE,
      "orders",
      ({ status }) => member(member(status, "lastOperation"), "result") !== undefined,
    );
    await env.settled();
    await env.quiet(1);
    await env.restart();
    await env.settled();
    const after = await env.get(DATABASE, "orders");
    expect(withoutTimes(after.status)).toEqual(withoutTimes(before.status));
    expect(record.changes()).toEqual(["stopDatabase"]);

    await carriedOut("start-orders", { type: "DeployDatabase", databaseRef: { name: "orders" } });
    const started = await env.waitFor(DATABASE, "orders", { status: "True", reason: "Available" });
    expect(condition(started, "Drifted")?.status).not.toBe("True");
    expect(started.status).toMatchObject({ state: "DEPLOYED", lastOperation: { operation: "deployDatabase" } });
    expect(record.changes()).toEqual(["stopDatabase", "deployDatabase"]);
  });

  it("is told by a database that was paused meanwhile, by another process, and undone on request", async () => {
    await env.annotate(DATABASE, "orders", { [PAUSED]: "true" });
    await env.waitFor(DATABASE, "orders", { type: "Synced", reason: "ReconcilePaused" });
    const stop = await carriedOut("stop-paused", { type: "StopDatabase", databaseRef: { name: "orders" } });
    await env.restart();
    await env.annotate(DATABASE, "orders", { [PAUSED]: null });
    const stopped = await env.waitFor(DATABASE, "orders", { type: "Stalled", status: "True" });
    expect(condition(stopped, "Ready")?.message).toContain(stop);
    const record = await env.record();
    await env.annotate(DATABASE, "orders", { [RECONCILE_REQUESTED_AT]: "start" });
    await env.waitFor(DATABASE, "orders", { status: "True", reason: "Available" });
    await env.settled();
    expect(record.changes()).toEqual(["deployDatabase"]);
  });

  it("is believed of this installation, organization and lifetime alone", async () => {
    const { status, metadata } = await env.get(DATABASE, "orders");
    const { identity, externalId } = status as { identity: JsonObject; externalId: string };
    const told = async (name: string, change: JsonObject, startedAt = new Date().toISOString()) => {
      const spec = { type: "StopDatabase", databaseRef: { externalId } };
      const object = operation(name, spec);
      await env.apply({ ...object, metadata: { ...object.metadata, annotations: { [PAUSED]: "true" } } });
      const forged = { identity: { ...identity, ...change }, targetId: externalId, request: { startedAt } };
      await env.patch("PlatformOperation", name, { status: forged }, "status");
      await env.settled();
      await env.annotate(DATABASE, "orders", { [RECONCILE_REQUESTED_AT]: name });
      const looked = await env.waitFor(
        DATABASE,
        "orders",
        (object) => member(object.status, "lastHandledReconcileAt") === name,
      );
      return member(member(looked.status, "lastOperation"), "name") === `${env.namespace}/${name}`;
    };
    expect(await told("of-another-organization", { organizationId: randomUUID() })).toBe(false);
    expect(await told("of-another-host", { host: "other.example.com" })).toBe(false);
    expect(await told("of-another-installation", { installation: randomUUID() })).toBe(false);
    const before = new Date(Date.parse(metadata.creationTimestamp ?? "") - 1_000).toISOString();
    await env.patch(DATABASE, "orders", { status: { lastOperation: null } }, "status");
    expect(await told("of-the-time-before", {}, before)).toBe(false);
    expect(await told("of-its-own", {})).toBe(true);
  });

  it("is told by its application: the commit, and the request", async () => {
    const applicationRef = { name: "web" };
    const record = await env.record();
    await carriedOut("deploy", { type: "DeployApplication", applicationRef, gitCommitId: NEXT_COMMIT });
    const drifted = await env.waitFor("PlatformApplication", "web", { type: "Drifted", status: "True" });
    expect(condition(drifted, "Drifted")?.message).toContain(NEXT_COMMIT);
    const told = await env.waitFor("PlatformApplication", "web", ({ status }) =>
      JSON.stringify(status).includes('"Completed"'),
    );
    const { status } = await env.get("PlatformOperation", "deploy");
    expect(told.status).toMatchObject({
      lastOperation: {
        name: `${env.namespace}/deploy`,
        gitCommitId: NEXT_COMMIT,
        requestId: member(member(status, "request"), "requestId"),
      },
    });
    expect(condition(told, "Ready")?.message).toContain(NEXT_COMMIT.slice(0, 7));
    await env.settled();
    expect(record.changes()).toEqual(["deployApplication"]);
  });

  it("is told by its cluster", async () => {
    const [first = "", second = ""] = env.platform.clusterIds;
    const kind = "PlatformCluster";
    await env.apply(
      resource(kind, "stops", { externalId: first, runState: "Running" }),
      resource(kind, "grows", { externalId: second, kubernetesVersion: "1.33" }),
    );
    for (const name of ["stops", "grows"]) await env.waitFor(kind, name, { status: "True" });
    const record = await env.record();
    editRecord(env.platform.sim, second, { nextVersion: "1.34" });
    const upgrade = await carriedOut("upgrade", { type: "UpgradeCluster", clusterRef: { name: "grows" } });
    await carriedOut("stop", { type: "StopCluster", clusterRef: { name: "stops" } });
    // The documented surface has no start of clusters.
    const reason = surface === "full" ? "DriftDetected" : "NotSupportedByApi";
    const stopped = await env.waitFor(kind, "stops", { status: "False", reason });
    expect(stopped.status).toMatchObject({ lastOperation: { operation: "stopCluster" } });
    const grown = await env.waitFor(kind, "grows", ({ status }) => member(status, "lastOperation") !== undefined);
    expect(grown.status).toMatchObject({ lastOperation: { name: upgrade, operation: "upgradeCluster" } });
    await env.settled();
    expect(record.changes()).toEqual(["upgradeCluster", "stopCluster"]);
  });
});
