/** Interprets answers of the platform: an object is gone, a detail is missing, a stop was refused. */
import type { Reason } from "../../api/reasons.ts";
import type { ConditionFact, StatusReason } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError, type ApiFailure, notExecuted, sentenceOf } from "../../platform/transport/errors.ts";

/** Returns the result of a read, or `instead` if it fails with one of `failures`. @throws ApiError for all others */
export async function readOr<T, Other>(
  read: Promise<T>,
  instead: Other,
  failures: readonly ApiFailure["is"][],
): Promise<T | Other> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError && failures.includes(error.failure.is)) return instead;
    throw error;
  }
}

/** Reads one object by its id. @returns undefined when there is none. @throws ApiError */
export async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  return await readOr(read, undefined, ["NotFound"]);
}

/**
 * Reads under a parent that may be gone. Deployed services forbid what is under a deleted parent (docs/project/architecture.md
 * §9): a 403 counts as gone only if the lists of the organization confirm it.
 * @param isGone reads these lists, and reports whether they lack the parent
 * @returns undefined when the parent is gone
 * @throws ApiError
 */
export async function orGone<T>(read: Promise<T>, isGone: () => Promise<boolean>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    const failure = error instanceof ApiError ? error.failure.is : undefined;
    if (failure === "NotFound" || (failure === "Forbidden" && (await isGone()))) return undefined;
    throw error;
  }
}

/** The result of a side read; `fault` says why it failed. Without either, the platform has nothing to show. */
export interface SideRead<T> {
  readonly value: T | undefined;
  readonly fault: StatusReason | undefined;
}

/** A side read that was not made. */
export const NOT_READ: SideRead<never> = { value: undefined, fault: undefined };

/** The reason of a failed side read; undefined for a rejected token, and for a request that the client did not send. */
const FAULTS: Readonly<Record<ApiFailure["is"], Reason | undefined>> = {
  Unauthorized: undefined,
  Refused: undefined,
  OverBudget: undefined,
  NotFound: "UnexpectedResponse",
  NotSupported: "NotSupportedByPlatform",
  Intercepted: "UnexpectedResponse",
  Rejected: "Rejected",
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
 * Makes a side read: its failure is returned and does not end the reconcile.
 * @param what the read shows, for the message, e.g. "the ingress"
 * @param nothing failures which mean that there is nothing to show
 * @throws ApiError for a rejected token, and for a request that the client did not send
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
    const { failure, status } = error;
    if (nothing.includes(failure.is)) return NOT_READ;
    const reason = FAULTS[failure.is];
    if (reason === undefined || (failure.is === "RateLimited" && status === 0)) throw error;
    return { value: undefined, fault: { reason, message: failedRead(error, what) } };
  }
}

/**
 * Reads the object after a write whose answer did not contain it.
 * @returns undefined if the read fails
 * @throws ApiError as `sideRead`
 */
export async function readAfterWrite<T>(api: Platform, read: () => Promise<T>): Promise<T | undefined> {
  // Earlier answers, which reads may share, are from before the write.
  api.refresh();
  return (await sideRead(read(), "what was written")).value;
}

/** Returns the message of a read that failed, with the platform's sentence in a refusal. @param what as for `sideRead` */
function failedRead(error: ApiError, what: string): string {
  const { operation, status } = error;
  const how = status === 0 ? "did not answer" : `answered ${status} to`;
  const read = `The platform ${how} ${operation}, the operation that shows ${what}`;
  return notExecuted(error.failure) && status !== 0 ? `${read}: ${sentenceOf(error)}` : `${read}.`;
}

/** Returns the condition with the status Unknown if a side read failed; none otherwise. @param fault its failure */
export function faultCondition(type: string, fault: StatusReason | undefined): readonly ConditionFact[] {
  return fault === undefined ? [] : [{ type, status: "Unknown", ...fault }];
}

/**
 * Reports whether a request to stop was refused because nothing runs. Where the surface shows no state, that is the
 * only way to know it. The platform also answers 409 while it works on the object (docs/project/architecture.md §9); such a
 * stop is tried again.
 * @param error what the request to stop threw
 */
export function isStoppedAlready(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { failure, message } = error;
  return failure.is === "Conflict" && /already stopped/i.test(message) && !/in progress/i.test(message);
}
