import fc from "fast-check";

import { clusterStates } from "../../../src/platform/codec/states.ts";
import { CLUSTER, clusterContext } from "../kinds/cluster-contexts.ts";
import { count, date, goal, hostile, maybe, runState, texts } from "./values.ts";

const OTHER = "00000000-0000-4000-8000-0000000000c2";

const state = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...clusterStates) }, hostile);
const observed = fc.record({
  listed: fc.oneof(
    fc.constantFrom(undefined, "none" as const),
    fc.record({
      id: fc.constant(CLUSTER),
      name: hostile,
      ...texts("region", "cloudProvider"),
      version: maybe(fc.oneof(fc.constantFrom("1.33", "1.34"), hostile)),
    }),
  ),
  status: maybe(
    fc.record({
      clusterId: fc.constant(CLUSTER),
      status: state,
      isDeployed: maybe(fc.boolean()),
      nextK8sAvailableVersion: maybe(fc.oneof(fc.constant("1.34"), hostile)),
      ...texts("reason", "lastExecutionId", "lastDeploymentDate"),
      clusterLock: maybe(
        fc.record({ lockedAt: maybe(date), ttlInDays: maybe(count), ...texts("reason", "ownerName") }),
      ),
    }),
  ),
  ordered: fc.constant(false),
  credentials: maybe(
    fc.record({
      is: fc.constant("found" as const),
      value: fc.record({
        id: fc.constant(OTHER),
        accessKeyId: fc.constant("s3cret-value"),
        ...texts("name", "objectType"),
      }),
    }),
  ),
  token: maybe(
    fc.record({
      is: fc.constant("found" as const),
      value: fc.record({
        status: fc.record({ token: fc.constant("s3cret-value"), expirationTimestamp: maybe(date) }),
      }),
    }),
  ),
});
const spec = fc.record(
  {
    runState,
    kubernetesVersion: fc.constantFrom("1.33", "1.34", "1.35"),
    writeTokenSecretToRef: fc.constant({ name: "token" }),
    credentialsId: fc.constant(OTHER),
  },
  { requiredKeys: [] },
);
/** Possible observations of a cluster. */
export const clusterObservation = fc
  .record({
    observed,
    spec,
    goal,
    lastOrder: maybe(
      fc.record({
        operation: fc.constantFrom("Stop" as const, "Upgrade" as const),
        kubernetesVersion: fc.constantFrom("1.34", undefined),
        generation: fc.constant(1),
        baseline: fc.constantFrom(undefined, "nonsense"),
      }),
    ),
    runState: maybe(runState),
  })
  .map(({ observed, spec, goal, lastOrder, runState }) => ({
    pass: clusterContext({ goal, memory: { lastOrder, runState } }, spec),
    // The state is only read for a cluster in the list.
    observed: typeof observed.listed === "object" ? observed : { ...observed, status: undefined },
  }));
