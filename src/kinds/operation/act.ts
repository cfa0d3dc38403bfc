/** Sends the request of an operation, and classifies the failures after which it was certainly not executed. */
import type { Kind, OneShot } from "../../engine/contract/kind.ts";
import type { ApiError } from "../../platform/transport/errors.ts";
import { shownState } from "../service/messages.ts";
import { accepted } from "../service/progress.ts";
import { isStoppedAlready } from "../shared/answers.ts";
import { type ActionAnswer, actionOf, type Observed, type OperationTypes } from "./model.ts";
import { afterFailedRequest, type RefusedRequest, stoppedBefore, taken, untilNextRequest } from "./outcome.ts";
import { phaseOf, targetBaseline } from "./progress.ts";

export const act: Kind<OperationTypes>["act"] = async (_step, context, observed, api) => {
  const action = actionOf(context);
  if (action === undefined) return { observed, memory: context.memory };
  const { targetId } = context.inputs;
  const answer = await action.send(api, targetId ?? "", context.spec);
  const state = answer.service?.state ?? answer.cluster?.status;
  const request = {
    startedAt: context.now.toISOString(),
    baseline: targetBaseline(observed),
    state: state === undefined ? undefined : shownState(state),
    requestId: answer.service?.deploymentRequestId,
  };
  return {
    observed: after(observed, answer, targetId ?? "", action.queued),
    memory: { ...taken(context), targetId, request },
  };
};

/** Returns what is observed once the request was accepted: it is queued at least, whatever the answer still shows. */
function after(observed: Observed, { service, cluster }: ActionAnswer, id: string, queued: string): Observed {
  if (observed.cluster !== undefined)
    return { ...observed, cluster: { ...observed.cluster, ...cluster, status: queued } };
  return observed.status === undefined ? observed : accepted(observed, id, service, queued);
}

/** Reports whether the platform refused the request because of other work on the target, which ends by itself. */
function isInTheWay({ failure, status, message }: ApiError): boolean {
  return failure.is === "Conflict" || (status === 400 && /in ?progress/i.test(message));
}

/**
 * Returns what an answer means for the operation.
 * @param noun the target of the request
 * @returns undefined for a failure of the connection, and for one that only a person can fix
 */
export function rejection(error: ApiError, noun: string): RefusedRequest | undefined {
  const { failure, status, operation, message } = error;
  switch (failure.is) {
    case "Conflict":
    case "Invalid": {
      // 400 and 409 may only mean that something else is under way (docs/architecture.md §9).
      const text = `The platform rejected ${operation} (${status}): ${message}`;
      const why = { reason: "OperationRejected", message: text } as const;
      return { why, isFinal: status === 422, isQueued: isInTheWay(error) };
    }
    case "NotFound": {
      const text = `The platform does not find the ${noun} (404): ${message}`;
      return { why: { reason: "ExternalResourceDeleted", message: text }, isFinal: true };
    }
    case "NotSupported": {
      const text = `The platform has no operation ${operation}.`;
      return { why: { reason: "NotSupportedByApi", message: text }, isFinal: true };
    }
    case "Refused":
      return { why: { reason: "InvalidSpec", message }, isFinal: true };
    default:
      return undefined;
  }
}

/** Returns the memory after a refused request: failed, unless the target of a stop is stopped already. */
export const refused: OneShot<OperationTypes>["refused"] = (error, context, observed) => {
  const action = actionOf(context);
  const rejected = rejection(error, action?.target ?? "organization");
  if (rejected === undefined) return undefined;
  if (action?.wanted === "stopped" && isStopped(error, observed))
    return { observed, memory: stoppedBefore(context, action) };
  const again = rejected.isQueued === true ? untilNextRequest(context) : undefined;
  return { observed: { ...observed, refused: true, again }, memory: afterFailedRequest(context, rejected) };
};

/** Reports whether the target is stopped: by its state or, where no state is shown, by the text of the refusal. */
function isStopped(error: ApiError, observed: Observed): boolean {
  const { is } = error.failure;
  if (is !== "Conflict" && is !== "Invalid") return false;
  const phase = phaseOf(observed);
  return phase === undefined ? isStoppedAlready(error) : phase === "stopped";
}
