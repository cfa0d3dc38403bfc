/** PlatformCluster: an existing cluster, running or stopped, upgraded to a version, with a token in a Secret. */
import type { Kind } from "../../engine/contract/kind.ts";
import { act } from "./act.ts";
import { platformCluster } from "./crd.ts";
import { learn } from "./learn.ts";
import type { ClusterTypes } from "./model.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { trace } from "./trace.ts";

export const cluster: Kind<ClusterTypes> = {
  resource: platformCluster,
  lives: true,
  independent: true,
  // A stop or an upgrade affects everybody on the cluster.
  needsApproval: true,
  claim: (spec) => spec.externalId,
  operations: ({ runState }) => ({ stop: ["stopCluster"], delete: [], isStopWanted: runState === "Stopped" }),
  needs: () => ({ references: [], values: [], inputs: () => ({}) }),
  learn,
  observe,
  plan,
  act: (step, context, seen, api) => act(step.do, context, seen, api),
  trace,
  report,
};
