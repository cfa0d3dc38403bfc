/** Requests whose end no read of the documented surface shows, and objects whose place no read proves. */
import { beforeAll, describe, expect, it, vi } from "vitest";

import { editRecord } from "../../simulator/control/records.ts";
import { member } from "../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { calm, eventsOf, idOf } from "../support/env/settling.ts";
import { application, blueprint, connection, database, resource } from "../support/kube/manifests.ts";
import { fixture } from "./fixture.ts";

const env = createEnv({ surface: "documented" });

const NOBODY = "0d0d0d0d-0000-4000-8000-00000000dead";
const AUTOMATIC = { lifecycle: { applyPolicy: "Automatic" } };
const cluster = (name: string, spec: JsonObject): Manifest => resource("PlatformCluster", name, spec);

const specOf = (manifest: Manifest) => member(manifest, "spec") as JsonObject;

beforeAll(async () => {
  await fixture(env);
  env.platform.sim.settings.nullRequestIds = true;
});

/** Waits for a status of this generation in which nothing is under way, and returns it. */
async function settled(kind: string, name: string): Promise<KubeObject> {
  const isOver = (object: KubeObject): boolean =>
    object.metadata.generation === condition(object, "Ready")?.observedGeneration &&
    condition(object, "Reconciling") === undefined;
  await env.waitFor(kind, name, isOver);
  await calm(env);
  return env.waitFor(kind, name, isOver);
}

async function expectUnknown(kind: string, name: string): Promise<void> {
  const object = await settled(kind, name);
  expect(condition(object, "Ready")).toMatchObject({ status: "Unknown", reason: "NotObservable" });
  expect(condition(object, "Stalled")).toBeUndefined();
  expect(condition(object, "Synced")).toMatchObject({ status: "True" });
}

describe("Ready is Unknown with the reason NotObservable", () => {
  it("for a database whose deployment the platform accepted and which failed later", async () => {
    await env.apply(database("main", "staging"));
    editRecord(env.platform.sim, idOf(await settled("PlatformDatabase", "main")), { state: "DEPLOYMENT_ERROR" });
    await expectUnknown("PlatformDatabase", "main");
  });

  it("for a blueprint whose deployment the platform accepted and which failed later", async () => {
    await env.apply(blueprint("cache", "staging"));
    await settled("PlatformBlueprint", "cache");
    const failed = [...env.platform.world().services.values()].find(({ name }) => name === "cache");
    editRecord(env.platform.sim, failed?.id ?? "", { state: "DEPLOYMENT_ERROR" });
    await expectUnknown("PlatformBlueprint", "cache");
  });

  it("for a cluster that was adopted", async () => {
    await env.apply(cluster("adopted", { externalId: env.platform.clusterIds[0] ?? "" }));
    await expectUnknown("PlatformCluster", "adopted");
  });

  it("for a cluster whose version the operator did not send", async () => {
    const spec = { kubernetesVersion: "1.99", ...AUTOMATIC };
    const record = await env.record();
    await env.patch("PlatformCluster", "adopted", { spec });
    await expectUnknown("PlatformCluster", "adopted");
    expect(record.changes()).toEqual([]);
  });

  it("for a cluster whose stop the platform accepted", async () => {
    await env.patch("PlatformCluster", "adopted", { spec: { runState: "Stopped", kubernetesVersion: null } });
    await expect.poll(() => env.platform.world().clusters.get(env.platform.clusterIds[0] ?? "")?.state).toBe("STOPPED");
    await expectUnknown("PlatformCluster", "adopted");
  });

  it.each([
    ["PlatformCluster", "no-cluster", { externalId: NOBODY }],
    [
      "PlatformWebhook",
      "no-webhook",
      { externalId: NOBODY, targetUrl: "https://hooks.example.com/x", events: ["DEPLOYMENT_STARTED"] },
    ],
    ["PlatformDatabase", "no-database", { ...specOf(database("x", "staging")), externalId: NOBODY }],
    ["PlatformBlueprint", "no-blueprint", { ...specOf(blueprint("x", "staging")), externalId: NOBODY }],
  ])("for a %s with an id that does not exist", async (kind, name, spec) => {
    await env.apply(resource(kind, name, spec));
    await expectUnknown(kind, name);
  });
});

it("a resource that is NotObservable causes no further requests, and an outage does not change its Ready condition", async () => {
  const kinds = ["PlatformDatabase/main", "PlatformBlueprint/cache", "PlatformCluster/adopted"].map((id) =>
    id.split("/"),
  );
  const read = () => Promise.all(kinds.map(([kind = "", name = ""]) => env.get(kind, name)));
  const before = (await read()).map(({ status }) => status);
  await env.quiet(5);
  env.platform.sim.faults.add({ name: "outage", answer: { is: "status", status: 503 }, count: null });
  await env.waitFor("PlatformConnection", "default", { type: "Synced", status: "False" }, 40_000);
  const during = (await read()).map((object) => condition(object, "Ready"));
  env.platform.sim.faults.clear();
  expect(during).toEqual(before.map((status) => condition({ status }, "Ready")));
});

it("a service is left with a Warning, and not called gone, when the statistics lack its environment", async () => {
  const kind = "PlatformApplication";
  const allowedProjects = [idOf(await env.get("PlatformProject", "shop"))];
  const environmentRef = { externalId: idOf(await env.get("PlatformEnvironment", "staging")) };
  const auth = { tokenSecretRef: { name: "default" } };
  const connectionRef = { name: "limited" };
  const left = (name: string, deletionPolicy: string): Manifest =>
    application(name, "", { connectionRef, environmentRef, lifecycle: { deletionPolicy } });
  const names = ["stopped", "deleted"];
  await env.apply(connection(env, "limited", { surface: "Documented", auth, allowedProjects }));
  await env.apply(left("stopped", "Stop"), left("deleted", "Delete"));
  for (const name of names) await env.waitFor(kind, name, { status: "True", reason: "Deployed" });
  await env.settled();

  const operation = "getProjectEnvironmentStats";
  const empty = { is: "status", status: 200, body: { results: [] } } as const;
  env.platform.sim.faults.add({ match: { operation }, answer: empty, count: null });
  // A new process has no earlier answer.
  await env.restart();
  const record = await env.record();
  for (const name of names) await env.remove(kind, name);
  for (const name of names) {
    await env.waitGone(kind, name);
    await vi.waitFor(async () => {
      const events = await eventsOf(env, name, "Orphaned");
      expect(events).toEqual([expect.stringContaining("Warning PlatformApplication: The platform keeps the object")]);
    }, 20_000);
  }
  expect(record.changes()).toEqual([]);
});
