/** What is left to do when the resource is deleted: a cluster is stopped or left as it is, never deleted. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import { stalled } from "../service/steps.ts";
import { unknownState } from "../service/words.ts";
import { clusterNotAllowed } from "../shared/cluster-ref.ts";
import { planUnshownRemoval } from "../shared/presence.ts";
import { missed, shownPhase, type ClusterPass, type Do, type Seen, failed, working } from "./model.ts";
import { give, openOrder, unproven } from "./order.ts";

/** The plan for the goals "stopped" and "absent". */
export function planRemoval(pass: ClusterPass, seen: Seen): Plan<Do> {
  if (typeof seen.listed === "string") return planUnshownRemoval(seen.listed, missed(pass));
  if (pass.goal === "absent") return stalled("DeleteNotSupported", "The operator does not delete clusters.");
  const notAllowed = clusterNotAllowed(pass) ?? unproven(pass, seen);
  if (notAllowed !== undefined) return { is: "stalled", why: notAllowed };
  const open = openOrder(pass, seen);
  if (open !== undefined) return { is: "waiting", why: open };
  const state = seen.status?.status ?? "";
  const phase = shownPhase(seen);
  switch (phase) {
    case "stopped":
    case "idle":
    case "gone":
      return { is: "settled" };
    case "busy":
      return { is: "waiting", why: working(pass, state) };
    case "unknown":
      return { is: "waiting", why: unknownState(state, "cluster") };
    case "failed":
      return state === "STOP_ERROR" && pass.requested === undefined
        ? { is: "stalled", why: failed(state) }
        : give(pass, seen, { what: "stop" });
    case "running":
      return give(pass, seen, { what: "stop" });
    case undefined:
      return pass.memory.runState === "Stopped" ? { is: "settled" } : give(pass, seen, { what: "stop" });
    default:
      return phase satisfies never;
  }
}
