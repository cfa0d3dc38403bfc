/** Reads of details beside the object. No decision depends on them, so their failure holds up nothing. */
import type { Reason } from "../../api/reasons.ts";
import type { ConditionFact, Why } from "../../engine/contract/kind.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";

/** The result of a side read; `fault` says why it failed. Without either, the platform has nothing to show. */
export interface SideRead<T> {
  readonly value: T | undefined;
  readonly fault: Why | undefined;
}

/** A side read that was not made. */
export const NOT_READ: SideRead<never> = { value: undefined, fault: undefined };

/** Failures that concern the whole connection, or that were no answer of the platform. */
const FAULTS: Readonly<Record<ApiFailure["is"], Reason | undefined>> = {
  Unauthorized: undefined,
  Refused: undefined,
  OverBudget: undefined,
  NotFound: "UnexpectedResponse",
  NotSupported: "NotSupportedByApi",
  Forbidden: "PermissionDenied",
  RateLimited: "RateLimited",
  Server: "PlatformUnavailable",
  OutcomeUnknown: "PlatformUnavailable",
  Unreachable: "PlatformUnreachable",
  BadResponse: "UnexpectedResponse",
  Conflict: "UnexpectedResponse",
  Invalid: "UnexpectedResponse",
};

/**
 * Makes a side read.
 * @param what it shows, for the message, e.g. "the ingress"
 * @param nothing failures which mean that there is nothing to show
 * @throws ApiError for a rejected token, and for a request that was not sent
 */
export async function sideRead<T>(
  read: Promise<T>,
  what: string,
  nothing: readonly ApiFailure["is"][] = [],
): Promise<SideRead<T>> {
  try {
    return { value: await read, fault: undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { failure, operation, status } = error;
    if (nothing.includes(failure.is)) return NOT_READ;
    const reason = FAULTS[failure.is];
    if (reason === undefined || (failure.is === "RateLimited" && status === 0)) throw error;
    const how = status === 0 ? "did not answer" : `answered ${status} to`;
    return { value: undefined, fault: { reason, message: `The platform ${how} ${operation}, which shows ${what}.` } };
  }
}

/** Returns the condition that says Unknown while a side read fails; none otherwise. */
export function faultCondition(type: string, fault: Why | undefined): readonly ConditionFact[] {
  return fault === undefined ? [] : [{ type, status: "Unknown", ...fault }];
}
