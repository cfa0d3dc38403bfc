import { platformCluster } from "../../../src/kinds/cluster/crd.ts";
import { NOTHING_OBSERVED, type ClusterContext, type Observed } from "../../../src/kinds/cluster/model.ts";
import type { ClusterStatus } from "../../../src/platform/areas/clusters.ts";
import { type FlatContext, grouped, USUAL_CONTEXT } from "./policies.ts";
import { supportsOn, type OnSurface } from "./supports.ts";

export const CLUSTER = "00000000-0000-4000-8000-0000000000c1";

/** The context of an adopted cluster on the full surface. */
export function clusterContext(
  change: Partial<FlatContext<ClusterContext>> & OnSurface = {},
  spec: object = {},
): ClusterContext {
  return grouped({
    name: "edge",
    spec: platformCluster.spec.parse({ externalId: CLUSTER, ...spec }),
    inputs: {},
    now: new Date("2026-11-21T10:00:00Z"),
    id: CLUSTER,
    identitySource: "recorded",
    memory: {},
    supports: supportsOn(change.surface ?? "Full"),
    ...USUAL_CONTEXT,
    adoption: "Never",
    ...change,
  });
}

/** The observation of the cluster on the full surface in that state, with Kubernetes 1.33. */
export function listed(state: string, status: Partial<ClusterStatus> = {}): Observed {
  return {
    ...NOTHING_OBSERVED,
    listed: { id: CLUSTER, name: "edge", version: "1.33" },
    status: { clusterId: CLUSTER, status: state, lastExecutionId: "run-1", ...status },
  };
}
