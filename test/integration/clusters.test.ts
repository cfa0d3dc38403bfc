/** PlatformCluster on a real control plane: approval, locks, who is on a cluster, its end. */
import { beforeAll, describe, expect, it } from "vitest";

import { editRecord } from "../../simulator/control/records.ts";
import { APPROVED_PLAN, RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { member, stringMember } from "../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createStage, type Stage } from "../support/env/env.ts";
import { defaults, environment, project, resource } from "../support/kube/manifests.ts";

const KIND = "PlatformCluster";
const AUTOMATIC = { applyPolicy: "Automatic" };

const cluster = (stage: Stage, name: string, index: 0 | 1, spec: JsonObject = {}): Manifest =>
  resource(KIND, name, { externalId: stage.platform.clusterIds[index] ?? "", ...spec });

const edit = (stage: Stage, index: 0 | 1, members: JsonObject): void => {
  editRecord(stage.platform.sim, stage.platform.clusterIds[index] ?? "", members);
};

/** Lets the plan go that waits for approval. */
async function approve(stage: Stage, name: string): Promise<void> {
  const pending = await stage.waitFor(KIND, name, ({ status }) => {
    const plan = member(status, "plan");
    return plan !== undefined && member(plan, "approved") !== true;
  });
  const hash = stringMember(member(pending.status, "plan"), "hash") ?? null;
  await stage.annotate(KIND, name, { [APPROVED_PLAN]: hash });
}

const is = (key: string, value: string) => (object: KubeObject) =>
  member(object.status, key) === value && condition(object, "Ready")?.status === "True";

describe("clusters that the platform shows", () => {
  const stage = createStage({ surface: "full" });

  beforeAll(async () => {
    // Found out by itself only once there is a project.
    await stage.apply(...defaults(stage, { surface: "Full" }));
  });

  it("are upgraded once that is approved, once", async () => {
    const record = await stage.record();
    await stage.apply(cluster(stage, "production", 0, { kubernetesVersion: "1.34" }));
    const pending = await stage.waitFor(KIND, "production", { reason: "ApprovalPending" });
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
    await approve(stage, "production");
    const done = await stage.waitFor(KIND, "production", is("kubernetesVersion", "1.34"));
    expect(condition(done, "UpToDate")).toMatchObject({ status: "True" });
    expect(condition(done, "ClusterDeployed")).toMatchObject({ status: "True", reason: "DEPLOYED" });
    expect(condition(done, "Locked")).toMatchObject({ status: "False" });
    expect(record.changes()).toEqual(["upgradeCluster"]);
    const table = await stage.kubectl(["get", "pcl", "production", "-o", "wide"]);
    expect(table.split("\n")[0]).toMatch(/NAME +READY +STATE +DEPLOYED +NEXT-K8S +LOCKED +LOCK-OWNER .*AGE/);
    expect(table).toMatch(/production +True +DEPLOYED +true +False/);
    await stage.quiet(2);
  });

  it("[A4] are upgraded once when nobody confirms it", async () => {
    edit(stage, 0, { nextVersion: "1.35" });
    const record = await stage.record();
    stage.platform.sim.faults.add({
      match: { operation: "upgradeCluster" },
      effect: "applied",
      answer: { is: "status", status: 502 },
      count: 1,
    });
    await stage.patch(KIND, "production", { spec: { kubernetesVersion: "1.35", lifecycle: AUTOMATIC } });
    await stage.waitFor(KIND, "production", is("kubernetesVersion", "1.35"));
    expect(record.changes()).toEqual(["upgradeCluster"]);
  });

  it("are stopped again on request when stopping, which was approved, has failed", async () => {
    const wish = { runState: "Stopped", kubernetesVersion: null, lifecycle: null };
    edit(stage, 0, { failNext: ["stop"] });
    await stage.patch(KIND, "production", { spec: wish });
    await approve(stage, "production");
    await stage.waitFor(KIND, "production", { reason: "StopFailed" });
    await stage.annotate(KIND, "production", { [RECONCILE_REQUESTED_AT]: "again" });
    const stopped = await stage.waitFor(KIND, "production", is("state", "STOPPED"));
    expect(member(stopped.status, "lastHandledReconcileAt")).toBe("again");
  });

  it("are left alone while they are locked", async () => {
    const lockedAt = stage.platform.sim.time.wall().toISOString();
    const lock = { reason: "audit", lockedAt, ownerName: "kim", ttlInDays: 3 };
    edit(stage, 1, { lock });
    const record = await stage.record();
    await stage.apply(cluster(stage, "edge", 1, { runState: "Stopped", lifecycle: AUTOMATIC }));
    const locked = await stage.waitFor(KIND, "edge", { reason: "ClusterLocked" });
    expect(condition(locked, "Ready")?.message).toContain('by "kim" (reason: audit)');
    expect(condition(locked, "Locked")).toMatchObject({ status: "True", reason: "ClusterLocked" });
    expect(locked.status).toMatchObject({ lock });
    expect(record.changes()).toEqual([]);
    edit(stage, 1, { lock: null });
    await stage.annotate(KIND, "edge", { [RECONCILE_REQUESTED_AT]: "unlocked" });
    await stage.waitFor(KIND, "edge", is("state", "STOPPED"));
    expect(record.changes()).toEqual(["stopCluster"]);
  });

  it("are named by those on them: by environments, and by one binding each, stopped or not", async () => {
    const template = { key: "kubernetes-essentials", version: "1.2.0" };
    const clusterRef = { name: "edge" };
    const managedConfig = { ingress: { domain: { value: "shop.example.com" } } };
    await stage.apply(project("shop"), environment(stage, "staging", "shop", { clusterRef }));
    const made = await stage.waitFor("PlatformEnvironment", "staging", { status: "True" });
    expect(member(made.status, "clusterId")).toBe(stage.platform.clusterIds[1]);
    await stage.apply(resource("PlatformBinding", "first", { clusterRef, template, managedConfig }));
    const bound = await stage.waitFor(
      "PlatformBinding",
      "first",
      ({ status }) => member(status, "clusterId") !== undefined,
    );
    expect(member(bound.status, "clusterId")).toBe(stage.platform.clusterIds[1]);
    await stage.apply(resource("PlatformBinding", "second", { clusterRef, template, managedConfig }));
    const refused = await stage.waitFor("PlatformBinding", "second", { reason: "AlreadyManaged" });
    expect(condition(refused, "Ready")?.message).toContain(`${stage.namespace}/first`);
    await stage.remove("PlatformBinding", "second");
    await stage.remove("PlatformBinding", "first");
  });

  it("are stopped, when their resource goes, once nobody is on them any more", async () => {
    await stage.patch(KIND, "edge", {
      spec: { runState: "Running", lifecycle: { ...AUTOMATIC, deletionPolicy: "Stop" } },
    });
    await stage.waitFor(KIND, "edge", is("state", "DEPLOYED"));
    await stage.remove(KIND, "edge");
    await stage.waitFor(KIND, "edge", (object) => condition(object, "Ready")?.reason === "WaitingForChildren");
    const record = await stage.record();
    await stage.remove("PlatformEnvironment", "staging");
    await stage.waitGone(KIND, "edge");
    expect(record.changes()).toEqual(["stopCluster"]);
    expect(stage.platform.world().clusters.get(stage.platform.clusterIds[1] ?? "")?.state).toBe("STOPPED");
  });

  it("keep the id that they were taken over by", async () => {
    const externalId = stage.platform.clusterIds[1] ?? "";
    await expect(stage.patch(KIND, "production", { spec: { externalId } })).rejects.toThrow(/Invalid|422/);
  });

  it("stay as they are when their resource goes under Retain", async () => {
    const record = await stage.record();
    await stage.remove(KIND, "production");
    await stage.waitGone(KIND, "production");
    expect(record.changes()).toEqual([]);
  });
});

describe("clusters that only answers tell of", () => {
  const stage = createStage({ surface: "documented" });

  beforeAll(async () => {
    await stage.apply(...defaults(stage));
  });

  it("are taken over with a version, which counts as the one that runs", async () => {
    const record = await stage.record();
    await stage.apply(cluster(stage, "production", 0, { kubernetesVersion: "1.33", runState: "Running" }));
    const taken = await stage.waitFor(KIND, "production", { status: "True" });
    expect(condition(taken, "UpToDate")).toMatchObject({ status: "Unknown", reason: "NotObservable" });
    expect(record.changes()).toEqual([]);
    await stage.quiet(2);
  });

  it("are upgraded once by a newer version, on approval, and say what is not shown", async () => {
    const record = await stage.record();
    await stage.patch(KIND, "production", { spec: { kubernetesVersion: "1.34" } });
    await approve(stage, "production");
    const accepted = await stage.waitFor(KIND, "production", { status: "True", reason: "Accepted" });
    expect(condition(accepted, "UpToDate")).toMatchObject({ status: "Unknown", reason: "NotObservable" });
    expect(record.changes()).toEqual(["upgradeCluster"]);
    await stage.patch(KIND, "production", { spec: { lifecycle: AUTOMATIC } });
    await stage.annotate(KIND, "production", { [RECONCILE_REQUESTED_AT]: "upgraded" });
    await stage.waitFor(KIND, "production", ({ status }) => member(status, "lastHandledReconcileAt") === "upgraded");
    expect(record.changes()).toEqual(["upgradeCluster"]);
    edit(stage, 0, { state: "DEPLOYED", deployed: true, run: null });
    await stage.quiet(2);
  });

  it("are stopped on approval, and cannot be started", async () => {
    const record = await stage.record();
    await stage.patch(KIND, "production", { spec: { kubernetesVersion: null, runState: "Stopped", lifecycle: null } });
    await approve(stage, "production");
    const stopped = await stage.waitFor(KIND, "production", { status: "True", reason: "Accepted" });
    expect(condition(stopped, "ClusterDeployed")).toMatchObject({ status: "Unknown", reason: "STOP_QUEUED" });
    expect(stopped.status).toMatchObject({ verified: true });
    expect(record.changes()).toEqual(["stopCluster"]);
    // Somebody starts it, which nothing shows: on request, and once that is approved, it is stopped again.
    edit(stage, 0, { state: "DEPLOYED", deployed: true, run: null });
    await stage.annotate(KIND, "production", { [RECONCILE_REQUESTED_AT]: "again" });
    await approve(stage, "production");
    await stage.waitFor(KIND, "production", ({ status }) => member(status, "lastHandledReconcileAt") === "again");
    expect(record.changes()).toEqual(["stopCluster", "stopCluster"]);
    await stage.patch(KIND, "production", { spec: { runState: "Running" } });
    await stage.waitFor(KIND, "production", { type: "Stalled", status: "True", reason: "NotSupportedByApi" });
    expect(record.changes()).toEqual(["stopCluster", "stopCluster"]);
    await stage.quiet(2);
  });

  it("have a binding that is Ready only once an answer shows its mandatory layers enabled", async () => {
    stage.platform.sim.settings.layerStatuses = { networking: { status: "FAILED", reason: "No quota" } };
    const spec = {
      clusterRef: { externalId: stage.platform.clusterIds[1] ?? "" },
      cluster: { mode: "CUSTOMER_MANAGED", provider: "GCP" },
      template: { key: "kubernetes-essentials", version: "1.2.0" },
      managedConfig: { ingress: { domain: { value: "shop.example.com" } } },
    };
    await stage.apply(resource("PlatformBinding", "essentials", spec));
    const failed = await stage.waitFor("PlatformBinding", "essentials", { reason: "LayersNotEnabled" });
    expect(condition(failed, "LayersReady")).toMatchObject({
      status: "False",
      message: expect.stringContaining("networking is FAILED (No quota)"),
    });
    stage.platform.sim.settings.layerStatuses = {};
    await stage.annotate("PlatformBinding", "essentials", { [RECONCILE_REQUESTED_AT]: "mended" });
    const bound = await stage.waitFor("PlatformBinding", "essentials", { status: "True", reason: "Bound" });
    expect(condition(bound, "LayersReady")).toMatchObject({ status: "True" });
    expect(bound.status).toMatchObject({ layersEnabled: "2/2" });
    await stage.remove("PlatformBinding", "essentials");
  });

  it("are acted upon by an operation only where it does not insist on an end that nothing shows", async () => {
    const record = await stage.record();
    const stop = { type: "StopCluster", clusterRef: { externalId: stage.platform.clusterIds[1] ?? "" } };
    await stage.apply(resource("PlatformOperation", "insisting", { ...stop, completion: "Observed" }));
    await stage.waitFor("PlatformOperation", "insisting", { type: "Stalled", status: "True", reason: "NotObservable" });
    expect(record.changes()).toEqual([]);
    await stage.apply(resource("PlatformOperation", "asking", stop));
    await stage.waitFor("PlatformOperation", "asking", { type: "Complete", status: "True", reason: "Accepted" });
    expect(record.changes()).toEqual(["stopCluster"]);
  });

  it("of another organization are not stopped", async () => {
    const theirs = [...stage.platform.world().clusters.values()].find(({ name }) => name === "theirs");
    await stage.apply(resource(KIND, "theirs", { externalId: theirs?.id, runState: "Stopped", lifecycle: AUTOMATIC }));
    const refused = await stage.waitFor(KIND, "theirs", (object) => condition(object, "Ready") !== undefined);
    expect(condition(refused, "Ready")?.status).toBe("False");
    expect(theirs?.state).toBe("DEPLOYED");
  });
});
