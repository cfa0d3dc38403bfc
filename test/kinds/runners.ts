import { newCluster } from "../../simulator/model/seed.ts";
import type { Cluster } from "../../simulator/model/world.ts";
import type { JsonObject } from "../../src/engine/contract/kind.ts";
import { kindEnv, named, type KindHarness, type SurfaceName } from "../support/kinds/env.ts";
import { rawSpec } from "../support/services/applications.ts";
import { rawSpec as blueprintSpec } from "../support/services/blueprints.ts";
import { databaseSpec } from "../support/services/databases.ts";

/** Creates a cluster of the organization that is DEPLOYED: version 1.33, next is 1.34. */
export function ownCluster({ simulator: { sim, organizationId } }: KindHarness): Cluster {
  const cluster = newCluster(sim.ids, sim.time, organizationId, { name: "own", region: "eu-west-3" });
  sim.world.clusters.set(cluster.id, cluster);
  return cluster;
}

const SPECS = { application: rawSpec, database: databaseSpec, blueprint: blueprintSpec };

/** A platform for the tests of a kind of services in one `describe`, which have a name for each test. */
const serviceEnv = (surface: SurfaceName, kind: keyof typeof SPECS) =>
  kindEnv(surface, named(kind), (env) => {
    const more = {
      spec: (change: JsonObject = {}) => SPECS[kind]({ name: env.name, ...change }),
      /** Returns a custom resource that was just applied. */
      applied: (change: JsonObject = {}) => env.harness[kind](env.environmentId, more.spec(change)),
      /** Returns one that is deployed. @param values of Secrets and ConfigMaps, by field */
      deployed: (change: JsonObject = {}, values: Readonly<Record<string, string>> = {}) => {
        const runner = more.applied(change);
        runner.around.values = values;
        return env.settled(runner);
      },
    };
    return more;
  });

export const applicationEnv = (surface: SurfaceName) => serviceEnv(surface, "application");
export const blueprintEnv = (surface: SurfaceName) => serviceEnv(surface, "blueprint");
export const databaseEnv = (surface: SurfaceName) => serviceEnv(surface, "database");
