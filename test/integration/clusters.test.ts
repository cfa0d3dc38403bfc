/** PlatformCluster on a real control plane: approval, locks, who is on a cluster, its end. */
import { beforeAll, describe, expect, it } from "vitest";

import { editRecord } from "../../simulator/control/records.ts";
import { APPROVED_PLAN, RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { member, stringMember } from "../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { defaults, environment, project, resource } from "../support/kube/manifests.ts";

const KIND = "PlatformCluster";
const AUTOMATIC = { applyPolicy: "Automatic" };

const cluster = (env: Env, name: string, index: 0 | 1, spec: JsonObject = {}): Manifest =>
  resource(KIND, name, { externalId: env.platform.clusterIds[index] ?? "", ...spec });

const edit = (env: Env, index: 0 | 1, members: JsonObject): void => {
  editRecord(env.platform.sim, env.platform.clusterIds[index] ?? "", members);
};

/** Lets the plan go that waits for approval. */
async function approve(env: Env, name: string): Promise<void> {
  const pending = await env.waitFor(KIND, name, ({ status }) => {
    const plan = member(status, "plan");
    return plan !== undefined && member(plan, "approved") !== true;
  });
  const hash = stringMember(member(pending.status, "plan"), "hash") ?? null;
  await env.annotate(KIND, name, { [APPROVED_PLAN]: hash });
}

const is = (key: string, value: string) => (object: KubeObject) =>
  member(object.status, key) === value && condition(object, "Ready")?.status === "True";

describe("clusters that the platform shows", () => {
  const env = createEnv({ surface: "full" });

  beforeAll(async () => {
    // Found out by itself only once there is a project.
    await env.apply(...defaults(env, { surface: "Full" }));
  });

  it("are upgraded once that is approved, once", async () => {
    const record = await env.record();
    await env.apply(cluster(env, "production", 0, { kubernetesVersion: "1.34" }));
    const pending = await env.waitFor(KIND, "production", { reason: "ApprovalPending" });
    expect(pending.status).toMatchObject({
      plan: {
        actions: [
          {
            operation: "upgradeCluster",
            fields: [{ path: "spec.kubernetesVersion", desired: "1.34", observed: "1.33" }],
          },
        ],
      },
    });
    expect(record.changes()).toEqual([]);
    await approve(env, "production");
    const done = await env.waitFor(KIND, "production", is("kubernetesVersion", "1.34"));
    expect(condition(done, "UpToDate")).toMatchObject({ status: "True" });
    expect(condition(done, "ClusterDeployed")).toMatchObject({ status: "True", reason: "DEPLOYED" });
    expect(condition(done, "Locked")).toMatchObject({ status: "False" });
    expect(record.changes()).toEqual(["upgradeCluster"]);
    const table = await env.kubectl(["get", "pcl", "production", "-o", "wide"]);
    expect(table.split("\n")[0]).toMatch(/NAME +READY +REASON +STATE +DEPLOYED +NEXT-K8S +LOCKED +LOCK-OWNER .*AGE/);
    expect(table).toMatch(/production +True +Available +DEPLOYED +true +False/);
    await env.quiet(2);
  });

  it("[A4] are upgraded once when nobody confirms it", async () => {
    edit(env, 0, { nextVersion: "1.35" });
    const record = await env.record();
    env.platform.sim.faults.add({
      match: { operation: "upgradeCluster" },
      effect: "applied",
      answer: { is: "status", status: 502 },
      count: 1,
    });
    await env.patch(KIND, "production", { spec: { kubernetesVersion: "1.35", lifecycle: AUTOMATIC } });
    await env.waitFor(KIND, "production", is("kubernetesVersion", "1.35"));
    expect(record.changes()).toEqual(["upgradeCluster"]);
  });

  it("are stopped again on request when stopping, which was approved, has failed", async () => {
    const wish = { runState: "Stopped", kubernetesVersion: null, lifecycle: null };
    edit(env, 0, { failNext: ["stop"] });
    await env.patch(KIND, "production", { spec: wish });
    await approve(env, "production");
    await env.waitFor(KIND, "production", { reason: "StopFailed" });
    await env.annotate(KIND, "production", { [RECONCILE_REQUESTED_AT]: "again" });
    const stopped = await env.waitFor(KIND, "production", is("state", "STOPPED"));
    expect(member(stopped.status, "lastHandledReconcileAt")).toBe("again");
  });

  it("are left alone while they are locked", async () => {
    const lockedAt = env.platform.sim.time.wall().toISOString();
    const lock = { reason: "audit", lockedAt, ownerName: "kim", ttlInDays: 3 };
    edit(env, 1, { lock });
    const record = await env.record();
    await env.apply(cluster(env, "edge", 1, { runState: "Stopped", lifecycle: AUTOMATIC }));
    const locked = await env.waitFor(KIND, "edge", { reason: "ClusterLocked" });
    expect(condition(locked, "Ready")?.message).toContain('by "kim" (reason: audit)');
    expect(condition(locked, "Locked")).toMatchObject({ status: "True", reason: "ClusterLocked" });
    expect(locked.status).toMatchObject({ lock });
    expect(record.changes()).toEqual([]);
    edit(env, 1, { lock: null });
    await env.annotate(KIND, "edge", { [RECONCILE_REQUESTED_AT]: "unlocked" });
    await env.waitFor(KIND, "edge", is("state", "STOPPED"));
    expect(record.changes()).toEqual(["stopCluster"]);
  });

  it("are named by those on them: by environments, and by one binding each, stopped or not", async () => {
    const template = { key: "kubernetes-essentials", version: "1.2.0" };
    const clusterRef = { name: "edge" };
    const managedConfig = { ingress: { domain: { value: "shop.example.com" } } };
    await env.apply(project("shop"), environment(env, "staging", "shop", { clusterRef }));
    const made = await env.waitFor("PlatformEnvironment", "staging", { status: "True" });
    expect(member(made.status, "clusterId")).toBe(env.platform.clusterIds[1]);
    await env.apply(resource("PlatformBinding", "first", { clusterRef, template, managedConfig }));
    const bound = await env.waitFor(
      "PlatformBinding",
      "first",
      ({ status }) => member(status, "clusterId") !== undefined,
    );
    expect(member(bound.status, "clusterId")).toBe(env.platform.clusterIds[1]);
    await env.apply(resource("PlatformBinding", "second", { clusterRef, template, managedConfig }));
    const refused = await env.waitFor("PlatformBinding", "second", { reason: "AlreadyManaged" });
    expect(condition(refused, "Ready")?.message).toContain(`${env.namespace}/first`);
    await env.remove("PlatformBinding", "second");
    await env.remove("PlatformBinding", "first");
  });

  it("are stopped, when their resource goes, once nobody is on them any more", async () => {
    await env.patch(KIND, "edge", {
      spec: { runState: "Running", lifecycle: { ...AUTOMATIC, deletionPolicy: "Stop" } },
    });
    await env.waitFor(KIND, "edge", is("state", "DEPLOYED"));
    await env.remove(KIND, "edge");
    await env.waitFor(KIND, "edge", (object) => condition(object, "Ready")?.reason === "WaitingForChildren");
    const record = await env.record();
    await env.remove("PlatformEnvironment", "staging");
    await env.waitGone(KIND, "edge");
    expect(record.changes()).toEqual(["stopCluster"]);
    expect(env.platform.world().clusters.get(env.platform.clusterIds[1] ?? "")?.state).toBe("STOPPED");
  });

  it("keep the id that they were taken over by", async () => {
    const externalId = env.platform.clusterIds[1] ?? "";
    await expect(env.patch(KIND, "production", { spec: { externalId } })).rejects.toThrow(/Invalid|422/);
  });

  it("stay as they are when their resource goes under Retain", async () => {
    const record = await env.record();
    await env.remove(KIND, "production");
    await env.waitGone(KIND, "production");
    expect(record.changes()).toEqual([]);
  });
});

describe("clusters that only answers tell of", () => {
  const env = createEnv({ surface: "documented" });

  beforeAll(async () => {
    await env.apply(...defaults(env));
  });

  it("are taken over with a version, which counts as the one that runs", async () => {
    const record = await env.record();
    await env.apply(cluster(env, "production", 0, { kubernetesVersion: "1.33", runState: "Running" }));
    const taken = await env.waitFor(KIND, "production", { status: "True" });
    expect(condition(taken, "UpToDate")).toMatchObject({ status: "Unknown", reason: "NotObservable" });
    expect(record.changes()).toEqual([]);
    await env.quiet(2);
  });

  it("are upgraded once by a newer version, on approval, and say what is not shown", async () => {
    const record = await env.record();
    await env.patch(KIND, "production", { spec: { kubernetesVersion: "1.34" } });
    await approve(env, "production");
    const accepted = await env.waitFor(KIND, "production", { status: "True", reason: "Accepted" });
    expect(condition(accepted, "UpToDate")).toMatchObject({ status: "Unknown", reason: "NotObservable" });
    expect(record.changes()).toEqual(["upgradeCluster"]);
    await env.patch(KIND, "production", { spec: { lifecycle: AUTOMATIC } });
    await env.annotate(KIND, "production", { [RECONCILE_REQUESTED_AT]: "upgraded" });
    await env.waitFor(KIND, "production", ({ status }) => member(status, "lastHandledReconcileAt") === "upgraded");
    expect(record.changes()).toEqual(["upgradeCluster"]);
    edit(env, 0, { state: "DEPLOYED", deployed: true, run: null });
    await env.quiet(2);
  });

  it("are stopped on approval, and cannot be started", async () => {
    const record = await env.record();
    await env.patch(KIND, "production", { spec: { kubernetesVersion: null, runState: "Stopped", lifecycle: null } });
    await approve(env, "production");
    const stopped = await env.waitFor(KIND, "production", { status: "True", reason: "Accepted" });
    expect(condition(stopped, "ClusterDeployed")).toMatchObject({ status: "Unknown", reason: "STOP_QUEUED" });
    expect(stopped.status).toMatchObject({ verified: true });
    expect(record.changes()).toEqual(["stopCluster"]);
    // Somebody starts it, which nothing shows: on request, and once that is approved, it is stopped again.
    edit(env, 0, { state: "DEPLOYED", deployed: true, run: null });
    await env.annotate(KIND, "production", { [RECONCILE_REQUESTED_AT]: "again" });
    await approve(env, "production");
    await env.waitFor(KIND, "production", ({ status }) => member(status, "lastHandledReconcileAt") === "again");
    expect(record.changes()).toEqual(["stopCluster", "stopCluster"]);
    await env.patch(KIND, "production", { spec: { runState: "Running" } });
    await env.waitFor(KIND, "production", { type: "Stalled", status: "True", reason: "NotSupportedByApi" });
    expect(record.changes()).toEqual(["stopCluster", "stopCluster"]);
    await env.quiet(2);
  });

  it("have a binding that is Ready only once an answer shows its mandatory layers enabled", async () => {
    env.platform.sim.settings.layerStatuses = { networking: { status: "FAILED", reason: "No quota" } };
    const spec = {
      clusterRef: { externalId: env.platform.clusterIds[1] ?? "" },
      cluster: { mode: "CUSTOMER_MANAGED", provider: "GCP" },
      template: { key: "kubernetes-essentials", version: "1.2.0" },
      managedConfig: { ingress: { domain: { value: "shop.example.com" } } },
    };
    await env.apply(resource("PlatformBinding", "essentials", spec));
    const failed = await env.waitFor("PlatformBinding", "essentials", { reason: "LayersNotEnabled" });
    expect(condition(failed, "LayersReady")).toMatchObject({
      status: "False",
      message: expect.stringContaining("networking is FAILED (No quota)"),
    });
    env.platform.sim.settings.layerStatuses = {};
    await env.annotate("PlatformBinding", "essentials", { [RECONCILE_REQUESTED_AT]: "mended" });
    const bound = await env.waitFor("PlatformBinding", "essentials", { status: "True", reason: "Bound" });
    expect(condition(bound, "LayersReady")).toMatchObject({ status: "True" });
    expect(bound.status).toMatchObject({ layersEnabled: "2/2" });
    await env.remove("PlatformBinding", "essentials");
  });

  it("are acted upon by an operation only where it does not insist on an end that nothing shows", async () => {
    const record = await env.record();
    const stop = { type: "StopCluster", clusterRef: { externalId: env.platform.clusterIds[1] ?? "" } };
    await env.apply(resource("PlatformOperation", "insisting", { ...stop, completion: "Observed" }));
    await env.waitFor("PlatformOperation", "insisting", { type: "Stalled", status: "True", reason: "NotObservable" });
    expect(record.changes()).toEqual([]);
    await env.apply(resource("PlatformOperation", "asking", stop));
    await env.waitFor("PlatformOperation", "asking", { type: "Complete", status: "True", reason: "Accepted" });
    expect(record.changes()).toEqual(["stopCluster"]);
  });

  it("of another organization are not stopped", async () => {
    const theirs = [...env.platform.world().clusters.values()].find(({ name }) => name === "theirs");
    await env.apply(resource(KIND, "theirs", { externalId: theirs?.id, runState: "Stopped", lifecycle: AUTOMATIC }));
    const refused = await env.waitFor(KIND, "theirs", (object) => condition(object, "Ready") !== undefined);
    expect(condition(refused, "Ready")?.status).toBe("False");
    expect(theirs?.state).toBe("DEPLOYED");
  });
});
