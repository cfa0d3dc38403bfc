import { afterAll, beforeAll, beforeEach } from "vitest";

import type { Service } from "../../../simulator/model/world.ts";
import type { JsonObject, OpenIntent } from "../../../src/engine/contract/kind.ts";
import { blueprint } from "../../../src/kinds/blueprint/index.ts";
import { startKindWorld, type KindWorld, type SurfaceName } from "../kinds/env.ts";

type BlueprintRunner = ReturnType<KindWorld["blueprint"]>;

export const ICON = "https://icons.example.com/redis.svg";

/** A platform with one environment, for the tests of one `describe`, each with a name of its own. */
export interface BlueprintBench {
  readonly world: KindWorld;
  readonly environmentId: string;
  /** Of the blueprint of this test. */
  readonly name: string;
  /** A Helm blueprint that is deployed, as a user writes it. */
  spec(change?: JsonObject): JsonObject;
  /** A custom resource that was just applied. @param values of Secrets and ConfigMaps, by field */
  applied(change?: JsonObject, values?: Readonly<Record<string, string>>): BlueprintRunner;
  /** One that was created, and deployed unless its spec says otherwise. */
  created(change?: JsonObject, values?: Readonly<Record<string, string>>): Promise<BlueprintRunner>;
  /** One that others made. @returns its id */
  foreign(name?: string): Promise<string>;
  /** The service that a blueprint became. */
  service(runner: BlueprintRunner): Service;
  /** What a trace of the create of this test finds. @param mark what the plan put down */
  traced(runner: BlueprintRunner, mark: OpenIntent["mark"]): ReturnType<typeof blueprint.trace>;
}

/** Starts a platform before the tests of the `describe` that it is called in. */
export function blueprintBench(surface: SurfaceName): BlueprintBench {
  let world: KindWorld;
  let environmentId: string;
  let names = 0;
  beforeAll(async () => {
    world = await startKindWorld(surface);
    environmentId = await world.newEnvironment(await world.newProject("shop"), "staging");
  });
  beforeEach(() => {
    names += 1;
    world.simulator.sim.faults.clear();
    world.change({
      acceptLatencySeconds: 0,
      listLagSeconds: 0,
      profile: { blueprintDeployed: "record", rejections: "text" },
    });
    world.writes();
  });
  afterAll(() => world.close());

  const bench: BlueprintBench = {
    get world() {
      return world;
    },
    get environmentId() {
      return environmentId;
    },
    get name() {
      return `cache-${names}`;
    },
    spec: (change = {}) => ({
      environmentRef: { name: "staging" },
      name: bench.name,
      tag: "redis/3.0.0",
      icon: ICON,
      deployOnCreate: true,
      ...change,
    }),
    applied: (change, values = {}) => {
      const runner = world.blueprint(environmentId, bench.spec(change));
      runner.around.values = values;
      return runner;
    },
    created: async (change, values) => {
      const runner = bench.applied(change, values);
      await runner.run();
      world.pass(120);
      const { is } = await runner.run();
      if (is !== "settled") throw new Error(`it is ${is}`);
      world.writes();
      return runner;
    },
    foreign: async (name = bench.name) => {
      const input = { name, tag: "redis/3.0.0", icon: ICON };
      const { id = "" } = await world.api.blueprints.create(environmentId, input, { deploy: true });
      world.pass(120);
      world.writes();
      return id;
    },
    service: (runner) => {
      const id = world.simulator.world().blueprints.get(runner.id() ?? "")?.serviceId;
      return world.service(id);
    },
    traced: (runner, mark) => {
      const intent = {
        op: "createBlueprint",
        creates: true,
        parentId: environmentId,
        name: bench.name,
        id: undefined,
        commit: undefined,
        mark,
      };
      return blueprint.trace(intent, runner.pass(), world.api);
    },
  };
  return bench;
}
