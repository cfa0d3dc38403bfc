/**
 * Failures of a call of the platform, by what the caller has to do about them.
 * "OutcomeUnknown" is a write that may have been executed: it is traced, never repeated.
 */
export type ApiFailure =
  | { readonly is: "Unauthorized" } // 401; with status 0, a token that cannot be sent in a header, so nothing was sent
  | { readonly is: "Forbidden" } // 403
  | { readonly is: "NotFound" } // 404
  | { readonly is: "NotSupported" } // 405, 501: the platform has no such operation
  | { readonly is: "Conflict" } // 409
  | { readonly is: "Invalid" } // 400, 422
  | { readonly is: "RateLimited"; readonly retryAfterMs: number } // 429, or the gate is paused and nothing was sent
  | { readonly is: "OverBudget"; readonly retryAfterMs: number } // no room at the gate or no lease; nothing was sent
  | { readonly is: "Server" } // 408 or 5xx (except 501) of a read
  | { readonly is: "Unreachable" } // no connection or no lease, so nothing was sent; or a read that got no answer
  | { readonly is: "OutcomeUnknown" } // a write that ended in another status, a timeout, a reset or a malformed answer
  | { readonly is: "BadResponse"; readonly isCut?: true } // a read whose answer has another status, is too large or cannot be parsed
  | { readonly is: "Refused" }; // refused before anything was sent: an id, a value or a host that is not allowed

/** A failed call of the platform. `message` has the platform's text, cleaned and cut to 300 characters. */
export class ApiError extends Error {
  readonly failure: ApiFailure;
  /** The operation's name, e.g. "createProject": one of a fixed set, so it can be a metric label. */
  readonly operation: string;
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;
  /** The answer was JSON: it is the platform's own, and not that of a proxy or a firewall. */
  readonly isJson: boolean;

  constructor(operation: string, failure: ApiFailure, status: number, message: string, isJson = false) {
    super(message);
    this.name = "ApiError";
    this.operation = operation;
    this.failure = failure;
    this.status = status;
    this.isJson = isJson;
  }
}

/** Whether the operation only reads. A failed write may have been executed. */
export type Effect = "read" | "write";

/**
 * "address" and "connect" occur before the first byte is sent; after every other failure the request may have arrived.
 */
export type TransportFailure = "address" | "connect" | "deadline" | "interrupted" | "tooLarge";

/** Why there was no answer. Its message never quotes a library's, which may hold hosts, headers or bodies. */
export class TransportError extends Error {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure, message: string) {
    super(message);
    this.name = "TransportError";
    this.failure = failure;
  }
}

const STATUS: ReadonlyMap<number, ApiFailure> = new Map([
  [400, { is: "Invalid" }],
  [401, { is: "Unauthorized" }],
  [403, { is: "Forbidden" }],
  [404, { is: "NotFound" }],
  [405, { is: "NotSupported" }],
  [409, { is: "Conflict" }],
  [422, { is: "Invalid" }],
  [501, { is: "NotSupported" }],
]);

/**
 * Classifies an answer that is not a success. The outcome of a write is unknown after redirects and after every 4xx and
 * 5xx that STATUS does not have (docs/architecture.md §6).
 * @param retryAfterMs the pause that a 429 asks for; used for no other status
 */
export function failureOfStatus(status: number, effect: Effect, retryAfterMs: number): ApiFailure {
  if (status === 429) return { is: "RateLimited", retryAfterMs };
  const known = STATUS.get(status);
  if (known !== undefined) return known;
  if (effect === "write") return { is: "OutcomeUnknown" };
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

/** Returns the message of a failure as a sentence that ends with a full stop. */
export function sentenceOf({ message }: ApiError): string {
  return /[.!?…]$/.test(message) ? message : `${message}.`;
}

/** Whether the platform may have executed a call with this failure. */
const MAY_BE_EXECUTED: Readonly<Record<ApiFailure["is"], boolean>> = {
  Unauthorized: false,
  Forbidden: false,
  NotFound: false,
  NotSupported: false,
  Conflict: false,
  Invalid: false,
  RateLimited: false,
  OverBudget: false,
  Unreachable: false,
  Refused: false,
  Server: true,
  OutcomeUnknown: true,
  BadResponse: true,
};

/**
 * Reports whether the platform certainly did not execute a call that failed like this: a failure before anything was
 * sent, 400, 401, 403, 404, 405, 409, 422, 429, 501 (docs/architecture.md §6).
 */
export function notExecuted({ is }: Pick<ApiFailure, "is">): boolean {
  return !MAY_BE_EXECUTED[is];
}
