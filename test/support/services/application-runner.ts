import { afterAll, beforeAll, beforeEach } from "vitest";

import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { extendedOn } from "../env/simulated-platform.ts";
import { startKindWorld, type KindWorld, type SurfaceName } from "../kinds/env.ts";
import { COMMIT, rawSpec } from "./applications.ts";

type ApplicationRunner = ReturnType<KindWorld["application"]>;

/** A platform with one project and one environment, for the tests of one `describe`, each with a name of its own. */
export interface ApplicationBench {
  readonly world: KindWorld;
  readonly projectId: string;
  readonly environmentId: string;
  /** Of the application of this test. */
  readonly name: string;
  spec(change?: JsonObject): JsonObject;
  /** A custom resource that was just applied. */
  applied(change?: JsonObject): ApplicationRunner;
  /** One whose commit is deployed. @param values of Secrets and ConfigMaps, by field */
  deployed(change?: JsonObject, values?: Readonly<Record<string, string>>): Promise<ApplicationRunner>;
  /** One that others made and deployed. @returns its id */
  foreign(): Promise<string>;
  /** The operations that were sent since the last time this was asked for. */
  sent(): readonly string[];
}

/** Starts a platform before the tests of the `describe` that it is called in. */
export function applicationBench(surface: SurfaceName): ApplicationBench {
  let world: KindWorld;
  let projectId: string;
  let environmentId: string;
  let names = 0;
  beforeAll(async () => {
    world = await startKindWorld(surface);
    projectId = await world.newProject("shop");
    environmentId = await world.newEnvironment(projectId, "staging");
  });
  beforeEach(() => {
    names += 1;
    world.simulator.sim.faults.clear();
    const profile = { applicationStatus: "whole" } as const;
    world.change({ nullRequestIds: false, acceptLatencySeconds: 0, listLagSeconds: 0, goneAs: 404, profile });
    world.writes();
  });
  afterAll(() => world.close());

  const bench: ApplicationBench = {
    get world() {
      return world;
    },
    get projectId() {
      return projectId;
    },
    get environmentId() {
      return environmentId;
    },
    get name() {
      return `api-${names}`;
    },
    spec: (change = {}) => rawSpec({ name: bench.name, ...change }),
    applied: (change = {}) => world.application(environmentId, bench.spec(change)),
    deployed: async (change = {}, values = {}) => {
      const runner = bench.applied(change);
      runner.around.values = values;
      await runner.run();
      world.pass(120);
      const { is, status } = await runner.run();
      if (is !== "settled" || status["state"] !== "DEPLOYED")
        throw new Error(`${is} in ${JSON.stringify(status["state"])}`);
      world.writes();
      return runner;
    },
    foreign: async () => {
      const gitRepository = { url: "https://github.com/acme/api.git", branch: "main" };
      const { id } = await world.api.applications.create(
        environmentId,
        { name: bench.name, gitRepository },
        extendedOn(world.simulator),
      );
      await world.api.applications.deploy(id, COMMIT);
      world.pass(120);
      world.writes();
      return id;
    },
    sent: () => world.writes().map(([operation]) => operation),
  };
  return bench;
}
