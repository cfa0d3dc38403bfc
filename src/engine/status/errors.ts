/**
 * Classifies failed exchanges with the platform by what they mean for the object. Pure tables (docs/architecture.md §5,
 * §8).
 */
import type { ObjectKey } from "../../kube/api/types.ts";
import { sentenceOf, type ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import type { ConnectionSettings, Ms, Why } from "../contract/kind.ts";

/** What was being done when the exchange failed. */
export type Phase = "read" | "create" | "put" | "action" | "delete";

export type Verdict =
  /** A person is needed: no retry until spec, Secret or annotation changes. `again` is a slow probe. */
  | { readonly is: "terminal"; readonly why: Why; readonly again?: Ms }
  /** Tried again with backoff. Ready of a settled object stays. */
  | { readonly is: "retry"; readonly why: Why }
  /** Perhaps an error of the connection: it is probed and reports; the object waits. */
  | { readonly is: "connection"; readonly why: Why }
  /** The platform limits the rate and did not process the request: nothing new is known of the object. */
  | { readonly is: "later"; readonly again: Ms }
  /** A write that may have been executed: the next reconcile traces it. */
  | { readonly is: "unknown"; readonly why: Why };

const MINUTE = 60_000;

/** How often a rejected action (400) is tried before it counts as terminal: the queue ahead of it may drain. */
export const REJECTED_ACTIONS = 5;

/** How often a forbidden read is tried before it counts as the object's own error: the connection reports first. */
const FORBIDDEN_READS = 5;

/** The scope of a token that an operation needs. Admin includes all. */
const SCOPES = {
  read: "Read",
  create: "Write",
  put: "Write",
  action: "Deploy",
  delete: "Write",
} as const satisfies Record<Phase, string>;

/**
 * Returns what the failure means for the object.
 * @param attempts how many reconciles in a row failed before this one
 */
export function classifyError(error: ApiError, phase: Phase, attempts: number): Verdict {
  const failure = error.failure;
  const said = error.message;
  switch (failure.is) {
    case "Unauthorized":
      return {
        is: "connection",
        why: {
          reason: "CredentialsInvalid",
          message: error.status === 0 ? `Nothing was sent: ${said}.` : "The platform rejected the token (401).",
        },
      };
    case "Forbidden":
      return forbidden(error, phase, attempts);
    case "RateLimited":
    case "OverBudget":
      return { is: "later", again: failure.retryAfterMs };
    case "Server":
      return {
        is: "connection",
        why: {
          reason: "PlatformUnavailable",
          message: `The platform answered ${error.operation} with ${error.status}; the operator tries again.`,
        },
      };
    case "Unreachable":
      return {
        is: "connection",
        why: { reason: "PlatformUnreachable", message: `The platform cannot be reached: ${said}` },
      };
    case "OutcomeUnknown":
      return unknownOutcome(error, phase);
    case "BadResponse":
      return {
        is: "connection",
        why: {
          reason: "UnexpectedResponse",
          message: `The platform's answer to ${error.operation} is not as documented: ${said}`,
        },
      };
    case "NotSupported":
      return {
        is: "terminal",
        why: { reason: "NotSupportedByApi", message: `The platform has no operation ${error.operation}.` },
      };
    case "Refused":
      return { is: "terminal", why: { reason: "InvalidSpec", message: said } };
    case "NotFound":
      return notFound(error, phase);
    case "Conflict":
    case "Invalid":
      return rejected(error, failure, phase, attempts);
    default:
      return failure satisfies never;
  }
}

function unknownOutcome(error: ApiError, phase: Phase): Verdict {
  const message = `The platform did not confirm ${error.operation}; the operator finds out whether it was executed.`;
  if (phase === "create") return { is: "unknown", why: { reason: "Creating", message } };
  if (phase === "action") return { is: "unknown", why: { reason: "Progressing", message } };
  return {
    is: "connection",
    why: {
      reason: "PlatformUnavailable",
      message: `The platform did not confirm ${error.operation}; the operator tries again.`,
    },
  };
}

function forbidden(error: ApiError, phase: Phase, attempts: number): Verdict {
  const why: Why = {
    reason: "PermissionDenied",
    message: `The platform forbids ${error.operation} (403): ${sentenceOf(error)} Use a token with the scope ${SCOPES[phase]} or Admin for it; the operator tries again when the Secret changes.`,
  };
  if (phase === "read" && attempts < FORBIDDEN_READS) return { is: "connection", why };
  return { is: "terminal", why, again: 10 * MINUTE };
}

function notFound(error: ApiError, phase: Phase): Verdict {
  if (phase === "create") {
    const message = `The platform does not find the parent (404): ${error.message}`;
    return { is: "retry", why: { reason: "ParentNotFound", message } };
  }
  const message = `The platform does not find the object (404): ${error.message}`;
  return { is: "retry", why: { reason: "ExternalResourceDeleted", message } };
}

function rejected(error: ApiError, failure: ApiFailure, phase: Phase, attempts: number): Verdict {
  const conflict = failure.is === "Conflict";
  if (phase === "create" && conflict) {
    return {
      is: "terminal",
      why: {
        reason: "NameConflict",
        message: `An object of that name exists on the platform: ${sentenceOf(error)} Choose another spec.name, or set spec.externalId to adopt it.`,
      },
    };
  }
  const inQueue = phase === "action" || phase === "delete" || conflict;
  if (inQueue && (conflict || attempts < REJECTED_ACTIONS)) {
    return {
      is: "retry",
      why: {
        reason: "Queued",
        message: `The platform does not take ${error.operation} now (${error.status}): ${sentenceOf(error)}`,
      },
    };
  }
  return {
    is: "terminal",
    why: {
      reason: "InvalidSpec",
      message: `The platform rejected ${error.operation} (${error.status}): ${sentenceOf(error)} Change the spec; the same is not sent again.`,
    },
  };
}

/** Returns why a connection cannot be used whose token the platform rejected, or which the operator does not send. */
export const rejectedToken = (connection: Holder, { status, message }: ApiError): Why =>
  invalidToken(connection, (token) =>
    status === 0 ? `The operator does not send ${token}: ${message}.` : `The platform rejected ${token} (401).`,
  );

/** The owner of a token. */
interface Holder {
  readonly key: ObjectKey;
  readonly settings: Pick<ConnectionSettings, "tokenSecret">;
}

/** Names the Secret that a person has to fix. */
function invalidToken({ key, settings }: Holder, saying: (token: string) => string): Why {
  const { name, key: entry } = settings.tokenSecret;
  const where = key.namespace === "" ? "the operator's namespace" : `namespace "${key.namespace}"`;
  const token = `the token from Secret "${name}" key "${entry}" in ${where}`;
  const message = `${saying(token)} Replace the token; the operator tries again when the Secret changes.`;
  return { reason: "CredentialsInvalid", message };
}
