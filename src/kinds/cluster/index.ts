/** PlatformCluster: an existing cluster, running or stopped, upgraded to a version, with a token in a Secret. */
import type { Kind } from "../../engine/contract/kind.ts";
import { withRunSchedule } from "../shared/run-schedule.ts";
import { act, traceOrder } from "./act.ts";
import { platformCluster } from "./crd.ts";
import type { ClusterTypes } from "./model.ts";
import { observe } from "./observe.ts";
import { openOrder } from "./order.ts";
import { plan, shownRunState } from "./plan.ts";
import { report } from "./report.ts";

const unscheduled: Kind<ClusterTypes> = {
  resource: platformCluster,
  claim: (spec) => spec.externalId,
  operations: ({ runState, runSchedule }) => ({
    stop: ["stopCluster"],
    delete: [],
    isStopWanted: runState === "Stopped" || runSchedule !== undefined,
  }),
  needs: () => ({ references: [], values: [], inputs: () => ({}) }),
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
