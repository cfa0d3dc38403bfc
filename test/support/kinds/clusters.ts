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
export const clusterEnv = (surface: SurfaceName) =>
  kindEnv(
    surface,
    ({ harness }) => {
      /** Its record on the platform. */
      const cluster = ownCluster(harness);
      // Lets the client's cache of the previous cluster expire.
      harness.pass(120);
      return { cluster };
    },
    (env) => {
      const spec = (change: JsonObject = {}): JsonObject => ({ externalId: env.cluster.id, ...change });
      /** Returns a custom resource that was just applied. */
      const applied = (change?: JsonObject) => env.harness.cluster(spec(change));
      return { spec, applied };
    },
  );
