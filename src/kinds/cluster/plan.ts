/** Plans a cluster: a list of checks, of which the first difference wins. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import { stalled } from "../service/steps.ts";
import { unknownState } from "../service/words.ts";
import { firstOf } from "../shared/checks.ts";
import { notThere } from "../shared/names.ts";
import { isOpen, planUnshown } from "../shared/presence.ts";
import { faultOf } from "./fault.ts";
import { missed, shownPhase, type ClusterPass, type Do, type Seen, failed, working } from "./model.ts";
import { openOrder, refusal } from "./order.ts";
import { planRemoval } from "./removal.ts";
import { checkRunState } from "./run-state.ts";
import { checkToken } from "./token.ts";
import { checkVersion } from "./version.ts";

type Check = Plan<Do> | undefined;

/** Returns the next step. Clusters are adopted, never created. */
export function plan(context: ClusterPass, seen: Seen): Plan<Do> {
  if (context.goal !== "present") return planRemoval(context, seen);
  const { listed } = seen;
  if (typeof listed === "string" && isOpen(listed)) return planUnshown(context, listed, missed(context));
  const refused = refusal(context, seen);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (context.proof !== "recorded") return { is: "adopt", id: context.spec.externalId };
  return firstOf<Do>(context, [
    () => checkProgress(context, seen),
    () => checkRunState(context, seen),
    () => checkVersion(context, seen),
    () => checkFailure(seen),
    () => checkCredentials(context, seen),
    () => checkToken(context, seen),
  ]);
}

function checkProgress(context: ClusterPass, seen: Seen): Check {
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

function checkCredentials({ spec: { credentialsId } }: ClusterPass, { credentials }: Seen): Check {
  if (credentialsId === undefined || credentials?.is !== "failed") return undefined;
  const { error } = credentials;
  if (error.failure.is === "NotFound") {
    return { is: "stalled", why: notThere("credentials", credentialsId, "the organization") };
  }
  return faultOf(error);
}
