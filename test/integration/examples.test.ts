/** Every example comes to rest on every platform. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { surfaces } from "../../simulator/base/operations.ts";
import { newService } from "../../simulator/model/creation.ts";
import { newCluster } from "../../simulator/model/seed.ts";
import { conditionsOf } from "../../src/engine/contract/status.ts";
import { RESOURCES } from "../../src/kinds/index.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { grantSecretOutputs } from "../support/env/rights.ts";
import { placeEnvironment } from "../support/env/simulated-platform.ts";
import { examples } from "../support/examples/examples.ts";
import { configMap, secret } from "../support/kube/manifests.ts";

const numbered = (last: number): string => `00000000-0000-4000-8000-00000000000${String(last)}`;

/** Ids of the clusters in the examples. */
const CLUSTERS = [
  numbered(2),
  numbered(3),
  numbered(5),
  "6f1f3e0a-9c2f-4d3e-8b1a-2f6d1c0b7a55",
  "0b7a55aa-2f6d-4c0b-8a55-6f1f3e0a9c2f",
];

/** Creates the objects on the platform that the examples name by id. */
function prepareHarness({ platform: { sim, organizationId } }: Env): void {
  const { world, ids, time } = sim;
  for (const [index, id] of CLUSTERS.entries()) {
    const name = `cluster-${String(index)}`;
    world.clusters.set(id, newCluster(ids, time, organizationId, { id, name, region: "eu-west-3" }));
  }
  const environment = placeEnvironment(
    sim,
    { id: numbered(3), organizationId, name: "Legacy shop" },
    { id: numbered(4), name: "reporting", mode: "PRODUCTION", clusterId: numbered(2) },
  );
  const born = newService(sim, environment, "database", "reports", { type: "POSTGRESQL", version: "16" });
  world.services.delete(born.id);
  world.services.set(numbered(6), { ...born, id: numbered(6) });
}

/** The objects that the examples refer to but do not contain. */
function prerequisites({ operatorNamespace, platform }: Env): readonly Manifest[] {
  const shared = secret("shared-platform-token", { jwt: platform.tokens.admin });
  return [
    configMap("region", { name: "eu-west-3" }),
    configMap("domains", { shop: "shop.example.com" }),
    secret("orders-db", { password: "not-a-password" }),
    { ...shared, metadata: { ...shared.metadata, namespace: operatorNamespace } },
  ];
}

/** A schedule that does not come while tests run. */
const NEVER = "0 0 29 2 *";

/** All manifests for this environment, the quickstart's first. */
function manifestsFor(env: Env): readonly Manifest[] {
  const rank = (file: string): number => (file.startsWith("quickstart/") ? 0 : 1);
  const files = examples().toSorted((one, other) => rank(one.file) - rank(other.file));
  return files.flatMap(({ manifests }) => manifests).map((manifest) => replaced(manifest, env));
}

function replaced(manifest: Manifest, { namespace, platform }: Env): Manifest {
  const json = JSON.stringify(manifest);
  const isCluster = json.includes("ClusterPlatformConnection");
  const values: readonly (readonly [string, string])[] = [
    ['"namespace":"shop"', `"namespace":"${namespace}"`],
    ['"names":["shop"]', `"names":["${namespace}"]`],
    ...(isCluster ? [['"name":"shared"}', `"name":"${namespace}-shared"}`] as const] : []),
    ["https://platform.example.com", platform.url],
    [numbered(1), platform.organizationId],
    ["replace-with-an-api-token", platform.tokens.admin],
    ["0 20 * * 1-5", NEVER],
    // With two requests per second this would take minutes.
    ['"requestsPerSecond":2', '"requestsPerSecond":200'],
  ];
  return JSON.parse(values.reduce((text, [from, to]) => text.replaceAll(from, to), json)) as Manifest;
}

/** Whether something is still to happen that waits for no person and no date. */
function isUnderWay(object: KubeObject): boolean {
  const conditions = conditionsOf(object);
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined) return true;
  // An ingress may be reported one poll later than its application.
  if (conditions.some(({ reason }) => /_QUEUED$|^(?!RUNNING$)[A-Z_]+ING$/.test(reason))) return true;
  return (
    ready.reason !== "ApprovalPending" &&
    conditions.some(({ type, status }) => type === "Reconciling" && status === "True")
  );
}

// Its own, as the operators of other files write the status of ClusterPlatformConnections too.
const controlPlane = await ownControlPlane();

describe.each(surfaces)("the manifests of examples/ on the platform %s", (name) => {
  const env = createEnv({
    surface: name,
    controlPlane,
    args: ["--webhook-bind-address=127.0.0.1:0", "--webhook-url=http://127.0.0.1:9/platform"],
  });
  const shared = () => `${env.namespace}-shared`;

  beforeAll(async () => {
    prepareHarness(env);
    await grantSecretOutputs(env);
    await env.apply(...prerequisites(env), ...manifestsFor(env));
  }, 60_000);
  afterAll(() => env.remove("ClusterPlatformConnection", shared()));

  const all = async () => {
    const lists = await Promise.all(RESOURCES.map(({ kind }) => env.list(kind)));
    return lists
      .flat()
      .filter(({ kind, metadata }) => kind !== "ClusterPlatformConnection" || metadata.name === shared());
  };

  it("reach a status of their current generation in which nothing is under way", async () => {
    const nothingUnderWay = async (): Promise<void> => {
      const underWay = (await all()).filter((object) => isUnderWay(object));
      expect(underWay.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    };
    await vi.waitFor(nothingUnderWay, { timeout: 60_000, interval: 500 });
    await env.settled();
    // The first read of an ingress follows its deployment, and may find it queued.
    await vi.waitFor(nothingUnderWay, { timeout: 60_000, interval: 500 });
    const objects = await all();
    const kinds = new Set(RESOURCES.map(({ kind }) => kind));
    expect(objects.length).toBe(manifestsFor(env).filter(({ kind }) => kinds.has(kind)).length);
    for (const object of objects) {
      const ready = conditionsOf(object).find(({ type }) => type === "Ready");
      expect(ready, `${object.kind} ${object.metadata.name}`).toMatchObject({
        observedGeneration: object.metadata.generation,
      });
    }
  });
});
