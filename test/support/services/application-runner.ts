import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { extendedOn } from "../env/simulated-platform.ts";
import { kindEnv, named, type SurfaceName } from "../kinds/env.ts";
import { COMMIT, rawSpec } from "./applications.ts";

/** A platform for the tests of applications in one `describe`, which have a name for each test. */
export const applicationEnv = (surface: SurfaceName) =>
  kindEnv(surface, named("api"), (env) => {
    const more = {
      spec: (change: JsonObject = {}) => rawSpec({ name: env.name, ...change }),
      /** Returns a custom resource that was just applied. */
      applied: (change: JsonObject = {}) => env.harness.application(env.environmentId, more.spec(change)),
      /** Returns one whose commit is deployed. @param values of Secrets and ConfigMaps, by field */
      deployed: (change: JsonObject = {}, values: Readonly<Record<string, string>> = {}) => {
        const runner = more.applied(change);
        runner.around.values = values;
        return env.settled(runner);
      },
      /** Creates and deploys one like another user. @returns its id */
      foreign: async (): Promise<string> => {
        const { harness, environmentId } = env;
        const gitRepository = { url: "https://github.com/acme/api.git", branch: "main" };
        const input = { name: env.name, gitRepository };
        const { id } = await harness.api.applications.create(environmentId, input, extendedOn(harness.simulator));
        await harness.api.applications.deploy(id, COMMIT);
        harness.pass(120);
        harness.writes();
        return id;
      },
    };
    return more;
  });
