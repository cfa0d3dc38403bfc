/** Decides whether the database is to be deployed or stopped now. Pure. */
import type { Plan, Why } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Progress } from "../service/progress.ts";
import { retryIn, waitToRetry } from "../service/retry.ts";
import { revisionOf } from "../service/settings.ts";
import { startDue, once, stalled, stop as stopService } from "../service/steps.ts";
import { orderMark } from "../service/trace.ts";
import { onWhoseRequest } from "../shared/last-operation.ts";
import { unwantedRunState } from "./learn.ts";
import type { DatabasePass, Do, Seen } from "./model.ts";
import { followed, isPending } from "./progress.ts";
import { failure } from "./words.ts";

/**
 * Returns the step, if one is due: never deployed, settings written, a start of what was stopped, or another attempt.
 */
export function checkDeploy(context: DatabasePass, seen: Seen, progress: Progress): Plan<Do> | undefined {
  if (context.spec.runState === "Stopped") return undefined;
  const start = startDue(context, progress);
  if (start !== undefined) return deployment(context, seen.status, { corrects: start === "corrects" });
  // Somebody stopped it: changes are deployed with the next start.
  if (progress.phase === "stopped" || progress.phase === "gone") return undefined;
  const last = followed(context, seen);
  if (last === undefined || isPending(context, last) || isAsked(context, progress, last.retry)) {
    return deployment(context, seen.status, {});
  }
  const left = retryIn(context, last, progress);
  if (left === undefined) return undefined;
  if (left > 0) return waitToRetry(left, failure(progress.state), progress.state, "the database");
  return deployment(context, seen.status, { attempts: (last.attempts ?? 0) + 1 });
}

/** Where the state is not observed, only earlier requests tell what to request. */
export function checkUnseen(context: DatabasePass, { status, ordered }: Seen): Plan<Do> | undefined {
  if (ordered || status === undefined) return undefined;
  const { runState = "Running" } = context.memory;
  const asked = isAskedUnseen(context);
  const unwanted = asked ? undefined : unwantedRunState(context);
  if (unwanted === undefined && !asked && runState === context.spec.runState) return undefined;
  if (unwanted !== undefined && context.corrects !== "Everything") return changed(context, unwanted);
  if (context.spec.runState === "Stopped") return stop(context, status);
  return deployment(context, status, { corrects: unwanted !== undefined });
}

function isAskedUnseen({ requested, memory }: DatabasePass): boolean {
  return requested !== undefined && requested !== memory.lastDeployment?.retry;
}

/** Reports whether an operation stopped or deployed it, and its end is not shown. */
function changed({ memory, spec }: DatabasePass, to: "Running" | "Stopped"): Plan<never> {
  const done = to === "Stopped" ? "stopped" : "deployed";
  const message = `The database was ${done} ${onWhoseRequest(memory.lastOperation)}, but spec.runState is ${spec.runState}, and the platform's surface does not show how that ended. To undo it, use the annotation platform-operator.io/reconcile-requested-at; or set spec.runState to ${to}.`;
  return stalled("DriftDetected", message);
}

/** Stops the database. Every surface can. */
export function stop(context: DatabasePass, status: ServiceStatus): Plan<Do> {
  return stopService(context, status, { op: "stopDatabase", noun: "database", failed: failure });
}

/** Reports whether the user asks to retry what failed, or what is in a state that says nothing; once per token. */
function isAsked({ requested }: DatabasePass, { phase }: Progress, handled: string | undefined): boolean {
  return (phase === "failed" || phase === "unknown") && requested !== undefined && requested !== handled;
}

function deployment(
  context: DatabasePass,
  status: ServiceStatus | undefined,
  { corrects = false, attempts }: { readonly corrects?: boolean; readonly attempts?: number },
): Plan<Do> {
  const why: Why = { reason: "Deploying", message: "The database is being deployed." };
  const mark = orderMark(context, status, { settings: revisionOf(context.memory), attempts });
  return once("deployDatabase", { what: "deploy", retry: context.requested, attempts }, why, {
    mark,
    corrects,
    retries: attempts !== undefined,
  });
}
