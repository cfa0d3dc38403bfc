/**
 * Reports every mutating call to the platform in the change log, and as an event on the object where the event says
 * more than the transition of the Ready condition that follows.
 */
import { keyOf } from "../../kube/api/objects.ts";
import type { EventInput } from "../../kube/api/types.ts";
import { ApiError, notExecuted } from "../../platform/transport/errors.ts";
import { CAUSES, type ChangeCause, type ChangeRecord } from "../context/context.ts";
import type { Step, Uuid } from "../contract/kind.ts";
import type { Resolved } from "../status/reconciliation.ts";

/** The id of the answer, or the error. */
type Answer = { readonly id: Uuid | undefined } | { readonly error: unknown };

/**
 * Reports one call, however it ended. These calls make an event: a create, a call that failed, and a call that no new
 * generation of the spec caused. A call that never left the operator makes no event, as nothing happened on the
 * platform.
 */
export function reportChange(r: Resolved, step: Step, result: Answer): void {
  const { ports, object, context } = r;
  const error = "error" in result ? asApiError(step.op, result.error) : undefined;
  const change: ChangeRecord = {
    key: keyOf(object),
    uid: object.metadata.uid,
    generation: context.resource.generation,
    cause: causeOf(r, step),
    op: step.op,
    id: "error" in result ? context.id : (result.id ?? context.id),
    commit: step.repeat === "once" ? step.commit : undefined,
    result: error?.failure.is ?? "ok",
    sent: error === undefined || wasSent(error),
  };
  ports.observer.change(change);
  const hasOwnOutcome = error === undefined && change.cause === "SpecChanged" && !isCreate(step);
  if (change.sent && !hasOwnOutcome)
    ports.events.record({ regarding: object, action: step.op, ...eventOf(change, error) });
}

function isCreate(step: Step): boolean {
  return step.repeat === "once" && step.creates;
}

/** Returns the first cause that applies. Pure. */
function causeOf({ context, local, cause }: Resolved, step: Step): ChangeCause {
  if (context.goal !== "present") return "Deleted";
  if (step.retries === true) return "Retried";
  if (local.recreates) return "Recreated";
  if (cause === undefined && step.scheduled === true) return "Scheduled";
  return cause ?? (step.corrects === true ? "Drifted" : "InputsChanged");
}

/** Reports whether the request may have left the operator. */
export function wasSent({ failure, status }: ApiError): boolean {
  switch (failure.is) {
    case "OverBudget":
    case "Refused":
    case "Unreachable":
      return false;
    case "RateLimited":
    case "Unauthorized":
      return status !== 0;
    default:
      return true;
  }
}

/** Returns the error of a call. If the operator itself failed in the middle of the call, its outcome is unknown. */
function asApiError(op: string, error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(op, { is: "OutcomeUnknown" }, 0, "the operator failed");
}

/**
 * Returns the event. Without times and texts of the platform, it is the same for the same call with the same result.
 */
function eventOf(change: ChangeRecord, error: ApiError | undefined): Pick<EventInput, "type" | "reason" | "note"> {
  const { op, id, commit, cause } = change;
  const what = `${op}${id === undefined ? "" : ` for ${id}`}${commit === undefined ? "" : `, commit ${commit}`}`;
  const because = `because ${CAUSES[cause]}`;
  if (error === undefined) {
    return { type: "Normal", reason: "PlatformChanged", note: `The platform carried out ${what}, ${because}.` };
  }
  const status = error.status === 0 ? "" : `, HTTP status ${String(error.status)}`;
  const how = `(${error.failure.is}${status})`;
  return notExecuted(error.failure)
    ? {
        type: "Warning",
        reason: "PlatformChangeRefused",
        note: `The platform refused ${what} ${how}, which was sent ${because}.`,
      }
    : {
        type: "Warning",
        reason: "PlatformChangeUnknown",
        note: `The platform was asked for ${what}, ${because}, and it is not known whether it did it ${how}.`,
      };
}
