/** What a database needs next: a list of checks, the first difference wins. Pure. */
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

/** What to do next. */
export function plan(pass: DatabasePass, seen: Seen): Plan<Do> {
  if (pass.goal !== "present") {
    return planRemoval<Do>(pass, seen, {
      noun: "database",
      op: "deleteDatabase",
      do: { what: "delete" },
      unseen: seen.unseen,
      stop: (status) => stop(pass, status),
    });
  }
  const place = checkPlace(pass, seen);
  if (place !== undefined) return place;
  if (pass.id === undefined) {
    return alike(pass, seen, planNew(pass, seen, { op: "createDatabase", noun: "database" }));
  }
  const found = checkIdentity(pass, seen, pass.id, "database");
  return found === undefined ? planExisting(pass, seen) : alike(pass, seen, found);
}

/** Takes over only what is of the type and mode of the spec: neither can be changed. */
function alike(pass: DatabasePass, { siblings }: Seen, found: Plan<Do>): Plan<Do> {
  if (found.is !== "adopt") return found;
  const record = siblings?.find(({ id }) => id === found.id);
  for (const field of ["type", "mode"] as const) {
    const there = record?.[field];
    if (there !== undefined && there !== pass.spec[field]) return stalled("InvalidSpec", unlike(field, found.id));
  }
  return found;
}

function unlike(field: "type" | "mode", id: Uuid): string {
  return `The database ${id} on the platform has another ${field} than spec.${field} says, and it cannot be changed. Fix spec.${field}, or choose another spec.name.`;
}

function planExisting(pass: DatabasePass, seen: Seen): Plan<Do> {
  const { status } = seen;
  const progress = progressOf(pass, seen);
  if (progress === undefined || status === undefined) {
    return firstOf<Do>(pass, [() => checkSettings(pass, seen), () => checkUnseen(pass, seen)]);
  }
  return firstOf<Do>(pass, [
    () => checkSettings(pass, seen),
    () => checkBusy(progress),
    () => checkRunState(pass, status, progress),
    () => checkDeploy(pass, seen, progress),
    () => checkEnded(pass, progress),
    () => checkUnclear(progress, "database"),
  ]);
}

function checkSettings(pass: DatabasePass, seen: Seen): Check {
  const record = recordOf(pass, seen);
  return checkServiceSettings(pass, {
    noun: "database",
    op: "updateDatabase",
    declared: declaredSettings(pass.spec),
    // Once in a pass: what the platform stores otherwise is told as drift, and not sent over and over again.
    observed: record === undefined || seen.updated ? undefined : observedSettings(record),
    written: pass.memory.written,
    isShown: record !== undefined,
  });
}

function checkRunState(pass: DatabasePass, status: ServiceStatus, progress: Progress): Check {
  const { phase } = progress;
  if (pass.spec.runState !== "Stopped" || phase === "gone") return undefined;
  if (phase === "stopped" || phase === "idle") return { is: "settled" };
  return checkUnclear(progress, "database") ?? stop(pass, status);
}

/** What is neither under way nor to be done by us: a failure, and what others did, is told. */
function checkEnded(pass: DatabasePass, { phase, state }: Progress): Check {
  const { spec } = pass;
  const ask = "request it with the annotation platform-operator.io/reconcile-requested-at";
  if (phase === "failed") return { is: "stalled", why: failure(state) };
  if (phase === "gone") {
    const message = `The database was uninstalled on the platform. Nothing is deployed in its place; ${ask}.`;
    return stalled("ExternalResourceDeleted", message);
  }
  if (phase !== "stopped" || spec.runState === "Stopped") return undefined;
  const message = `The database was stopped ${onWhoseRequest(stoppedBy(pass))}, but spec.runState is Running. To start it, ${ask}, or set spec.runState to Stopped.`;
  return stalled("DriftDetected", message);
}
