import { afterAll, beforeAll, beforeEach } from "vitest";

import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { extendedOn } from "../env/simulated-platform.ts";
import { startKindHarness, type KindHarness, type SurfaceName } from "../kinds/env.ts";
import { COMMIT, rawSpec } from "./applications.ts";

type ApplicationRunner = ReturnType<KindHarness["application"]>;

/** A platform with one project and one environment, for the tests of one `describe`, each with a unique name. */
export interface ApplicationEnv {
  readonly harness: KindHarness;
  readonly projectId: string;
  readonly environmentId: string;
  /** The name of this test's application. */
  readonly name: string;
  spec(change?: JsonObject): JsonObject;
  /** Returns a custom resource that was just applied. */
  applied(change?: JsonObject): ApplicationRunner;
  /** Returns one whose commit is deployed. @param values of Secrets and ConfigMaps, by field */
  deployed(change?: JsonObject, values?: Readonly<Record<string, string>>): Promise<ApplicationRunner>;
  /** Creates and deploys one like another user. @returns its id */
  foreign(): Promise<string>;
  /** The operations that were sent since the last call. */
  sent(): readonly string[];
}

/** Starts a platform before the tests of the `describe` that it is called in. */
export function applicationEnv(surface: SurfaceName): ApplicationEnv {
  let harness: KindHarness;
  let projectId: string;
  let environmentId: string;
  let names = 0;
  beforeAll(async () => {
    harness = await startKindHarness(surface);
    projectId = await harness.newProject("shop");
    environmentId = await harness.newEnvironment(projectId, "staging");
  });
  beforeEach(() => {
    names += 1;
    harness.simulator.sim.faults.clear();
    const profile = { applicationStatus: "whole" } as const;
    harness.change({ nullRequestIds: false, acceptLatencySeconds: 0, listLagSeconds: 0, goneAs: 404, profile });
    harness.writes();
  });
  afterAll(() => harness.close());

  const env: ApplicationEnv = {
    get harness() {
      return harness;
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
    spec: (change = {}) => rawSpec({ name: env.name, ...change }),
    applied: (change = {}) => harness.application(environmentId, env.spec(change)),
    deployed: async (change = {}, values = {}) => {
      const runner = env.applied(change);
      runner.around.values = values;
      await runner.run();
      harness.pass(120);
      const { is, status } = await runner.run();
      if (is !== "settled" || status["state"] !== "DEPLOYED")
        throw new Error(`${is} in ${JSON.stringify(status["state"])}`);
      harness.writes();
      return runner;
    },
    foreign: async () => {
      const gitRepository = { url: "https://github.com/acme/api.git", branch: "main" };
      const { id } = await harness.api.applications.create(
        environmentId,
        { name: env.name, gitRepository },
        extendedOn(harness.simulator),
      );
      await harness.api.applications.deploy(id, COMMIT);
      harness.pass(120);
      harness.writes();
      return id;
    },
    sent: () => harness.writes().map(([operation]) => operation),
  };
  return env;
}
