/** Plans a cluster: a list of checks, of which the first difference wins. A cluster is stopped or left
 * as it is when its resource is deleted, never deleted. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import { stalled } from "../service/steps.ts";
import { unknownState } from "../service/words.ts";
import { firstOf } from "../shared/checks.ts";
import { clusterNotAllowed } from "../shared/limits.ts";
import { notThere } from "../shared/names.ts";
import { isOpen, planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import { faultOf, type ClusterContext, type Do, failed, missed, type Seen, shownPhase, working } from "./model.ts";
import { give, openOrder, refusal, unproven } from "./order.ts";
import { checkRunState } from "./run-state.ts";
import { checkToken } from "./token.ts";
import { checkVersion } from "./version.ts";

type Check = Plan<Do> | undefined;

/** Returns the next step. Clusters are adopted, never created. */
export function plan(context: ClusterContext, seen: Seen): Plan<Do> {
  if (context.goal !== "present") return planRemoval(context, seen);
  const { listed } = seen;
  if (typeof listed === "string" && isOpen(listed)) return planUnshown(context, listed, missed(context));
  const refused = refusal(context, seen);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.identitySource !== "recorded") return { is: "adopt", id: context.spec.externalId };
  return firstOf<Do>(context, [
    () => checkProgress(context, seen),
    () => checkRunState(context, seen),
    () => checkVersion(context, seen),
    () => checkFailure(seen),
    () => checkCredentials(context, seen),
    () => checkToken(context, seen),
  ]);
}

function checkProgress(context: ClusterContext, seen: Seen): Check {
  const open = openOrder(context, seen);
  if (open !== undefined) return { is: "waiting", why: open };
  const state = seen.status?.status ?? "";
  const phase = shownPhase(seen);
  switch (phase) {
    case "busy":
      return { is: "waiting", why: working(context, state) };
    case "unknown":
      return { is: "unknown", why: unknownState(state, "cluster"), condition: "ClusterDeployed" };
    case "gone":
      return stalled("ExternalResourceDeleted", "The cluster was deleted on the platform. Delete this resource.");
    case "running":
    case "stopped":
    case "idle":
    case "failed":
    case undefined:
      return undefined;
    default:
      return phase satisfies never;
  }
}

function checkFailure(seen: Seen): Check {
  return shownPhase(seen) === "failed" ? { is: "stalled", why: failed(seen.status?.status ?? "") } : undefined;
}

function checkCredentials({ spec: { credentialsId } }: ClusterContext, { credentials }: Seen): Check {
  if (credentialsId === undefined || credentials?.is !== "failed") return undefined;
  const { error } = credentials;
  if (error.failure.is === "NotFound") {
    return { is: "stalled", why: notThere("credentials", credentialsId, "the organization") };
  }
  return faultOf(error);
}

/** Returns the plan for the goals "stopped" and "absent". */
export function planRemoval(context: ClusterContext, seen: Seen): Plan<Do> {
  if (typeof seen.listed === "string") return planUnshownRemoval(seen.listed, missed(context));
  if (context.goal === "absent") return stalled("DeleteNotSupported", "The operator does not delete clusters.");
  const notAllowed = clusterNotAllowed(context) ?? unproven(context, seen);
  if (notAllowed !== undefined) return { is: "stalled", why: notAllowed };
  const open = openOrder(context, seen);
  if (open !== undefined) return { is: "waiting", why: open };
  const state = seen.status?.status ?? "";
  const phase = shownPhase(seen);
  switch (phase) {
    case "stopped":
    case "idle":
    case "gone":
      return { is: "settled" };
    case "busy":
      return { is: "waiting", why: working(context, state) };
    case "unknown":
      return { is: "waiting", why: unknownState(state, "cluster") };
    case "failed":
      return state === "STOP_ERROR" && context.requested === undefined
        ? { is: "stalled", why: failed(state) }
        : give(context, seen, { what: "stop" });
    case "running":
      return give(context, seen, { what: "stop" });
    case undefined:
      return context.memory.runState === "Stopped" ? { is: "settled" } : give(context, seen, { what: "stop" });
    default:
      return phase satisfies never;
  }
}
