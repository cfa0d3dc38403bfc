/** Requests that the platform certainly did not carry out. Pure. */
import type { Known, Why } from "../../engine/kind.ts";
import type { ApiError } from "../../platform/errors.ts";
import type { OperationMemory } from "../../resources/operation.ts";
import { actionOf } from "./actions.ts";
import type { OperationPass, Seen } from "./model.ts";
import { failed } from "./outcome.ts";

interface Rejection {
  readonly why: Why;
  /** To send it again would not help. */
  readonly isFinal: boolean;
}

/**
 * What an answer means for the operation.
 * @param noun what the request is about
 * @returns undefined where it is the connection's trouble, or where only a person can mend it
 */
export function rejection(error: ApiError, noun: string): Rejection | undefined {
  const { failure, status, operation, message } = error;
  switch (failure.is) {
    case "Conflict":
    case "Invalid": {
      // 400 and 409 may only mean that something else is under way (api-behaviour §3.3).
      const text = `The platform rejected ${operation} (${status}): ${message}`;
      return { why: { reason: "OperationRejected", message: text }, isFinal: status === 422 };
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
    case "Unauthorized":
    case "Forbidden":
    case "RateLimited":
    case "OverBudget":
    case "Server":
    case "Unreachable":
    case "OutcomeUnknown":
    case "BadResponse":
      return undefined;
    default:
      return failure satisfies never;
  }
}

/** A request that was refused counts as a failed one. */
export function refused(error: ApiError, pass: OperationPass, seen: Seen): Known<Seen, OperationMemory> | undefined {
  const rejected = rejection(error, actionOf(pass)?.target ?? "organization");
  if (rejected === undefined) return undefined;
  return { seen: { ...seen, refused: true }, memory: failed(pass, rejected.why, rejected.isFinal) };
}
