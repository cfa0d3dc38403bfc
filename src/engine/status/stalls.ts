/**
 * Detects an object that waits too long: for work of the platform that makes no progress, or for an
 * object that does not exist. It then reports that a person is needed, and is still reconciled.
 */
import type { Reason } from "../../api/reasons.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { WorkSince } from "../context/local-state.ts";
import type { Ms, Why } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import { conditionOf, isSettled } from "../contract/status.ts";
import type { ReconcileResult } from "./build.ts";
import type { Reconciliation, Resolved } from "./reconciliation.ts";

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
  why: Why,
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
export function isLate({ ports, object, local, policies }: Resolved, why: Why): boolean {
  const { progressDeadlineMs: deadlineMs } = policies;
  const now = ports.clock.monotonic();
  local.waiting.work = workOf(object, local.waiting.work, why, { deadlineMs, now });
  return local.waiting.work !== undefined && isOverdue(local.waiting.work, deadlineMs, now);
}

/**
 * Returns the reason for overdue work. After an unknown state, which may last for ever, a deletion gives up.
 * @param why why the object waits
 */
export function overdue({ reason, message }: Why): Why {
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
export function refusedForLong({ message }: Why): Why {
  const advice =
    "The platform has refused the request for spec.lifecycle.progressDeadline (1h where it is not set). The operator " +
    "sends it again after the same time, or at once with the annotation platform-operator.io/reconcile-requested-at. " +
    "Check the object on the platform.";
  return { reason: "ProgressDeadlineExceeded", message: `${message} ${advice}` };
}

/** Returns for how long a rejected request is not sent again. @param why the reason that was reported */
export function restAfter({ reason }: Why, deadlineMs: Ms): Ms {
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
): { readonly what: string; readonly why: Why } | undefined {
  if (result.is !== "waiting" && result.is !== "retry" && result.is !== "held") return undefined;
  const { why } = result;
  const isKept = result.is === "held" && isSettled(object);
  if (isKept || !(result.lacksConnection || MISSING_TARGET.has(why.reason))) return undefined;
  // The platform's texts may differ from answer to answer.
  const words = result.is === "retry" ? why.reason : why.message;
  return { what: `${object.metadata.generation ?? 0} ${words}`, why };
}

/** Returns for how long the stored status has reported the same reason. */
function reportedFor(object: KubeObject, { reason }: Why, now: Date): Ms {
  const ready = conditionOf(object, "Ready");
  const isSame = ready?.reason === reason && ready.observedGeneration === (object.metadata.generation ?? 0);
  const ms = isSame ? now.getTime() - Date.parse(ready.lastTransitionTime) : 0;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
