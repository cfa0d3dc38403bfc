import { newCluster } from "../../../simulator/model/seed.ts";
import type { Cluster } from "../../../simulator/model/world.ts";
import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { condition, type Condition } from "../env/cluster.ts";
import type { Env } from "../env/env.ts";
import { COMMIT } from "../kube/manifests.ts";
import { kindEnv, type SurfaceName, type KindHarness } from "./env.ts";

/** Creates a cluster of the organization that is DEPLOYED: version 1.33, next is 1.34. */
export function ownCluster({ simulator: { sim, organizationId } }: KindHarness): Cluster {
  const cluster = newCluster(sim.ids, sim.time, organizationId, { name: "own", region: "eu-west-3" });
  sim.world.clusters.set(cluster.id, cluster);
  return cluster;
}

/** A platform with targets for operations: for each test an application, a database and a cluster, all DEPLOYED. */
export const operationEnv = (surface: SurfaceName) =>
  kindEnv(
    surface,
    async ({ harness, environmentId, number }) => {
      const applicationId = await harness.newApplication(environmentId, `api-${number}`, COMMIT);
      const databaseId = await harness.newDatabase(environmentId, `main-${number}`);
      const cluster = ownCluster(harness);
      harness.pass(600);
      return { applicationId, databaseId, cluster };
    },
    (env) => ({
      /** Returns a custom resource that was just applied; its references name the targets of this test. */
      applied: (spec: JsonObject) =>
        env.harness.operation(spec, {
          "spec.applicationRef": env.applicationId,
          "spec.databaseRef": env.databaseId,
          "spec.clusterRef": env.cluster.id,
          "spec.environmentRef": env.environmentId,
        }),
    }),
  );

export async function over(env: Env, name: string): Promise<KubeObject> {
  return env.waitFor("PlatformOperation", name, ({ status }) => member(status, "outcome") !== undefined);
}

/** The conditions for the end of an operation: none before, one after. */
export function endsOf(object: KubeObject): readonly Condition[] {
  return ["Complete", "Failed"].flatMap((type) => condition(object, type) ?? []);
}
