/** Plans the deletion of a resource: its cluster is stopped or left as it is, never deleted. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import { stalled } from "../service/steps.ts";
import { unknownState } from "../service/words.ts";
import { clusterNotAllowed } from "../shared/cluster-ref.ts";
import { planUnshownRemoval } from "../shared/presence.ts";
import { missed, shownPhase, type ClusterPass, type Do, type Seen, failed, working } from "./model.ts";
import { give, openOrder, unproven } from "./order.ts";

/** Returns the plan for the goals "stopped" and "absent". */
export function planRemoval(context: ClusterPass, seen: Seen): Plan<Do> {
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
