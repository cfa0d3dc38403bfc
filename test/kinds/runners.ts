import { newCluster } from "../../simulator/model/seed.ts";
import type { Cluster } from "../../simulator/model/world.ts";
import type { JsonObject } from "../../src/engine/contract/kind.ts";
import { kindEnv, named, type KindHarness, type SurfaceName } from "../support/kinds/env.ts";
import { COMMIT, rawSpec } from "../support/services/applications.ts";
import { rawSpec as blueprintSpec } from "../support/services/blueprints.ts";
import { databaseSpec } from "../support/services/databases.ts";

/** Creates a cluster of the organization that is DEPLOYED: version 1.33, next is 1.34. */
export function ownCluster({ simulator: { sim, organizationId } }: KindHarness): Cluster {
  const cluster = newCluster(sim.ids, sim.time, organizationId, { name: "own", region: "eu-west-3" });
  sim.world.clusters.set(cluster.id, cluster);
  return cluster;
}

const SERVICES = {
  application: {
    prefix: "api",
    specWith: rawSpec,
    place: (to: KindHarness, environmentId: string, name: string) => to.newApplication(environmentId, name, COMMIT),
  },
  database: {
    prefix: "main",
    specWith: databaseSpec,
    place: (to: KindHarness, environmentId: string, name: string) => to.newDatabase(environmentId, name),
  },
  blueprint: {
    prefix: "cache",
    specWith: blueprintSpec,
    place: async ({ api }: KindHarness, environmentId: string, name: string) => {
      const input = { name, tag: "redis/3.0.0", icon: "https://icons.example.com/redis.svg" };
      return (await api.blueprints.create(environmentId, input, { deploy: true })).id ?? "";
    },
  },
};

/** A platform for the tests of a kind of services in one `describe`, which have a name for each test. */
const serviceEnv = (surface: SurfaceName, kind: keyof typeof SERVICES) => {
  const { prefix, specWith, place } = SERVICES[kind];
  return kindEnv(surface, named(prefix), (env) => {
    const more = {
      spec: (change: JsonObject = {}) => specWith({ name: env.name, ...change }),
      /** Returns a custom resource that was just applied. */
      applied: (change: JsonObject = {}) => env.harness[kind](env.environmentId, more.spec(change)),
      /** Returns one that is deployed. @param values of Secrets and ConfigMaps, by field */
      deployed: (change: JsonObject = {}, values: Readonly<Record<string, string>> = {}) => {
        const runner = more.applied(change);
        runner.around.values = values;
        return env.settled(runner);
      },
      /** Creates and deploys one like another user. @returns its id */
      foreign: async (): Promise<string> => {
        const id = await place(env.harness, env.environmentId, env.name);
        env.harness.pass(120);
        env.harness.writes();
        return id;
      },
    };
    return more;
  });
};

export const applicationEnv = (surface: SurfaceName) => serviceEnv(surface, "application");
export const blueprintEnv = (surface: SurfaceName) => serviceEnv(surface, "blueprint");
export const databaseEnv = (surface: SurfaceName) => serviceEnv(surface, "database");
