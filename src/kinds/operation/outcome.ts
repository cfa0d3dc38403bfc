/** The end of an operation. Pure. */
import type { Ms, Why } from "../../engine/contract/kind.ts";
import { MAX_BYTES } from "../catalog/index.ts";
import { failureReason } from "../service/messages.ts";
import type { Progress } from "../service/progress.ts";
import type { OperationMemory, OperationOutcome } from "./crd.ts";
import {
  actionOf,
  isLost,
  type Observed,
  type OperationAction,
  type OperationContext,
  type Rendered,
  subject,
} from "./model.ts";
import { isTargetShown, requestProgress } from "./progress.ts";

type End = Omit<OperationOutcome, "at">;

const complete = (message: string): End => ({ result: "Complete", reason: "Completed", message });
const failure = ({ reason, message }: Why): End => ({ result: "Failed", reason, message });
/** The request was, or may have been, sent, and its outcome is unknown. */
const unknown = ({ reason, message }: Why): End => ({ result: "Unknown", reason, message });

const LOST: Why = {
  reason: "OperationResultUnknown",
  message:
    "The operation was started, but its status was lost, so its result is not known. It is not sent again. Look on the platform, and create another PlatformOperation if it is still to be done.",
};

/** Returns the end that was recorded, or that shows now; undefined while there is none. */
export function outcomeOf(context: OperationContext, observed: Observed): OperationOutcome | undefined {
  if (context.memory.outcome !== undefined) return context.memory.outcome;
  const end = isLost(context)
    ? unknown(LOST)
    : (renderedEnd(context, observed.rendered) ?? requestedEnd(context, observed));
  return end && { ...end, at: context.now.toISOString() };
}

function renderedEnd({ spec }: OperationContext, rendered: Rendered | undefined): End | undefined {
  if (rendered === undefined) return undefined;
  if ("why" in rendered) return failure(rendered.why);
  if (new TextEncoder().encode(rendered.values).length > MAX_BYTES) {
    const message = `The default values are longer than ${MAX_BYTES / 1024} KiB, the most that the operator writes into a ConfigMap.`;
    return failure({ reason: "OperationRejected", message });
  }
  return complete(`The default values are in ConfigMap "${spec.outputConfigMap ?? ""}" under values.yaml.`);
}

/** Returns the end of the request: of one that was accepted, or of one that was not sent in time. */
function requestedEnd(context: OperationContext, observed: Observed): End | undefined {
  const action = actionOf(context);
  if (context.memory.request === undefined) return isOverdue(context) ? failure(TOO_LATE) : undefined;
  if (action === undefined) return undefined;
  const { completion = isTargetShown(context, action) ? "Observed" : "Accepted" } = context.spec;
  if (completion === "Accepted")
    return { result: "Complete", reason: "Accepted", message: acceptedMessage(context, action) };
  const progress = requestProgress(context, observed) ?? UNSEEN;
  switch (progress.phase) {
    case action.wanted:
      return complete(`${subject(context, action)} ${action.verb}.`);
    case "failed":
      return failure({ reason: failureReason(progress.state), message: failedMessage(progress.state) });
    case "busy":
    case "unknown":
      return isOverdue(context) ? unknown(OVERDUE) : undefined;
    default: {
      const message = `The platform reports ${progress.state}, which the operation does not lead to: someone else may have changed it since. Look on the platform.`;
      return unknown({ reason: "OperationResultUnknown", message });
    }
  }
}

/** The progress of a request that nothing shows now. */
const UNSEEN: Pick<Progress, "state" | "phase"> = { state: "", phase: "unknown" };

function acceptedMessage(context: OperationContext, action: OperationAction): string {
  const why = isTargetShown(context, action)
    ? "spec.completion is Accepted, so its end is not waited for"
    : "its surface does not show how it ends";
  const what = action.target === undefined ? "the invoices" : `the ${action.target}`;
  return `It was requested that ${what} be ${action.verb}. The platform accepted that, and ${why}.`;
}

