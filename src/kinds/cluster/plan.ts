/** What a cluster needs next: a list of checks, the first difference wins. Pure. */
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

/** What to do next. Clusters are taken over, never created. */
export function plan(pass: ClusterPass, seen: Seen): Plan<Do> {
  if (pass.goal !== "present") return planRemoval(pass, seen);
  const { listed } = seen;
  if (typeof listed === "string" && isOpen(listed)) return planUnshown(pass, listed, missed(pass));
  const refused = refusal(pass, seen);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (pass.proof !== "recorded") return { is: "adopt", id: pass.spec.externalId };
  return firstOf<Do>(pass, [
    () => checkProgress(pass, seen),
    () => checkRunState(pass, seen),
    () => checkVersion(pass, seen),
    () => checkFailure(seen),
    () => checkCredentials(pass, seen),
    () => checkToken(pass, seen),
  ]);
}

function checkProgress(pass: ClusterPass, seen: Seen): Check {
  const open = openOrder(pass, seen);
  if (open !== undefined) return { is: "waiting", why: open };
  const state = seen.status?.status ?? "";
  const phase = shownPhase(seen);
  switch (phase) {
    case "busy":
      return { is: "waiting", why: working(pass, state) };
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
