/** Plans a database: a list of checks, of which the first difference wins. Pure. */
import type { Plan, Uuid, Why } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { checkIdentity, checkPlace, planNew } from "../service/identity.ts";
import { type Progress, retryIn, waitToRetry } from "../service/progress.ts";
import { planRemoval } from "../service/removal.ts";
import { revisionOf, checkSettings as checkServiceSettings } from "../service/settings.ts";
import { checkBusy, checkUnclear, startDue, stop as stopService } from "../service/steps.ts";
import { orderMark } from "../service/trace.ts";
import { firstOf, once, stalled } from "../shared/checks.ts";
import { onWhoseRequest } from "../shared/last-operation.ts";
import { stoppedBy, unwantedRunState } from "./actions.ts";
import { type DatabaseContext, type Do, recordOf, type Seen, failure } from "./model.ts";
import { followed, isPending, progressOf } from "./progress.ts";
import { declaredSettings, observedSettings } from "./settings.ts";

type Check = Plan<Do> | undefined;

/** Returns the next step. */
export function plan(context: DatabaseContext, seen: Seen): Plan<Do> {
  if (context.goal !== "present") {
    return planRemoval<Do>(context, seen, {
      noun: "database",
      op: "deleteDatabase",
      do: { what: "delete" },
      unseen: seen.unseen,
      stop: (status) => stop(context, status),
    });
  }
  const place = checkPlace(context, seen);
  if (place !== undefined) return place;
  if (context.id === undefined) {
    return alike(context, seen, planNew(context, seen, { op: "createDatabase", noun: "database" }));
  }
  const found = checkIdentity(context, seen, context.id, "database");
  return found === undefined ? planExisting(context, seen) : alike(context, seen, found);
}

/** Adopts only a database of the spec's type and mode: neither can be changed. */
function alike(context: DatabaseContext, { siblings }: Seen, found: Plan<Do>): Plan<Do> {
  if (found.is !== "adopt") return found;
  const record = siblings?.find(({ id }) => id === found.id);
  for (const field of ["type", "mode"] as const) {
    const there = record?.[field];
    if (there !== undefined && there !== context.spec[field]) return stalled("InvalidSpec", unlike(field, found.id));
  }
  return found;
}

function unlike(field: "type" | "mode", id: Uuid): string {
  return `The database ${id} on the platform has another ${field} than spec.${field} says, and it cannot be changed. Fix spec.${field}, or choose another spec.name.`;
}

function planExisting(context: DatabaseContext, seen: Seen): Plan<Do> {
  const { status } = seen;
  const progress = progressOf(context, seen);
  if (progress === undefined || status === undefined) {
    return firstOf<Do>(context, [() => checkSettings(context, seen), () => checkUnseen(context, seen)]);
  }
  return firstOf<Do>(context, [
    () => checkSettings(context, seen),
    () => checkBusy(progress),
    () => checkRunState(context, status, progress),
    () => checkDeploy(context, seen, progress),
    () => checkEnded(context, progress),
    () => checkUnclear(progress, "database"),
  ]);
}

function checkSettings(context: DatabaseContext, seen: Seen): Check {
  const record = recordOf(context, seen);
  return checkServiceSettings(context, {
    noun: "database",
    op: "updateDatabase",
    declared: declaredSettings(context.spec),
    // Once in a reconcile: what the platform stores differently is reported as drift, and not sent again and again.
    observed: record === undefined || seen.updated ? undefined : observedSettings(record),
    written: context.memory.written,
    isShown: record !== undefined,
  });
}

function checkRunState(context: DatabaseContext, status: ServiceStatus, progress: Progress): Check {
  const { phase } = progress;
  if (context.spec.runState !== "Stopped" || phase === "gone") return undefined;
  if (phase === "stopped" || phase === "idle") return { is: "settled" };
  return checkUnclear(progress, "database") ?? stop(context, status);
}

/** Reports what is neither under way nor to be done: a failure, and what others did. */
function checkEnded(context: DatabaseContext, { phase, state }: Progress): Check {
  const { spec } = context;
  const ask = "request it with the annotation platform-operator.io/reconcile-requested-at";
  if (phase === "failed") return { is: "stalled", why: failure(state) };
  if (phase === "gone") {
    const message = `The database was uninstalled on the platform. Nothing is deployed in its place; ${ask}.`;
    return stalled("ExternalResourceDeleted", message);
  }
  if (phase !== "stopped" || spec.runState === "Stopped") return undefined;
  const message = `The database was stopped ${onWhoseRequest(stoppedBy(context))}, but spec.runState is Running. To start it, ${ask}, or set spec.runState to Stopped.`;
  return stalled("DriftDetected", message);
}

/**
 * Returns the step, if one is due: never deployed, settings written, a start of what was stopped, or another attempt.
 */
export function checkDeploy(context: DatabaseContext, seen: Seen, progress: Progress): Plan<Do> | undefined {
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
export function checkUnseen(context: DatabaseContext, { status, ordered }: Seen): Plan<Do> | undefined {
  if (ordered || status === undefined) return undefined;
  const { runState = "Running" } = context.memory;
  const asked = isAskedUnseen(context);
  const unwanted = asked ? undefined : unwantedRunState(context);
  if (unwanted === undefined && !asked && runState === context.spec.runState) return undefined;
  if (unwanted !== undefined && context.policies.corrects !== "Everything") return changed(context, unwanted);
  if (context.spec.runState === "Stopped") return stop(context, status);
  return deployment(context, status, { corrects: unwanted !== undefined });
}

function isAskedUnseen({ requested, memory }: DatabaseContext): boolean {
  return requested !== undefined && requested !== memory.lastDeployment?.retry;
}

/** Reports whether an operation stopped or deployed it, and its end is not shown. */
function changed({ memory, spec }: DatabaseContext, to: "Running" | "Stopped"): Plan<never> {
  const done = to === "Stopped" ? "stopped" : "deployed";
  const message = `The database was ${done} ${onWhoseRequest(memory.lastOperation)}, but spec.runState is ${spec.runState}, and the platform's surface does not show how that ended. To undo it, use the annotation platform-operator.io/reconcile-requested-at; or set spec.runState to ${to}.`;
  return stalled("DriftDetected", message);
}

/** Stops the database. Every surface can. */
export function stop(context: DatabaseContext, status: ServiceStatus): Plan<Do> {
  return stopService(context, status, { op: "stopDatabase", noun: "database", failed: failure });
}

/** Reports whether the user asks to retry what failed, or what is in a state that says nothing; once per token. */
function isAsked({ requested }: DatabaseContext, { phase }: Progress, handled: string | undefined): boolean {
  return (phase === "failed" || phase === "unknown") && requested !== undefined && requested !== handled;
}

function deployment(
  context: DatabaseContext,
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
