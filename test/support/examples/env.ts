/** The examples as a user applies them, and the objects on the platform that they refer to. */
import { newService } from "../../../simulator/model/creation.ts";
import { newCluster } from "../../../simulator/model/seed.ts";
import type { Manifest } from "../env/cluster.ts";
import type { Env } from "../env/env.ts";
import { placeEnvironment } from "../env/simulated-platform.ts";
import { secret } from "../kube/manifests.ts";
import { examples } from "./examples.ts";

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
export function prepareHarness({ platform: { sim, organizationId } }: Env): void {
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
export function prerequisites({ operatorNamespace, platform }: Env): readonly Manifest[] {
  const configMap = (name: string, data: Readonly<Record<string, string>>): Manifest => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data,
  });
  const shared = secret("shared-platform-token", { jwt: platform.tokens.admin });
  return [
    configMap("region", { name: "eu-west-3" }),
    configMap("domains", { shop: "shop.example.com" }),
    secret("orders-db", { password: "not-a-password" }),
    { ...shared, metadata: { ...shared.metadata, namespace: operatorNamespace } },
  ];
}

/** A change window that is never open while tests run. */
const NEVER = "0 0 29 2 *";

/** The manifests of each file for this environment, the quickstart first and the operations last. */
export function filesFor(env: Env): readonly (readonly Manifest[])[] {
  const all = examples();
  const isQuickstart = (file: string): boolean => file.startsWith("quickstart/");
  const groups = [
    all.filter(({ file }) => isQuickstart(file)),
    ...all.filter(({ file }) => !isQuickstart(file) && file !== "operations.yaml").map((one) => [one]),
    all.filter(({ file }) => file === "operations.yaml"),
  ];
  return groups.map((files) => files.flatMap(({ manifests }) => manifests).map((manifest) => replaced(manifest, env)));
}

function replaced(manifest: Manifest, { namespace, platform }: Env): Manifest {
  const values: readonly (readonly [string, string])[] = [
    ['"namespace":"shop"', `"namespace":"${namespace}"`],
    ['"names":["shop"]', `"names":["${namespace}"]`],
    ['"name":"shared"}', `"name":"${namespace}-shared"}`],
    ["https://platform.example.com", platform.url],
    [numbered(1), platform.organizationId],
    ["replace-with-an-api-token", platform.tokens.admin],
    ["0 20 * * 5", NEVER],
    // With two requests per second this would take minutes.
    ['"requestsPerSecond":2', '"requestsPerSecond":200'],
  ];
  const isCluster = JSON.stringify(manifest).includes("ClusterPlatformConnection");
  const text = values
    .filter(([from]) => isCluster || !from.startsWith('"name":"shared"'))
    .reduce((json, [from, to]) => json.replaceAll(from, to), JSON.stringify(manifest));
  return JSON.parse(text) as Manifest;
}
