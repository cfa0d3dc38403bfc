/**
 * Failures of a call of the platform, by what the caller has to do about them.
 * "OutcomeUnknown" is a write that may have been executed: it is traced, never repeated.
 */
export type ApiFailure =
  | { readonly is: "Unauthorized" } // 401 in JSON; with status 0, a token that cannot be sent in a header, so nothing was sent
  | { readonly is: "Forbidden" } // 403 in JSON
  | { readonly is: "NotFound" } // 404 in JSON
  | { readonly is: "NotSupported" } // 405, 501 in JSON: the platform has no such operation
  | { readonly is: "Intercepted" } // 401, 403, 404, 405, 501 without JSON: of a firewall or proxy, not of the platform
  | { readonly is: "Conflict" } // 409
  | { readonly is: "Invalid" } // 400, 422
  | { readonly is: "Rejected" } // every other 4xx, e.g. 402, 413, 451: a person is needed, who need not change the spec
  | { readonly is: "RateLimited"; readonly retryAfterMs: number } // 429, or the gate is paused and nothing was sent
  | { readonly is: "OverBudget"; readonly retryAfterMs: number } // no room at the gate or no lease; nothing was sent
  | { readonly is: "Server" } // 408, 499 or 5xx (except 501) of a read
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
  /** The answer is a refusal without JSON: perhaps that of a firewall or proxy. */
  readonly isForeign: boolean;

  constructor(operation: string, failure: ApiFailure, status: number, message: string, isForeign = false) {
    super(message);
    this.name = "ApiError";
    this.operation = operation;
    this.failure = failure;
    this.status = status;
    this.isForeign = isForeign;
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

/** The failures that say something about a token, an object or an operation: only the platform itself can say it. */
const OF_PLATFORM: ReadonlySet<ApiFailure["is"]> = new Set(["Unauthorized", "Forbidden", "NotFound", "NotSupported"]);

/**
 * The two 4xx after which the outcome of a write is unknown: 408 (RFC 9110 §15.5.9), which a proxy also sends when the
 * platform is slow, and nginx's 499, for a request that was cut on its way.
 */
const CUT_SHORT: ReadonlySet<number> = new Set([408, 499]);

/**
 * Classifies an answer that is not a success. A 4xx means that a write was not executed, except 408 and 499. After
 * these, redirects and every 5xx but 501 the outcome of a write is unknown (docs/project/architecture.md §8).
 * @param answer.isJson whether the body is JSON
 * @param answer.retryAfterMs the pause that a 429 asks for; used for no other status
 */
export function failureOfStatus(
  {
    status,
    isJson,
    retryAfterMs,
  }: { readonly status: number; readonly isJson: boolean; readonly retryAfterMs: number },
  effect: Effect,
): ApiFailure {
  if (status === 429) return { is: "RateLimited", retryAfterMs };
  const known = STATUS.get(status);
  if (known !== undefined) return !isJson && OF_PLATFORM.has(known.is) ? { is: "Intercepted" } : known;
  const isCutShort = CUT_SHORT.has(status);
  if (status >= 400 && status < 500 && !isCutShort) return { is: "Rejected" };
  if (effect === "write") return { is: "OutcomeUnknown" };
  return status >= 500 || isCutShort ? { is: "Server" } : { is: "BadResponse" };
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

/** Returns the message of a failure that is "Intercepted": it proves nothing about an object, a token or an operation. */
export function interceptedText(error: ApiError): string {
  return `A firewall or proxy answered ${error.operation} in place of the platform (${error.status}, no JSON): ${sentenceOf(error)} Let the operator's requests pass there.`;
}

/** Returns the message of a failure that is "NotSupported". */
export function unsupportedText(error: ApiError): string {
  return `The platform has no operation ${error.operation} (${error.status}): ${sentenceOf(error)}`;
}

/** Whether the platform may have executed a call with this failure. */
const MAY_BE_EXECUTED: Readonly<Record<ApiFailure["is"], boolean>> = {
  Unauthorized: false,
  Forbidden: false,
  NotFound: false,
  NotSupported: false,
  Intercepted: false,
  Conflict: false,
  Invalid: false,
  Rejected: false,
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
 * sent, a 4xx except 408 and 499, a 501 (docs/project/architecture.md §8).
 */
export function notExecuted({ is }: Pick<ApiFailure, "is">): boolean {
  return !MAY_BE_EXECUTED[is];
}
