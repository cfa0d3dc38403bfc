/** Plans the operation. Pure. */
import type { Ms, Plan, Why } from "../../engine/contract/kind.ts";
import { busy, unknownState } from "../service/words.ts";
import { once, stalled } from "../shared/checks.ts";
import { actionOf, subject, type Action } from "./actions.ts";
import type { ActionType, OperationContext, Seen } from "./model.ts";
import { outcomeOf, unobservable } from "./outcome.ts";
import { phaseOf, progressOf } from "./progress.ts";
import { markOf } from "./trace.ts";

/** Returns the next step. */
export function plan(context: OperationContext, seen: Seen): Plan<ActionType> {
  const outcome = outcomeOf(context, seen);
  if (outcome?.result === "Complete") return { is: "settled", ...expiry(context) };
  if (outcome !== undefined) return { is: "stalled", why: outcome, ...expiry(context) };
  if (seen.refusal !== undefined) return { is: "stalled", why: seen.refusal };
  const action = actionOf(context);
  if (action === undefined) return { is: "waiting", why: NOT_SHOWN };
  if (context.memory.request !== undefined) return { is: "waiting", why: underWay(context, seen, action) };
  const { lastFailure } = context.memory;
  // The refused request may have collided with other work, whose end is waited for.
  if (lastFailure !== undefined && (seen.refused || phaseOf(seen) === "busy")) {
    return { is: "waiting", why: { reason: "Queued", message: lastFailure.message } };
  }
  const why = unobservable(context, action);
  if (why !== undefined) return { is: "stalled", why };
  if (context.policies.blockedOperations.has(action.op)) return stalled("WithheldByPolicy", WITHHELD);
  return request(context, seen, action);
}

function request(context: OperationContext, seen: Seen, action: Action): Plan<ActionType> {
  const why: Why = { reason: action.reason, message: `${subject(context, action)} being ${action.verb}.` };
  const { gitCommitId: commit } = context.spec;
  const mark = markOf(seen);
  return once(action.op, action.type, why, commit === undefined ? { mark } : { mark, commit });
}

const NOT_SHOWN: Why = { reason: "Progressing", message: "The platform does not show yet how it goes." };

const WITHHELD =
  "The managementPolicy that the connection sets for its objects forbids to write to the platform. Use another connection.";

function underWay(context: OperationContext, seen: Seen, { target }: Action): Why {
  const progress = progressOf(context, seen);
  if (progress === undefined) return NOT_SHOWN;
  return progress.phase === "unknown" ? unknownState(progress.state, target ?? "service") : busy(progress.state);
}

/** Returns when the object is to be reconciled again, to delete it. */
function expiry({ spec }: OperationContext): { readonly again?: Ms } {
  const { ttlSecondsAfterFinished: seconds } = spec;
  return seconds === undefined ? {} : { again: seconds * 1000 };
}
