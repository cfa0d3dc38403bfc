import { platformCluster } from "../../../src/kinds/cluster/crd.ts";
import { NOTHING_OBSERVED, type ClusterContext, type Observed } from "../../../src/kinds/cluster/model.ts";
import type { ClusterStatus } from "../../../src/platform/areas/clusters.ts";
import { type ContextChange, buildContext } from "./contexts.ts";

export const CLUSTER = "00000000-0000-4000-8000-0000000000c1";

/** The context of an adopted cluster on the full surface. */
export function clusterContext(change: ContextChange<ClusterContext> = {}, spec: object = {}): ClusterContext {
  const parsed = platformCluster.spec.parse({ externalId: CLUSTER, ...spec });
  const usual = { name: "edge", id: CLUSTER, surface: "Full", adoption: "Never" } as const;
  return buildContext<ClusterContext>({ ...usual, spec: parsed, inputs: {} }, change);
}

/** The observation of the cluster on the full surface in that state, with Kubernetes 1.33. */
export function listed(state: string, status: Partial<ClusterStatus> = {}): Observed {
  return {
    ...NOTHING_OBSERVED,
    listed: { id: CLUSTER, name: "edge", version: "1.33" },
    status: { clusterId: CLUSTER, status: state, lastExecutionId: "run-1", ...status },
    isOwnStatus: true,
  };
}
