/** Traces unconfirmed requests. Reads only. */
import type { Json, OpenIntent, Trace } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { shownState } from "../service/messages.ts";
import { movedPast } from "../service/trace.ts";
import { baseline } from "../shared/create-trace.ts";
import type { OperationMemory } from "./crd.ts";
import { type Action, actionOf, NOTHING_SEEN, type OperationContext, type Seen, sentTo } from "./model.ts";
import { stateOf } from "./observe.ts";
import { afterFailedRequest, taken, unresolved, unshownInTime } from "./outcome.ts";
import { phaseOf, targetBaseline } from "./progress.ts";

/** Returns the baseline for a later trace. */
export function markOf(seen: Seen): Json {
  return {
    baseline: targetBaseline(seen),
    requestId: seen.status?.deploymentRequestId ?? null,
    phase: phaseOf(seen) ?? null,
  };
}

/** @throws ApiError */
export async function traceRequest(
  intent: OpenIntent,
  context: OperationContext,
  api: Platform,
): Promise<Trace<Seen, OperationMemory>> {
  const action = actionOf(context);
  if (action === undefined) return { is: "absent" };
  const seen = { ...NOTHING_SEEN, ...(await stateOf(context, sentTo(context) ?? "", api)) };
  const landed = (memory: OperationMemory) => ({ is: "landed", known: [{ seen, memory }] }) as const;
  const why = unknown(action);
  const phase = phaseOf(seen);
  // Every platform shows the applications that exist.
  if (phase === undefined && action.target !== "application") {
    return action.isRepeatable && !intent.repetition
      ? { is: "unknowable", why, repeatable: true }
      : landed(unresolved(context, why));
  }
  if (hasBegun(intent, seen, action)) return landed({ ...taken(context), request: traced(intent, context, seen) });
  if (phase !== "busy") return { is: "absent", memory: afterFailedRequest(context, unsent(action), false) };
  // What is under way was under way before: the request will show.
  const memory = unshownInTime(context);
  return memory === undefined ? { is: "unknowable", why } : landed(memory);
}

/** Reports whether the target shows something that it did not show before the intent. */
function hasBegun({ mark }: OpenIntent, seen: Seen, { wanted }: Action): boolean {
  const phase = phaseOf(seen);
  const isNews = (phase === wanted || phase === "busy") && phase !== baseline(mark, "phase");
  return isNews || hasMoved(mark, seen);
}

function hasMoved(mark: Json, { status, cluster }: Seen): boolean {
  const before = baseline(mark, "baseline");
  if (typeof before !== "string") return false;
  if (cluster !== undefined) return before !== targetBaseline({ ...NOTHING_SEEN, cluster });
  if (status === undefined) return false;
  const { deploymentRequestId: requestId } = status;
  return movedPast(before, status) || (requestId !== undefined && requestId !== baseline(mark, "requestId"));
}

/** Returns the request as the target shows it. */
function traced(
  { mark }: OpenIntent,
  context: OperationContext,
  { status, cluster }: Seen,
): OperationMemory["request"] {
  const before = baseline(mark, "baseline");
  const { deploymentRequestId: requestId } = status ?? {};
  return {
    startedAt: context.now.toISOString(),
    state: shownState(status?.state ?? cluster?.status ?? ""),
    ...(requestId === undefined || requestId === baseline(mark, "requestId") ? {} : { requestId }),
    ...(typeof before === "string" ? { baseline: before } : {}),
  };
}

function unsent({ op }: Action) {
  const message = `The platform did not confirm ${op}, and did not carry it out.`;
  return { reason: "PlatformUnavailable", message } as const;
}

function unknown({ op }: Action) {
  const message = `The platform did not confirm ${op}, and its surface does not show whether it was carried out. It is not sent again. Look on the platform, and create another PlatformOperation if it is still to be done.`;
  return { reason: "OperationResultUnknown", message } as const;
}
