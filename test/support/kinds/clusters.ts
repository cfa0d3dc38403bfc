import { afterAll, beforeAll, beforeEach } from "vitest";

import { newCluster } from "../../../simulator/model/seed.ts";
import type { Cluster } from "../../../simulator/model/world.ts";
import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { startKindHarness, type KindHarness, type SurfaceName } from "./env.ts";
import type { Runner } from "./kind-runner.ts";

/** A simulated platform with a separate cluster for each test of the `describe`: DEPLOYED, 1.33, next is 1.34. */
export interface ClusterEnv {
  readonly harness: KindHarness;
  /** Its record on the platform. */
  readonly cluster: Cluster;
  spec(change?: JsonObject): JsonObject;
  /** Returns a custom resource that was just applied. */
  applied(change?: JsonObject): Runner;
  /** The operations that were sent since the last call. */
  sent(): readonly string[];
}

/** Starts a platform before the tests of the `describe` that it is called in. */
export function clusterEnv(surface: SurfaceName): ClusterEnv {
  let harness: KindHarness;
  let cluster: Cluster;
  beforeAll(async () => {
    harness = await startKindHarness(surface);
  });
  beforeEach(() => {
    const { sim, organizationId } = harness.simulator;
    sim.faults.clear();
    cluster = newCluster(sim.ids, sim.time, organizationId, { name: "own", region: "eu-west-3" });
    sim.world.clusters.set(cluster.id, cluster);
    // Lets the client's cache of the previous cluster expire.
    harness.pass(120);
    harness.writes();
  });
  afterAll(() => harness.close());
  const env: ClusterEnv = {
    get harness() {
      return harness;
    },
    get cluster() {
      return cluster;
    },
    spec: (change = {}) => ({ externalId: cluster.id, ...change }),
    applied: (change = {}) => harness.cluster(env.spec(change)),
    sent: () => harness.writes().map(([operation]) => operation),
  };
  return env;
}
