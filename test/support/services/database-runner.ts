import { afterAll, beforeAll, beforeEach } from "vitest";

import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { startKindWorld, type KindWorld, type SurfaceName } from "../kinds/env.ts";
import type { Runner } from "../kinds/kind-runner.ts";
import { databaseSpec } from "./databases.ts";

/** A platform with one project and one environment, for the tests of one `describe`, each with a name of its own. */
export interface DatabaseBench {
  readonly world: KindWorld;
  readonly environmentId: string;
  spec(change?: JsonObject): JsonObject;
  /** A custom resource that was just applied. */
  applied(change?: JsonObject): Runner;
  /** One that runs. */
  deployed(change?: JsonObject): Promise<Runner>;
  /** One that others made and deployed. @returns its id */
  foreign(): Promise<string>;
  /** The operations that were sent since the last time this was asked for. */
  sent(): readonly string[];
}

/** Starts a platform before the tests of the `describe` that it is called in. */
export function databaseBench(surface: SurfaceName): DatabaseBench {
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
    world.change({ nullRequestIds: false, acceptLatencySeconds: 0, listLagSeconds: 0, goneAs: 404 });
    world.writes();
  });
  afterAll(() => world.close());

  const bench: DatabaseBench = {
    get world() {
      return world;
    },
    get environmentId() {
      return environmentId;
    },
    spec: (change = {}) => databaseSpec({ name: `main-${names}`, ...change }),
    applied: (change = {}) => world.database(environmentId, bench.spec(change)),
    deployed: async (change = {}) => {
      const runner = bench.applied(change);
      await runner.run();
      world.pass(120);
      const { is, status } = await runner.run();
      if (is !== "settled" || status["state"] !== "DEPLOYED")
        throw new Error(`${is} in ${JSON.stringify(status["state"])}`);
      world.writes();
      return runner;
    },
    foreign: async () => {
      const settings = { name: `main-${names}`, type: "POSTGRESQL", mode: "CONTAINER", version: "16" };
      const { id } = await world.api.databases.create(environmentId, settings);
      await world.api.databases.deploy(id);
      world.pass(120);
      world.writes();
      return id;
    },
    sent: () => world.writes().map(([operation]) => operation),
  };
  return bench;
}
