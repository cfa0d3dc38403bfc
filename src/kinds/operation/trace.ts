/** Traces unconfirmed requests. Reads only. */
import type { Json, Kind, OpenIntent } from "../../engine/contract/kind.ts";
import { shownState } from "../service/messages.ts";
import { movedPast } from "../service/trace.ts";
import { baseline } from "../shared/create-trace.ts";
import type { OperationMemory } from "./crd.ts";
import {
  actionOf,
  NOTHING_OBSERVED,
  type Observed,
  type OperationAction,
  type OperationContext,
  type OperationTypes,
  sentTo,
} from "./model.ts";
import { stateOf } from "./observe.ts";
import { afterFailedRequest, taken, unresolved, unshownInTime } from "./outcome.ts";
import { phaseOf, targetBaseline } from "./progress.ts";

/** Returns the baseline for a later trace. */
export function markOf(observed: Observed): Json {
  return {
    baseline: targetBaseline(observed),
    requestId: observed.status?.deploymentRequestId ?? null,
    phase: phaseOf(observed) ?? null,
  };
}

export const traceRequest: Kind<OperationTypes>["trace"] = async (intent, context, api) => {
  const action = actionOf(context);
  if (action === undefined) return { is: "absent" };
  const observed = { ...NOTHING_OBSERVED, ...(await stateOf(context, sentTo(context) ?? "", api)) };
  const landed = (memory: OperationMemory) => ({ is: "landed", known: [{ observed, memory }] }) as const;
  const why = unknown(action);
  const phase = phaseOf(observed);
  // Every platform shows existing applications.
  if (phase === undefined && action.target !== "application") {
    return action.isRepeatable && !intent.repetition
      ? { is: "unknowable", why, repeatable: true }
      : landed(unresolved(context, why));
  }
  if (hasBegun(intent, observed, action))
    return landed({ ...taken(context), request: traced(intent, context, observed) });
  if (phase !== "busy") return { is: "absent", memory: afterFailedRequest(context, { why: unsent(action) }) };
  // The work was under way before the request: only a later read can show whether the request took effect.
  const memory = unshownInTime(context);
  return memory === undefined ? { is: "unknowable", why } : landed(memory);
};

/** Reports whether the target shows something that it did not show before the intent. */
function hasBegun({ mark }: OpenIntent, observed: Observed, { wanted }: OperationAction): boolean {
  const phase = phaseOf(observed);
  const isNews = (phase === wanted || phase === "busy") && phase !== baseline(mark, "phase");
  return isNews || hasMoved(mark, observed);
}

function hasMoved(mark: Json, { status, cluster }: Observed): boolean {
  const before = baseline(mark, "baseline");
  if (typeof before !== "string") return false;
  if (cluster !== undefined) return before !== targetBaseline({ ...NOTHING_OBSERVED, cluster });
  if (status === undefined) return false;
  const { deploymentRequestId: requestId } = status;
  return movedPast(before, status) || (requestId !== undefined && requestId !== baseline(mark, "requestId"));
}

/** Returns the request as the target shows it. */
function traced(
  { mark }: OpenIntent,
  context: OperationContext,
  { status, cluster }: Observed,
): OperationMemory["request"] {
  const before = baseline(mark, "baseline");
  const { deploymentRequestId: requestId } = status ?? {};
  return {
    startedAt: context.now.toISOString(),
    state: shownState(status?.state ?? cluster?.status ?? ""),
    requestId: requestId === baseline(mark, "requestId") ? undefined : requestId,
    baseline: typeof before === "string" ? before : undefined,
  };
}

function unsent({ op }: OperationAction) {
  const message = `The platform did not confirm ${op}, and did not carry it out.`;
  return { reason: "PlatformUnavailable", message } as const;
}

function unknown({ op }: OperationAction) {
  const message = `The platform did not confirm ${op}, and its surface does not show whether it was carried out. It is not sent again. Look on the platform, and create another PlatformOperation if it is still to be done.`;
  return { reason: "OperationResultUnknown", message } as const;
}
