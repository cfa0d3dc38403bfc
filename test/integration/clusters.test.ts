/** PlatformCluster on a real control plane: approval, locks, who is on a cluster, its end. */
import { beforeAll, describe, expect, it } from "vitest";

import { editRecord } from "../../simulator/control/records.ts";
import { APPROVED_PLAN, FINALIZER } from "../../src/api/names.ts";
import { member, stringMember } from "../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { defaults, environment, project, resource } from "../support/kube/manifests.ts";

const KIND = "PlatformCluster";
const AUTOMATIC = { applyPolicy: "Automatic" };

const cluster = (env: Env, name: string, index: 0 | 1, spec: JsonObject = {}): Manifest =>
  resource(KIND, name, { externalId: env.platform.clusterIds[index] ?? "", ...spec });

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
    const hash = stringMember(member(pending.status, "plan"), "hash") ?? "";
    await env.annotate(KIND, "production", { [APPROVED_PLAN]: hash });
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
    editRecord(env.platform.sim, env.platform.clusterIds[0] ?? "", { nextVersion: "1.35" });
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

  it("are named by those on them: by environments, and by one binding each, stopped or not", async () => {
    const template = { key: "kubernetes-essentials", version: "1.2.0" };
    const clusterRef = { name: "edge" };
    const managedConfig = { ingress: { domain: { value: "shop.example.com" } } };
    await env.apply(cluster(env, "edge", 1, { lifecycle: AUTOMATIC }));
    const made = await env.ready(project("shop"), environment(env, "staging", "shop", { clusterRef }));
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
    await env.patch(KIND, "edge", { spec: { lifecycle: { ...AUTOMATIC, deletionPolicy: "Stop" } } });
    await env.waitFor(KIND, "edge", ({ metadata }) => metadata.finalizers?.includes(FINALIZER) === true);
    await env.remove(KIND, "edge");
    await env.waitFor(KIND, "edge", (object) => condition(object, "Ready")?.reason === "WaitingForChildren");
    const record = await env.record();
    await env.remove("PlatformEnvironment", "staging");
    await env.waitGone(KIND, "edge");
    expect(record.changes()).toEqual(["stopCluster"]);
    expect(env.platform.world().clusters.get(env.platform.clusterIds[1] ?? "")?.state).toBe("STOPPED");
  });
});
