/**
 * What can go wrong in a call of the platform, by what the caller has to do about it (docs/architecture.md §6, §8).
 * "OutcomeUnknown" is a write that may or may not have been executed: it is traced, never repeated.
 */
export type ApiFailure =
  | { readonly is: "Unauthorized" } // 401; with status 0 a token that no header can carry, and nothing was sent
  | { readonly is: "Forbidden" } // 403
  | { readonly is: "NotFound" } // 404
  | { readonly is: "NotSupported" } // 405, and 501 of a read: the surface has no such operation
  | { readonly is: "Conflict" } // 409
  | { readonly is: "Invalid" } // 400, 422
  | { readonly is: "RateLimited"; readonly retryAfterMs: number } // 429, or the gate is closed since one and nothing was sent
  | { readonly is: "OverBudget"; readonly retryAfterMs: number } // our own rate budget is spent and nothing was sent
  | { readonly is: "Server" } // 5xx of a read
  | { readonly is: "Unreachable" } // nothing was sent: no connection, or the lease was over by then
  | { readonly is: "OutcomeUnknown" } // a write that ended in 5xx, a timeout, a reset or an unreadable 2xx answer
  | { readonly is: "BadResponse" } // a read whose answer does not have the documented shape
  | { readonly is: "Refused" }; // refused here before anything was sent: an id, a value or a host that is not allowed

/** A failed call of the platform. `message` is the platform's own words, cleaned and capped at 300 characters. */
export class ApiError extends Error {
  readonly failure: ApiFailure;
  /** The operation's name, e.g. "createProject": one of a fixed set, fit for a metric label. */
  readonly operation: string;
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;

  constructor(operation: string, failure: ApiFailure, status: number, message: string) {
    super(message);
    this.name = "ApiError";
    this.operation = operation;
    this.failure = failure;
    this.status = status;
  }
}

/**
 * The words of a failure as a sentence of their own, so that another one can follow; a platform's seldom end with a
 * stop.
 */
export function sentenceOf({ message }: ApiError): string {
  return /[.!?…]$/.test(message) ? message : `${message}.`;
}

/**
 * Whether the platform certainly did not execute the call that failed so (docs/architecture.md §8): a failure before
 * anything was sent, 400, 401, 403, 404, 405, 409, 422, 429.
 */
export function notExecuted({ is }: Pick<ApiFailure, "is">): boolean {
  switch (is) {
    case "Unauthorized":
    case "Forbidden":
    case "NotFound":
    case "NotSupported":
    case "Conflict":
    case "Invalid":
    case "RateLimited":
    case "OverBudget":
    case "Unreachable":
    case "Refused":
      return true;
    case "Server":
    case "OutcomeUnknown":
    case "BadResponse":
      return false;
    default:
      return is satisfies never;
  }
}
