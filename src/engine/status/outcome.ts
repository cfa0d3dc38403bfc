/**
 * How a reconcile ends: its result, what a failed exchange with the platform means for it, and the results of an object
 * that waits too long. An object that waits too long for work of the platform that makes no progress, or for an object
 * that does not exist, reports that a person is needed, and is still reconciled (docs/project/architecture.md §5, §8).
 */
import type { Reason } from "../../api/reasons.ts";
import type { KubeObject, ObjectKey } from "../../kube/api/types.ts";
import { type ApiError, interceptedText, sentenceOf, unsupportedText } from "../../platform/transport/errors.ts";
import type { WorkSince } from "../context/local-state.ts";
import type { ConnectionSettings } from "../contract/connection.ts";
import type { Goal, Ms, StatusReason } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import { conditionOf, isSettled } from "../contract/status.ts";
import type { Reconciliation, Resolved } from "./reconciliation.ts";

/** How a reconcile ended. */
export type ReconcileResult =
  /** Ready is True; Unknown with the reason NotObservable, where the platform does not show the state. */
  (
    | { readonly is: "settled"; readonly why: StatusReason }
    /** Work is under way, or something else is needed first. */
    | { readonly is: "waiting"; readonly why: StatusReason; readonly exchange: Exchange }
    /** A person is needed. */
    | { readonly is: "stalled"; readonly why: StatusReason; readonly exchange: Exchange }
    /** The exchange failed and is tried again. `isOutage`: the probes of a connection have failed for too long. */
    | { readonly is: "retry"; readonly why: StatusReason; readonly isOutage?: boolean }
    /** The operator cannot observe whether the object works. The stored Ready stays while `keepsReady`. */
    | { readonly is: "unknown"; readonly why: StatusReason; readonly keepsReady: boolean }
    /** The connection reports an error itself. `stale`: nothing was read for long. */
    | { readonly is: "held"; readonly why: StatusReason; readonly stale: boolean }
    /** The rate limit leaves no room: nothing is known, nothing is reported, and the reconcile continues later. */
    | { readonly is: "deferred" }
    | { readonly is: "paused" }
  ) & {
    /** Milliseconds until the object is reconciled again; absent where that follows from the result. */
    readonly again?: Ms | undefined;
    /** The object has no connection, or none that it may use. */
    readonly lacksConnection?: true;
  };

/** How the last exchange with the platform about this object went; "none" when there was none in this reconcile. */
export type Exchange = "ok" | "failed" | "none";

/** What was being done when the exchange failed. */
export type CallKind = "read" | "create" | "put" | "action" | "delete";

export type FailureVerdict =
  /** A person is needed: no retry until spec, Secret or annotation changes, or after `again`. */
  | { readonly is: "terminal"; readonly why: StatusReason; readonly again?: Ms }
  /** Tried again with backoff. Ready of a settled object stays. */
  | { readonly is: "retry"; readonly why: StatusReason }
  /** Perhaps an error of the connection, which is probed and reports it. The object waits. */
  | { readonly is: "connection"; readonly why: StatusReason }
  /** The platform limits the rate and did not process the request: nothing new is known of the object. */
  | { readonly is: "later"; readonly again: Ms }
  /** A write that may have been executed: the next reconcile traces it. */
  | { readonly is: "unknown"; readonly why: StatusReason };

const MINUTE = 60_000;

/**
 * How often in a row a rejected action, or a rejected step of a deletion, is tried with backoff before it counts as
 * terminal: the queue ahead of it may drain.
 */
export const REJECTED_ACTIONS = 5;

/** How often in a row the 409 of a create is tried with backoff before a person may be needed. */
export const REJECTED_CREATES = 5;

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
        status === 0 ? `Nothing was sent: ${said}.` : `The platform rejected the token (401): ${sentenceOf(error)}`,
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
    case "Intercepted":
      return connectionFailure("UnexpectedResponse", interceptedText(error));
    case "NotSupported":
      return terminal("NotSupportedByPlatform", unsupportedText(error));
    case "Refused":
      return terminal("InvalidSpec", said);
    case "NotFound":
      return phase === "create"
        ? retry(
            "ParentNotFound",
            `The platform does not find the parent or an object that the spec names by its id (404): ${sentenceOf(error)} Fix the id in the spec, or look for the parent on the platform.`,
          )
        : retry("ExternalResourceDeleted", `The platform does not find the object (404): ${said}`);
    case "Conflict":
      return phase === "create" ? nameTaken(error, attempts) : rejected(error, phase, attempts, goal);
    case "Rejected":
      return phase === "read"
        ? connectionFailure("Rejected", rejection(error))
        : rejected(error, phase, attempts, goal);
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
  const why: StatusReason = {
    reason: "PermissionDenied",
    message: `The platform forbids ${error.operation} (403): ${sentenceOf(error)} Use a token with the scope ${SCOPES[phase]} or Admin, or with a role that allows it; the operator tries again at intervals, and soon after the Secret changes.`,
  };
  if (phase === "read" && attempts < FORBIDDEN_READS) return { is: "connection", why };
  return { is: "terminal", why, again: 10 * MINUTE };
}

