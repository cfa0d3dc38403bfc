import { newCluster } from "../../../simulator/model/seed.ts";
import type { Cluster } from "../../../simulator/model/world.ts";
import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { kindEnv, type KindHarness, type SurfaceName } from "./env.ts";

/** Creates a cluster of the organization that is DEPLOYED: version 1.33, next is 1.34. */
export function ownCluster({ simulator: { sim, organizationId } }: KindHarness): Cluster {
  const cluster = newCluster(sim.ids, sim.time, organizationId, { name: "own", region: "eu-west-3" });
  sim.world.clusters.set(cluster.id, cluster);
  return cluster;
}

/** A platform with a separate cluster for each test of the `describe`. */
export function clusterEnv(surface: SurfaceName) {
  let cluster: Cluster;
  const more = (env: { readonly harness: KindHarness }) => {
    const own = {
      /** Its record on the platform. */
      get cluster() {
        return cluster;
      },
      spec: (change: JsonObject = {}): JsonObject => ({ externalId: cluster.id, ...change }),
      /** Returns a custom resource that was just applied. */
      applied: (change: JsonObject = {}) => env.harness.cluster(own.spec(change)),
    };
    return own;
  };
  return kindEnv(surface, more, ({ harness }) => {
    cluster = ownCluster(harness);
    // Lets the client's cache of the previous cluster expire.
    harness.pass(120);
  });
}