/** Returns why nothing is sent: the end has to be observed, and nothing would ever show it. */
export function unobservable(context: OperationContext, action: OperationAction): Why | undefined {
  if (context.spec.completion !== "Observed" || isTargetShown(context, action)) return undefined;
  const message = `spec.completion is Observed, and the platform's surface does not show how ${action.op} ends, so nothing is sent. Create another PlatformOperation without spec.completion, or with Accepted.`;
  return { reason: "NotObservable", message };
}

function failedMessage(state: string): string {
  const advice =
    state === "CANCELED"
      ? "It was canceled, or another service of the environment failed first"
      : "Look at it on the platform";
  return `The platform reports ${state}. ${advice}. Create another PlatformOperation to try again.`;
}

const TOO_LATE: Why = {
  reason: "DeadlineExceeded",
  message:
    "The operation was not carried out within spec.activeDeadlineSeconds, and nothing was sent that could still have an effect. Create another PlatformOperation if it is still to be done.",
};

const OVERDUE: Why = {
  reason: "DeadlineExceeded",
  message:
    "The operation was sent and did not end within spec.activeDeadlineSeconds, so its result is not known. The operator no longer follows it; the platform may still carry it out.",
};

/** Reports whether the deadline of the operation has passed. */
function isOverdue({ now, policies: { deadline } }: OperationContext): boolean {
  return deadline !== undefined && now >= deadline;
}

/** Returns the end of an operation whose deadline has passed. */
export function overdueEnd(isSent: boolean, now: Date): OperationOutcome {
  return { ...(isSent ? unknown(OVERDUE) : failure(TOO_LATE)), at: now.toISOString() };
}

/** Why a request was certainly not executed. */
export interface RefusedRequest {
  readonly why: Why;
  /** Sending it again would not help. */
  readonly isFinal?: boolean;
  /** Other work, which ends by itself, prevents it: only the deadline limits the requests (docs/reliability.md C8). */
  readonly isQueued?: boolean;
}

/** Returns the memory after a request that was certainly not executed. */
export function afterFailedRequest(
  context: OperationContext,
  { why, isFinal, isQueued }: RefusedRequest,
): OperationMemory {
  if (isQueued === true) return { ...taken(context), lastFailure: { ...why } };
  const failedRequests = (context.memory.failedRequests ?? 0) + 1;
  const isOver = isFinal === true || failedRequests > context.spec.backoffLimit;
  const memory = isOver ? ended(context, failure(why)) : taken(context);
  return { ...memory, failedRequests, lastFailure: { ...why } };
}

/** The bounds of the wait for other work that prevents a request. */
const [SHORTEST_WAIT_MS, LONGEST_WAIT_MS] = [2_000, 60_000];

/**
 * Returns how long to wait before a request that other work prevents is sent again: half of the time since the start of
 * the operation, within the bounds.
 */
export function untilNextRequest({ memory: { startedAt }, now }: OperationContext): Ms {
  const triedMs = startedAt === undefined ? 0 : now.getTime() - Date.parse(startedAt);
  return Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, triedMs / 2));
}

/** Returns the memory after a stop that was refused because the target is stopped. */
export function stoppedBefore(context: OperationContext, { target }: OperationAction): OperationMemory {
  return ended(context, complete(`The ${target ?? "target"} was stopped before.`));
}

/** Returns the memory of an operation whose request has an unknown outcome. */
export function unresolved(context: OperationContext, why: Why): OperationMemory {
  return ended(context, unknown(why));
}

/** Returns the memory after a request whose outcome is not shown: unresolved after the deadline, else undefined. */
export function unshownInTime(context: OperationContext): OperationMemory | undefined {
  return isOverdue(context) ? unresolved(context, OVERDUE) : undefined;
}

function ended(context: OperationContext, end: End): OperationMemory {
  return { ...taken(context), outcome: { ...end, at: context.now.toISOString() } };
}

/** Returns the memory of an operation that was started, now at the latest. */
export function taken({ memory, now }: OperationContext): OperationMemory {
  return { ...memory, startedAt: memory.startedAt ?? now.toISOString() };
}
