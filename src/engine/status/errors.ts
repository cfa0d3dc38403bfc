/**
 * Classifies failed exchanges with the platform by what they mean for the object. Pure tables (docs/architecture.md §5,
 * §8).
 */
import type { Reason } from "../../api/reasons.ts";
import type { ObjectKey } from "../../kube/api/types.ts";
import { sentenceOf, type ApiError } from "../../platform/transport/errors.ts";
import type { ConnectionSettings, Goal, Ms, Why } from "../contract/kind.ts";

/** What was being done when the exchange failed. */
export type CallKind = "read" | "create" | "put" | "action" | "delete";

export type FailureVerdict =
  /** A person is needed: no retry until spec, Secret or annotation changes, or after `again`. */
  | { readonly is: "terminal"; readonly why: Why; readonly again?: Ms }
  /** Tried again with backoff. Ready of a settled object stays. */
  | { readonly is: "retry"; readonly why: Why }
  /** Perhaps an error of the connection, which is probed and reports it. The object waits. */
  | { readonly is: "connection"; readonly why: Why }
  /** The platform limits the rate and did not process the request: nothing new is known of the object. */
  | { readonly is: "later"; readonly again: Ms }
  /** A write that may have been executed: the next reconcile traces it. */
  | { readonly is: "unknown"; readonly why: Why };

const MINUTE = 60_000;

/**
 * How often in a row a rejected action, or a rejected step of a deletion, is tried with backoff before it counts as
 * terminal: the queue ahead of it may drain.
 */
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
} as const satisfies Record<CallKind, string>;

/**
 * Returns what the failure means for the object.
 * @param attempts how many reconciles in a row failed before this one
 * @param goal of the resource: while it is being deleted, no change of its spec helps
 */
export function classifyError(
  error: ApiError,
  phase: CallKind,
  attempts: number,
  goal: Goal = phase === "delete" ? "absent" : "present",
): FailureVerdict {
  const { failure, operation, status, message: said } = error;
  switch (failure.is) {
    case "Unauthorized":
      return connectionFailure(
        "CredentialsInvalid",
        status === 0 ? `Nothing was sent: ${said}.` : "The platform rejected the token (401).",
      );
    case "Forbidden":
      return forbidden(error, phase, attempts);
    case "RateLimited":
    case "OverBudget":
      return { is: "later", again: failure.retryAfterMs };
    case "Server":
      return connectionFailure(
        "PlatformUnavailable",
        `The platform answered ${operation} with ${status}; the operator tries again.`,
      );
    case "Unreachable":
      return connectionFailure("PlatformUnreachable", `The platform cannot be reached: ${said}`);
    case "OutcomeUnknown":
      return unknownOutcome(error, phase);
    case "BadResponse":
      return connectionFailure(
        "UnexpectedResponse",
        `The platform's answer to ${operation} is not as documented: ${said}`,
      );
    case "NotSupported":
      return terminal("NotSupportedByPlatform", `The platform has no operation ${operation}.`);
    case "Refused":
      return terminal("InvalidSpec", said);
    case "NotFound":
      return phase === "create"
        ? retry("ParentNotFound", `The platform does not find the parent (404): ${said}`)
        : retry("ExternalResourceDeleted", `The platform does not find the object (404): ${said}`);
    case "Conflict":
    case "Invalid":
      return rejected(error, phase, attempts, goal);
    default:
      return failure satisfies never;
  }
}

const connectionFailure = (reason: Reason, message: string): FailureVerdict => ({
  is: "connection",
  why: { reason, message },
});
const terminal = (reason: Reason, message: string): FailureVerdict => ({ is: "terminal", why: { reason, message } });
const retry = (reason: Reason, message: string): FailureVerdict => ({ is: "retry", why: { reason, message } });

function unknownOutcome({ operation }: ApiError, phase: CallKind): FailureVerdict {
  if (phase !== "create" && phase !== "action") {
    const message = `The platform did not confirm ${operation}; the operator tries again.`;
    return connectionFailure("PlatformUnavailable", message);
  }
  const message = `The platform did not confirm ${operation}; the operator finds out whether it was executed.`;
  return { is: "unknown", why: { reason: phase === "create" ? "Creating" : "Progressing", message } };
}

function forbidden(error: ApiError, phase: CallKind, attempts: number): FailureVerdict {
  const why: Why = {
    reason: "PermissionDenied",
    message: `The platform forbids ${error.operation} (403): ${sentenceOf(error)} Use a token with the scope ${SCOPES[phase]} or Admin for it; the operator tries again at intervals, and soon after the Secret changes.`,
  };
  if (phase === "read" && attempts < FORBIDDEN_READS) return { is: "connection", why };
  return { is: "terminal", why, again: 10 * MINUTE };
}

function rejected(error: ApiError, phase: CallKind, attempts: number, goal: Goal): FailureVerdict {
  const { operation, status } = error;
  const said = sentenceOf(error);
  const conflict = error.failure.is === "Conflict";
  if (phase === "create" && conflict) {
    const message = `An object of that name exists on the platform: ${said} Choose another spec.name, or set spec.externalId to adopt it.`;
    return terminal("NameConflict", message);
  }
  const isEnding = goal !== "present";
  const mayDrain = (phase === "action" || isEnding) && attempts < REJECTED_ACTIONS;
  if (conflict || mayDrain) return retry("Queued", `The platform does not take ${operation} now (${status}): ${said}`);
  if (isEnding) {
    const message = `The platform rejected ${operation} (${status}): ${said} The operator tries again every ten minutes, or at once with the annotation platform-operator.io/reconcile-requested-at.`;
    const why: Why = { reason: goal === "absent" ? "DeleteFailed" : "StopFailed", message };
    return { is: "terminal", why, again: 10 * MINUTE };
  }
  const message = `The platform rejected ${operation} (${status}): ${said} Change the spec. The operator sends the same request again only if the annotation platform-operator.io/reconcile-requested-at asks for it, or after a restart.`;
  return terminal("InvalidSpec", message);
}

/**
 * Returns why a connection cannot be used: the platform rejected its token, or the operator does not send it. The
 * message names the Secret that a person has to fix.
 */
export function rejectedToken({ key, settings }: Holder, { status, message: said }: ApiError): Why {
  const { name, key: entry } = settings.tokenSecret;
  const where = key.namespace === "" ? "the operator's namespace" : `namespace "${key.namespace}"`;
  const token = `the token from Secret "${name}" key "${entry}" in ${where}`;
  const what = status === 0 ? `The operator does not send ${token}: ${said}.` : `The platform rejected ${token} (401).`;
  const message = `${what} Replace the token; the operator tries again at intervals, and soon after the Secret changes.`;
  return { reason: "CredentialsInvalid", message };
}

/** The owner of a token. */
interface Holder {
  readonly key: ObjectKey;
  readonly settings: Pick<ConnectionSettings, "tokenSecret">;
}
