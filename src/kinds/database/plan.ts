/** Plans a database: a list of checks, of which the first difference wins. Pure. */
import type { Plan, Uuid } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { checkIdentity, checkPlace, planNew } from "../service/identity.ts";
import type { Progress } from "../service/progress.ts";
import { planRemoval } from "../service/removal.ts";
import { checkBusy, checkUnclear, stalled } from "../service/steps.ts";
import { checkSettings as checkServiceSettings } from "../service/update.ts";
import { firstOf } from "../shared/checks.ts";
import { onWhoseRequest } from "../shared/last-operation.ts";
import { checkDeploy, checkUnseen, stop } from "./deploy.ts";
import { stoppedBy } from "./learn.ts";
import { recordOf, type DatabasePass, type Do, type Seen } from "./model.ts";
import { progressOf } from "./progress.ts";
import { declaredSettings, observedSettings } from "./settings.ts";
import { failure } from "./words.ts";

type Check = Plan<Do> | undefined;

/** Returns the next step. */
export function plan(context: DatabasePass, seen: Seen): Plan<Do> {
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
function alike(context: DatabasePass, { siblings }: Seen, found: Plan<Do>): Plan<Do> {
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

function planExisting(context: DatabasePass, seen: Seen): Plan<Do> {
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

function checkSettings(context: DatabasePass, seen: Seen): Check {
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

function checkRunState(context: DatabasePass, status: ServiceStatus, progress: Progress): Check {
  const { phase } = progress;
  if (context.spec.runState !== "Stopped" || phase === "gone") return undefined;
  if (phase === "stopped" || phase === "idle") return { is: "settled" };
  return checkUnclear(progress, "database") ?? stop(context, status);
}

/** Reports what is neither under way nor to be done: a failure, and what others did. */
function checkEnded(context: DatabasePass, { phase, state }: Progress): Check {
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
