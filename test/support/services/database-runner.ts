import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { kindEnv, named, type SurfaceName } from "../kinds/env.ts";
import { databaseSpec } from "./databases.ts";

/** A platform for the tests of databases in one `describe`, which have a name for each test. */
export const databaseEnv = (surface: SurfaceName) =>
  kindEnv(surface, named("main"), (env) => {
    const more = {
      spec: (change: JsonObject = {}) => databaseSpec({ name: env.name, ...change }),
      /** Returns a custom resource that was just applied. */
      applied: (change: JsonObject = {}) => env.harness.database(env.environmentId, more.spec(change)),
      /** Returns one that is deployed. */
      deployed: (change: JsonObject = {}) => env.settled(more.applied(change)),
      /** Creates and deploys one like another user. @returns its id */
      foreign: async (): Promise<string> => {
        const { api } = env.harness;
        const settings = { name: env.name, type: "POSTGRESQL", mode: "CONTAINER", version: "16" };
        const { id } = await api.databases.create(env.environmentId, settings);
        await api.databases.deploy(id);
        env.harness.pass(120);
        env.harness.writes();
        return id;
      },
    };
    return more;
  });