/**
 * Returns what the 409 of a create means: an object that is being deleted frees its name late. An object that a list
 * shows is left to the plan.
 */
function nameTaken(error: ApiError, attempts: number): FailureVerdict {
  const message = `The platform does not take the name (409): ${sentenceOf(error)} No object of that name is visible to the operator, which tries again at growing intervals. Choose another spec.name, or set spec.externalId to adopt the object.`;
  const why: StatusReason = { reason: "NameConflict", message };
  return attempts < REJECTED_CREATES ? { is: "retry", why } : { is: "terminal", why, again: 10 * MINUTE };
}

function rejection(error: ApiError): string {
  return `The platform rejected ${error.operation} (${error.status}): ${sentenceOf(error)}`;
}

function rejected(error: ApiError, phase: CallKind, attempts: number, goal: Goal): FailureVerdict {
  const { failure, operation, status } = error;
  const isEnding = goal !== "present";
  const mayDrain = failure.is === "Invalid" && (phase === "action" || isEnding) && attempts < REJECTED_ACTIONS;
  if (failure.is === "Conflict" || mayDrain)
    return retry("Queued", `The platform does not take ${operation} now (${status}): ${sentenceOf(error)}`);
  if (isEnding) {
    const message = `${rejection(error)} The operator tries again every ten minutes, or at once with the annotation platform-operator.io/reconcile-requested-at.`;
    const why: StatusReason = { reason: goal === "absent" ? "DeleteFailed" : "StopFailed", message };
    return { is: "terminal", why, again: 10 * MINUTE };
  }
  const again =
    "The operator sends the same request again only if the annotation platform-operator.io/reconcile-requested-at asks for it, or after a restart.";
  return failure.is === "Rejected"
    ? terminal("Rejected", `${rejection(error)} Remove the cause on the platform. ${again}`)
    : terminal("InvalidSpec", `${rejection(error)} Change the spec. ${again}`);
}

/**
 * Returns why a connection cannot be used: the platform rejected its token, or the operator does not send it. The
 * message names the Secret that a person has to fix.
 */
export function rejectedToken({ key, settings }: Holder, error: ApiError): StatusReason {
  const { status, message: said } = error;
  const token = tokenOf({ key, settings });
  const what =
    status === 0
      ? `The operator does not send ${token}: ${said}.`
      : `The platform rejected ${token} (401): ${sentenceOf(error)}`;
  const message = `${what} Replace the token; the operator tries again at intervals, and soon after the Secret changes.`;
  return { reason: "CredentialsInvalid", message };
}

/**
 * Returns why a connection cannot be used: the platform does not let its token list the projects of the organization,
 * which any token of the organization with the scope Read may.
 */
export function foreignToken({ key, settings }: Holder, error: ApiError): StatusReason {
  const message = `The platform does not let ${tokenOf({ key, settings })} use organization ${settings.organizationId} (403): ${sentenceOf(error)} The token belongs to another organization, or lacks the scope Read. Replace the token; for another organization make another connection.`;
  return { reason: "PermissionDenied", message };
}

function tokenOf({ key, settings }: Holder): string {
  const { name, key: entry } = settings.tokenSecret;
  const where = key.namespace === "" ? "the operator's namespace" : `namespace "${key.namespace}"`;
  return `the token from Secret "${name}" key "${entry}" in ${where}`;
}

/** The owner of a token. */
interface Holder {
  readonly key: ObjectKey;
  readonly settings: Pick<ConnectionSettings, "tokenSecret" | "organizationId">;
}

/**
 * The reasons of work on the platform. Each state ends by itself, or changes to another one. A deletion waits for the
 * end of an unknown state.
 */
const WORK: ReadonlySet<Reason> = new Set([
  "Queued",
  "Building",
  "Deploying",
  "Stopping",
  "Restarting",
  "Upgrading",
  "Canceling",
  "Deleting",
  "Progressing",
  "LayersNotEnabled",
  "UnknownState",
]);

/**
 * Returns the work on the platform that the object waits for, and since when. Another state counts as progress. The
 * time of work that an earlier process reported as overdue does not start again.
 * @param before the work at the last reconcile, in this process
 * @param why why the object waits
 * @param deadlineMs how long one state may last; 0: for ever
 * @param now on the monotonic clock
 * @returns undefined where the object does not wait for the platform
 */
