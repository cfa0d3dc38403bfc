/** PlatformCluster: an existing cluster, running or stopped, upgraded to a version, with a token in a Secret. */
import type { ExternalAction, Kind } from "../../engine/contract/kind.ts";
import { shownState } from "../service/messages.ts";
import { isNew, withOperation } from "../shared/last-operation.ts";
import { withRunSchedule } from "../shared/run-schedule.ts";
import { act, traceOrder } from "./act.ts";
import { type ClusterMemory, platformCluster } from "./crd.ts";
import type { ClusterContext, ClusterTypes } from "./model.ts";
import { observe, showsClusters } from "./observe.ts";
import { openOrder } from "./order.ts";
import { plan, shownRunState } from "./plan.ts";
import { report } from "./report.ts";

const unscheduled: Kind<ClusterTypes> = {
  resource: platformCluster,
  externalLifecycle: true,
  independent: true,
  // A stop or an upgrade affects everybody on the cluster.
  needsApproval: true,
  claim: (spec) => spec.externalId,
  operations: ({ runState, runSchedule }) => ({
    stop: ["stopCluster"],
    delete: [],
    isStopWanted: runState === "Stopped" || runSchedule !== undefined,
  }),
  needs: () => ({ references: [], values: [], inputs: () => ({}) }),
  recordAction: recordClusterAction,
  remote: { operation: "getClusterStatus", read: (api, id) => api.clusters.status(id) },
  observe,
  plan,
  act,
  trace: traceOrder,
  report,
};

export const cluster = withRunSchedule(
  unscheduled,
  { noun: "cluster", plural: "clusters", operations: { deploy: "deployCluster", stop: "stopCluster" } },
  (context, observed) => (openOrder(context, observed) === undefined ? shownRunState(observed) : undefined),
);

/** Records the request of a PlatformOperation; where the platform shows no clusters, also as the last order. */
export function recordClusterAction(action: ExternalAction, context: ClusterContext): ClusterMemory {
  const memory = withOperation(context.memory, action);
  if (showsClusters(context.supports) || !isNew(context.memory, action)) return memory;
  if (action.op === "stopCluster")
    // Without spec.runState there is nothing to reach.
    return {
      ...answered(action, context, memory, "Stop"),
      runState: context.spec.runState === undefined ? memory.runState : "Stopped",
    };
  return action.op === "upgradeCluster" ? upgraded(answered(action, context, memory, "Upgrade"), context) : memory;
}

function answered(
  { state }: ExternalAction,
  { resource: { generation } }: ClusterContext,
  memory: ClusterMemory,
  operation: "Stop" | "Upgrade",
): ClusterMemory {
  return {
    ...memory,
    state: state === undefined ? undefined : shownState(state),
    isDeployed: undefined,
    nextKubernetesVersion: undefined,
    lastOrder: { operation, generation },
  };
}

/**
 * Records that the upgrade leads to the next minor version: a spec that names it afterwards sends no other upgrade.
 * Where the running version is not known, an answer may have shown which one is next.
 */
function upgraded(memory: ClusterMemory, { spec, memory: before, resource: { generation } }: ClusterContext) {
  const known = memory.versionBaseline?.kubernetesVersion;
  const next = before.nextKubernetesVersion;
  if (known === undefined && next !== undefined)
    return { ...memory, versionBaseline: { generation, kubernetesVersion: next } };
  const kubernetesVersion = known ?? spec.kubernetesVersion;
  if (kubernetesVersion === undefined) return memory;
  const [major = 0, minor = 0] = kubernetesVersion.split(".").map(Number);
  return { ...memory, versionBaseline: { generation, kubernetesVersion: `${major}.${minor + 1}` } };
}
