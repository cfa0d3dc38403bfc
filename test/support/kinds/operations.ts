import { afterAll, beforeAll, beforeEach } from "vitest";

import { newCluster } from "../../../simulator/model/seed.ts";
import type { Cluster } from "../../../simulator/model/world.ts";
import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { condition, type Condition } from "../env/cluster.ts";
import type { Env } from "../env/env.ts";
import { extendedOn } from "../env/simulated-platform.ts";
import { startKindHarness, type KindHarness, type SurfaceName } from "./env.ts";
import type { Runner } from "./kind-runner.ts";

export const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/**
 * A platform with targets for operations: for each test an application, a database and a cluster, all DEPLOYED.
 */
export interface OperationEnv {
  readonly harness: KindHarness;
  readonly environmentId: string;
  readonly projectId: string;
  readonly applicationId: string;
  readonly databaseId: string;
  readonly cluster: Cluster;
  /** Returns a custom resource that was just applied; its references name the targets of this test. */
  applied(spec: JsonObject): Runner;
  /** The operations that were sent since the last call. */
  sent(): readonly string[];
}

/** Starts a platform before the tests of the `describe` that it is called in. */
export function operationEnv(surface: SurfaceName): OperationEnv {
  let harness: KindHarness;
  let cluster: Cluster;
  let [projectId, environmentId, applicationId, databaseId] = ["", "", "", ""];
  let names = 0;
  beforeAll(async () => {
    harness = await startKindHarness(surface);
    projectId = await harness.newProject("shop");
    environmentId = await harness.newEnvironment(projectId, "staging");
  });
  beforeEach(async () => {
    names += 1;
    const { sim, organizationId } = harness.simulator;
    sim.faults.clear();
    harness.change({ nullRequestIds: false, acceptLatencySeconds: 0, queueMode: "queue" });
    const { api } = harness;
    const gitRepository = { url: "https://github.com/acme/web.git", branch: "main" };
    applicationId = (
      await api.applications.create(
        environmentId,
        { name: `api-${names}`, gitRepository },
        extendedOn(harness.simulator),
      )
    ).id;
    await api.applications.deploy(applicationId, COMMIT);
    const settings = { name: `main-${names}`, type: "POSTGRESQL", mode: "CONTAINER", version: "16" };
    databaseId = (await api.databases.create(environmentId, settings)).id;
    await api.databases.deploy(databaseId);
    cluster = newCluster(sim.ids, sim.time, organizationId, { name: "own", region: "eu-west-3" });
    sim.world.clusters.set(cluster.id, cluster);
    harness.pass(600);
    harness.writes();
  });
  afterAll(() => harness.close());
  return {
    get harness() {
      return harness;
    },
    get environmentId() {
      return environmentId;
    },
    get projectId() {
      return projectId;
    },
    get applicationId() {
      return applicationId;
    },
    get databaseId() {
      return databaseId;
    },
    get cluster() {
      return cluster;
    },
    applied: (spec) =>
      harness.operation(spec, {
        "spec.applicationRef": applicationId,
        "spec.databaseRef": databaseId,
        "spec.clusterRef": cluster.id,
        "spec.environmentRef": environmentId,
      }),
    sent: () => harness.writes().map(([operation]) => operation),
  };
}

/** Waits for the end of an operation. */
export async function over(env: Env, name: string): Promise<KubeObject> {
  return env.waitFor("PlatformOperation", name, ({ status }) => member(status, "outcome") !== undefined);
}

/** The conditions for the end of an operation: none before, one after. */
export function endsOf(object: KubeObject): readonly Condition[] {
  return ["Complete", "Failed"].flatMap((type) => condition(object, type) ?? []);
}