export function workOf(
  object: KubeObject,
  before: WorkSince | undefined,
  why: StatusReason,
  { deadlineMs, now }: { readonly deadlineMs: Ms; readonly now: Ms },
): WorkSince | undefined {
  const { reason, message } = why;
  if (!WORK.has(reason)) return undefined;
  if (before?.message === message) return before;
  const isReported = conditionOf(object, "Stalled")?.message === overdue(why).message;
  return { message, since: before === undefined && isReported ? now - deadlineMs : now };
}

/** Reports whether the work has lasted too long. */
export function isOverdue({ since }: WorkSince, deadlineMs: Ms, now: Ms): boolean {
  return deadlineMs > 0 && now - since >= deadlineMs;
}

/** Reports whether the platform's work has made no progress for too long. */
export function isLate({ ports, object, local, policies }: Resolved, why: StatusReason): boolean {
  const { progressDeadlineMs: deadlineMs } = policies;
  const now = ports.clock.monotonic();
  local.waiting.work = workOf(object, local.waiting.work, why, { deadlineMs, now });
  return local.waiting.work !== undefined && isOverdue(local.waiting.work, deadlineMs, now);
}

/**
 * Returns the reason for overdue work. After an unknown state, which may last for ever, a deletion gives up.
 * @param why why the object waits
 */
export function overdue({ reason, message }: StatusReason): StatusReason {
  if (reason === "UnknownState")
    return {
      reason: "NotObservable",
      message: `${message} Nothing changed within spec.lifecycle.progressDeadline (1h where it is not set).`,
    };
  const advice =
    "Nothing changed within spec.lifecycle.progressDeadline (1h where it is not set). Look at it on the platform, and " +
    "cancel or repeat it there if it hangs; the operator goes on following it.";
  return { reason: "ProgressDeadlineExceeded", message: `${message} ${advice}` };
}

/**
 * Returns the reason for a request that the platform keeps refusing.
 * @param why the reason, with the platform's message
 */
export function refusedForLong({ message }: StatusReason): StatusReason {
  const advice =
    "The platform has refused the request for spec.lifecycle.progressDeadline (1h where it is not set). The operator " +
    "sends it again after the same time, or at once with the annotation platform-operator.io/reconcile-requested-at. " +
    "Check the object on the platform.";
  return { reason: "ProgressDeadlineExceeded", message: `${message} ${advice}` };
}

/** Returns for how long a rejected request is not sent again. @param why the reason that was reported */
export function restAfter({ reason }: StatusReason, deadlineMs: Ms): Ms {
  return reason === "ProgressDeadlineExceeded" ? deadlineMs : Infinity;
}

/** The reasons of a reference to something that does not exist. */
const MISSING_TARGET: ReadonlySet<Reason> = new Set(["ParentNotFound", "DependencyNotReady"]);

/** Stalls an object that has waited too long for something that does not exist. It is still reconciled as often. */
export function stallOnMissing({ ports, object, local }: Reconciliation, result: ReconcileResult): ReconcileResult {
  const { clock, random, windows } = ports;
  const missing = whatIsMissing(object, result);
  if (missing === undefined) {
    local.waiting.missing = undefined;
    return result;
  }
  const { what, why } = missing;
  const now = clock.monotonic();
  if (local.waiting.missing?.what !== what) {
    const before = local.waiting.missing === undefined ? reportedFor(object, why, clock.now()) : 0;
    local.waiting.missing = { what, since: now - before };
  }
  if (now - local.waiting.missing.since < windows.missingMs) return result;
  if (result.is === "retry") {
    const again = backoff(local.failures.count, windows, random());
    return { is: "stalled", why, exchange: "failed", again: result.again ?? again };
  }
  const exchange = result.is === "waiting" ? result.exchange : "none";
  return { is: "stalled", why, exchange, again: result.again ?? windows.followMaxMs };
}

/** @returns undefined where nothing is missing, or where the object stays Ready without it */
function whatIsMissing(
  object: KubeObject,
  result: ReconcileResult,
): { readonly what: string; readonly why: StatusReason } | undefined {
  if (result.is !== "waiting" && result.is !== "retry" && result.is !== "held") return undefined;
  const { why } = result;
  const isKept = result.is === "held" && isSettled(object);
  if (isKept || !(result.lacksConnection || MISSING_TARGET.has(why.reason))) return undefined;
  // The platform's texts may differ from answer to answer.
  const words = result.is === "retry" ? why.reason : why.message;
  return { what: `${object.metadata.generation ?? 0} ${words}`, why };
}

/** Returns for how long the stored status has reported the same reason. */
function reportedFor(object: KubeObject, { reason }: StatusReason, now: Date): Ms {
  const ready = conditionOf(object, "Ready");
  const isSame = ready?.reason === reason && ready.observedGeneration === (object.metadata.generation ?? 0);
  const ms = isSame ? now.getTime() - Date.parse(ready.lastTransitionTime) : 0;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
