/** PlatformCluster: an existing cluster, running or stopped, upgraded to a version, with a token in a Secret. */
import type { Kind } from "../../engine/contract/kind.ts";
import { platformCluster } from "./crd.ts";
import type { ClusterTypes } from "./model.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { act, trace } from "./requests.ts";

export const cluster: Kind<ClusterTypes> = {
  resource: platformCluster,
  claim: (spec) => spec.externalId,
  needs: () => ({ references: [], values: [], inputs: () => ({}) }),
  operations: ({ runState, runSchedule }) => ({
    stop: ["stopCluster"],
    delete: [],
    isStopWanted: runState === "Stopped" || runSchedule !== undefined,
  }),
  remote: { operation: "getClusterStatus", read: (api, id) => api.clusters.status(id) },
  writtenSecret: ({ token: written }) => written && { name: written.secretName, ...written },
  observe,
  plan,
  act,
  trace,
  report,
};
