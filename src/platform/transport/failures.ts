/** Classifies answers and their absence (docs/architecture.md §6, §8). Pure tables. */
import type { ApiFailure } from "./errors.ts";
import type { TransportFailure } from "./transport.ts";

/** Whether the operation only reads. After a failed write it is open whether it was executed. */
export type Effect = "read" | "write";

const STATUS: ReadonlyMap<number, ApiFailure> = new Map([
  [400, { is: "Invalid" }],
  [401, { is: "Unauthorized" }],
  [403, { is: "Forbidden" }],
  [404, { is: "NotFound" }],
  [405, { is: "NotSupported" }],
  [409, { is: "Conflict" }],
  [422, { is: "Invalid" }],
]);

/**
 * Classifies an answer that is not a success. A status that docs/architecture.md §8 does not list as "certainly not
 * executed" leaves a write open: redirects, the other 4xx, and 501, which proves a missing operation of reads only.
 * @param retryAfterMs the pause that a 429 asks for; used for no other status
 */
export function failureOfStatus(status: number, effect: Effect, retryAfterMs: number): ApiFailure {
  if (status === 429) return { is: "RateLimited", retryAfterMs };
  const known = STATUS.get(status);
  if (known !== undefined) return known;
  if (effect === "write") return { is: "OutcomeUnknown" };
  if (status === 501) return { is: "NotSupported" };
  return status >= 500 || status === 408 ? { is: "Server" } : { is: "BadResponse" };
}

/** Classifies the absence of an answer. */
export function failureOfTransport(failure: TransportFailure, effect: Effect): ApiFailure {
  switch (failure) {
    case "address":
      return { is: "Refused" };
    case "connect":
      return { is: "Unreachable" };
    case "deadline":
    case "interrupted":
      return { is: effect === "write" ? "OutcomeUnknown" : "Unreachable" };
    case "tooLarge":
      return failureOfShape(effect);
    default:
      return failure satisfies never;
  }
}

/** Classifies a success that cannot be parsed. */
export function failureOfShape(effect: Effect): ApiFailure {
  return { is: effect === "write" ? "OutcomeUnknown" : "BadResponse" };
}
