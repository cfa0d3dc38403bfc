/** Work of the platform that does not get on (docs/reliability.md C10): told once its deadline is over, and still followed. */
import type { Reason } from "../../api/reasons.ts";
import type { Clock, KubeObject } from "../../kube/api/types.ts";
import type { LocalState, Work } from "../context/local-state.ts";
import type { Ms, Why } from "../contract/kind.ts";
import { conditionOf } from "../contract/status.ts";
import type { Policies } from "../policies/policy.ts";

/** What the platform is at; each ends by itself, or shows progress in another state. */
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
 * Takes down what the platform is at. Every other state is progress; what an earlier process told to be overdue is not
 * begun anew.
 * @param before of the pass before, in this process
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
  const told = conditionOf(object, "Stalled")?.message === overdue(why).message;
  return { message, since: before === undefined && told ? now - deadlineMs : now };
}

/** Whether it has lasted too long. */
export function isOverdue({ since }: Work, deadlineMs: Ms, now: Ms): boolean {
  return deadlineMs > 0 && now - since >= deadlineMs;
}

/** Whether what the platform is at has not got on for too long. A task has a time limit of its own. */
export function isLate(
  clock: Pick<Clock, "monotonic">,
  kind: { readonly oneShot?: unknown },
  frame: {
    readonly object: KubeObject;
    readonly local: Pick<LocalState, "work">;
    readonly policies: Pick<Policies, "progressDeadlineMs">;
  },
  why: Why,
): boolean {
  if (kind.oneShot !== undefined) return false;
  const { object, local, policies } = frame;
  const { progressDeadlineMs: deadlineMs } = policies;
  const now = clock.monotonic();
  local.work = workOf(object, local.work, why, { deadlineMs, now });
  return local.work !== undefined && isOverdue(local.work, deadlineMs, now);
}

/** What is said of it then. @param why what is waited for */
export function overdue({ message }: Why): Why {
  const advice =
    "Nothing changed within spec.lifecycle.progressDeadline (1h where it is not set). Look at it on the platform, and " +
    "cancel or repeat it there if it hangs; the operator goes on following it.";
  return { reason: "ProgressDeadlineExceeded", message: `${message} ${advice}` };
}

/** What is said of a request that the platform refuses for as long. @param why with the platform's words */
export function refusedForLong({ message }: Why): Why {
  const advice =
    "It has been refused for spec.lifecycle.progressDeadline (1h where it is not set), and is sent again after as long, " +
    "or at once with the annotation platform-operator.io/reconcile-requested-at. Look at the platform.";
  return { reason: "ProgressDeadlineExceeded", message: `${message} ${advice}` };
}

/** For how long a request that was rejected is not sent again. @param why what was said of it */
export function restAfter({ reason }: Why, deadlineMs: Ms): Ms {
  return reason === "ProgressDeadlineExceeded" ? deadlineMs : Infinity;
}
