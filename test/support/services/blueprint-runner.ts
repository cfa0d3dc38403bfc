import { afterAll, beforeAll, beforeEach } from "vitest";

import type { Service } from "../../../simulator/model/world.ts";
import type { JsonObject, OpenIntent } from "../../../src/engine/contract/kind.ts";
import { blueprint } from "../../../src/kinds/blueprint/index.ts";
import { startKindHarness, type KindHarness, type SurfaceName } from "../kinds/env.ts";

type BlueprintRunner = ReturnType<KindHarness["blueprint"]>;

export const ICON = "https://icons.example.com/redis.svg";

/** A platform with one environment, for the tests of one `describe`, each with a unique name. */
export interface BlueprintEnv {
  readonly harness: KindHarness;
  readonly environmentId: string;
  /** The name of this test's blueprint. */
  readonly name: string;
  /** The spec of a deployed Helm blueprint, as a user writes it. */
  spec(change?: JsonObject): JsonObject;
  /** Returns a custom resource that was just applied. @param values of Secrets and ConfigMaps, by field */
  applied(change?: JsonObject, values?: Readonly<Record<string, string>>): BlueprintRunner;
  /** Returns one that was created, and deployed unless its spec prevents it. */
  created(change?: JsonObject, values?: Readonly<Record<string, string>>): Promise<BlueprintRunner>;
  /** Creates one like another user. @returns its id */
  foreign(name?: string): Promise<string>;
  /** The service that a blueprint became. */
  service(runner: BlueprintRunner): Service;
  /** Traces the create of this test. @param mark the baseline of the plan */
  traced(runner: BlueprintRunner, mark: OpenIntent["mark"]): ReturnType<typeof blueprint.trace>;
}

/** Starts a platform before the tests of the `describe` that it is called in. */
export function blueprintEnv(surface: SurfaceName): BlueprintEnv {
  let harness: KindHarness;
  let environmentId: string;
  let names = 0;
  beforeAll(async () => {
    harness = await startKindHarness(surface);
    environmentId = await harness.newEnvironment(await harness.newProject("shop"), "staging");
  });
  beforeEach(() => {
    names += 1;
    harness.simulator.sim.faults.clear();
    harness.change({
      acceptLatencySeconds: 0,
      listLagSeconds: 0,
      profile: { blueprintDeployed: "record", rejections: "text" },
    });
    harness.writes();
  });
  afterAll(() => harness.close());

  const env: BlueprintEnv = {
    get harness() {
      return harness;
    },
    get environmentId() {
      return environmentId;
    },
    get name() {
      return `cache-${names}`;
    },
    spec: (change = {}) => ({
      environmentRef: { name: "staging" },
      name: env.name,
      tag: "redis/3.0.0",
      icon: ICON,
      deployOnCreate: true,
      ...change,
    }),
    applied: (change, values = {}) => {
      const runner = harness.blueprint(environmentId, env.spec(change));
      runner.around.values = values;
      return runner;
    },
    created: async (change, values) => {
      const runner = env.applied(change, values);
      await runner.run();
      harness.pass(120);
      const { is } = await runner.run();
      if (is !== "settled") throw new Error(`it is ${is}`);
      harness.writes();
      return runner;
    },
    foreign: async (name = env.name) => {
      const input = { name, tag: "redis/3.0.0", icon: ICON };
      const { id = "" } = await harness.api.blueprints.create(environmentId, input, { deploy: true });
      harness.pass(120);
      harness.writes();
      return id;
    },
    service: (runner) => {
      const id = harness.simulator.world().blueprints.get(runner.id() ?? "")?.serviceId;
      return harness.service(id);
    },
    traced: (runner, mark) => {
      const intent = {
        op: "createBlueprint",
        creates: true,
        parentId: environmentId,
        name: env.name,
        id: undefined,
        commit: undefined,
        mark,
      };
      return blueprint.trace(intent, runner.pass(), harness.api);
    },
  };
  return env;
}
