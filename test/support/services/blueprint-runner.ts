import type { JsonObject, OpenIntent } from "../../../src/engine/contract/kind.ts";
import { blueprint } from "../../../src/kinds/blueprint/index.ts";
import { kindEnv, named, type SurfaceName } from "../kinds/env.ts";
import type { Runner } from "../kinds/kind-runner.ts";

export const ICON = "https://icons.example.com/redis.svg";

type Values = Readonly<Record<string, string>>;

/** A platform for the tests of blueprints in one `describe`, which have a name for each test. */
export const blueprintEnv = (surface: SurfaceName) =>
  kindEnv(surface, named("cache"), (env) => {
    const more = {
      /** The spec of a deployed Helm blueprint, as a user writes it. */
      spec: (change: JsonObject = {}): JsonObject => ({
        environmentRef: { name: "staging" },
        name: env.name,
        tag: "redis/3.0.0",
        icon: ICON,
        deployOnCreate: true,
        ...change,
      }),
      /** Returns a custom resource that was just applied. @param values of Secrets and ConfigMaps, by field */
      applied: (change?: JsonObject, values: Values = {}) => {
        const runner = env.harness.blueprint(env.environmentId, more.spec(change));
        runner.around.values = values;
        return runner;
      },
      /** Returns one that was created, and deployed unless its spec prevents it. */
      created: (change?: JsonObject, values?: Values) => env.settled(more.applied(change, values)),
      /** Creates one like another user. @returns its id */
      foreign: async (): Promise<string> => {
        const input = { name: env.name, tag: "redis/3.0.0", icon: ICON };
        const { id = "" } = await env.harness.api.blueprints.create(env.environmentId, input, { deploy: true });
        env.harness.pass(120);
        env.harness.writes();
        return id;
      },
      /** The service that a blueprint became. */
      service: (runner: Runner) =>
        env.harness.service(env.harness.simulator.world().blueprints.get(runner.id() ?? "")?.serviceId),
      /** Traces the create of this test. @param mark the baseline of the plan */
      traced: (runner: Runner, mark: OpenIntent["mark"]) => {
        const create = { op: "createBlueprint", creates: true, parentId: env.environmentId, name: env.name };
        const intent = { ...create, id: undefined, commit: undefined, mark };
        return blueprint.trace(intent, runner.pass(), env.harness.api);
      },
    };
    return more;
  });
