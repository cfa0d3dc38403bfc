/**
 * Detects work of the platform that makes no progress (docs/reliability.md C10). It is reported once its deadline
 * passed, and still followed.
 */
import type { Reason } from "../../api/reasons.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Work } from "../context/local-state.ts";
import type { Ms, Why } from "../contract/kind.ts";
import { conditionOf } from "../contract/status.ts";
import type { Resolved } from "./reconciliation.ts";

/** What the platform works on. Each state ends by itself, or progresses to another one. */
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
]);

/**
 * Records what the platform works on. Every other state is progress. What an earlier process reported as overdue is not
 * started anew.
 * @param before the work at the reconcile before, in this process
 * @param why what is waited for
 * @param deadlineMs how long one state may last; 0: for ever
 * @param now on the monotonic clock
 * @returns undefined where nothing is waited for that the platform does
 */
export function workOf(
  object: KubeObject,
  before: Work | undefined,
  why: Why,
  { deadlineMs, now }: { readonly deadlineMs: Ms; readonly now: Ms },
): Work | undefined {
  const { reason, message } = why;
  if (!WORK.has(reason)) return undefined;
  if (before?.message === message) return before;
  const isReported = conditionOf(object, "Stalled")?.message === overdue(why).message;
  return { message, since: before === undefined && isReported ? now - deadlineMs : now };
}

/** Reports whether the work has lasted too long. */
export function isOverdue({ since }: Work, deadlineMs: Ms, now: Ms): boolean {
  return deadlineMs > 0 && now - since >= deadlineMs;
}

/**
 * Reports whether the platform's work has made no progress for too long. A one-shot object has a time limit of its own.
 */
export function isLate({ ports, kind, object, local, policies }: Resolved, why: Why): boolean {
  if (kind.oneShot !== undefined) return false;
  const { progressDeadlineMs: deadlineMs } = policies;
  const now = ports.clock.monotonic();
  local.work = workOf(object, local.work, why, { deadlineMs, now });
  return local.work !== undefined && isOverdue(local.work, deadlineMs, now);
}

/** Returns the reason for overdue work. @param why what is waited for */
export function overdue({ message }: Why): Why {
  const advice =
    "Nothing changed within spec.lifecycle.progressDeadline (1h where it is not set). Look at it on the platform, and " +
    "cancel or repeat it there if it hangs; the operator goes on following it.";
  return { reason: "ProgressDeadlineExceeded", message: `${message} ${advice}` };
}

/** Returns the reason for a request that the platform keeps refusing. @param why with the platform's words */
export function refusedForLong({ message }: Why): Why {
  const advice =
    "It has been refused for spec.lifecycle.progressDeadline (1h where it is not set), and is sent again after as long, " +
    "or at once with the annotation platform-operator.io/reconcile-requested-at. Look at the platform.";
  return { reason: "ProgressDeadlineExceeded", message: `${message} ${advice}` };
}

/** Returns for how long a rejected request is not sent again. @param why the reason that was reported */
export function restAfter({ reason }: Why, deadlineMs: Ms): Ms {
  return reason === "ProgressDeadlineExceeded" ? deadlineMs : Infinity;
}
