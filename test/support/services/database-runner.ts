import { afterAll, beforeAll, beforeEach } from "vitest";

import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { startKindHarness, type KindHarness, type SurfaceName } from "../kinds/env.ts";
import type { Runner } from "../kinds/kind-runner.ts";
import { databaseSpec } from "./databases.ts";

/** A platform with one project and one environment, for the tests of one `describe`, each with a unique name. */
export interface DatabaseEnv {
  readonly harness: KindHarness;
  readonly environmentId: string;
  spec(change?: JsonObject): JsonObject;
  /** Returns a custom resource that was just applied. */
  applied(change?: JsonObject): Runner;
  /** Returns one that is deployed. */
  deployed(change?: JsonObject): Promise<Runner>;
  /** Creates and deploys one like another user. @returns its id */
  foreign(): Promise<string>;
  /** The operations that were sent since the last call. */
  sent(): readonly string[];
}

/** Starts a platform before the tests of the `describe` that it is called in. */
export function databaseEnv(surface: SurfaceName): DatabaseEnv {
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
    harness.change({ nullRequestIds: false, acceptLatencySeconds: 0, listLagSeconds: 0, goneAs: 404 });
    harness.writes();
  });
  afterAll(() => harness.close());

  const env: DatabaseEnv = {
    get harness() {
      return harness;
    },
    get environmentId() {
      return environmentId;
    },
    spec: (change = {}) => databaseSpec({ name: `main-${names}`, ...change }),
    applied: (change = {}) => harness.database(environmentId, env.spec(change)),
    deployed: async (change = {}) => {
      const runner = env.applied(change);
      await runner.run();
      harness.pass(120);
      const { is, status } = await runner.run();
      if (is !== "settled" || status["state"] !== "DEPLOYED")
        throw new Error(`${is} in ${JSON.stringify(status["state"])}`);
      harness.writes();
      return runner;
    },
    foreign: async () => {
      const settings = { name: `main-${names}`, type: "POSTGRESQL", mode: "CONTAINER", version: "16" };
      const { id } = await harness.api.databases.create(environmentId, settings);
      await harness.api.databases.deploy(id);
      harness.pass(120);
      harness.writes();
      return id;
    },
    sent: () => harness.writes().map(([operation]) => operation),
  };
  return env;
}
