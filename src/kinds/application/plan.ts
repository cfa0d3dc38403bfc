/** What an application needs next: a list of checks, the first difference wins. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { checkIdentity, checkPlace, planNew } from "../service/identity.ts";
import type { Progress } from "../service/progress.ts";
import { checkBusy, checkUnclear, stalled } from "../service/steps.ts";
import { checkSettings as checkServiceSettings } from "../service/update.ts";
import { firstOf } from "../shared/checks.ts";
import { checkDeploy } from "./deploy.ts";
import { recordOf, type ApplicationPass, type Do, type Seen } from "./model.ts";
import { failedDeployment, progressOf } from "./progress.ts";
import { declaredSettings, observedSettings } from "./settings.ts";
import { planRemoval, stop } from "./steps.ts";
import { isForeign, pendingSecrets, variablesSent } from "./variables.ts";
import { failure, ofCommit } from "./words.ts";

type Check = Plan<Do> | undefined;

/** What to do next. */
export function plan(pass: ApplicationPass, seen: Seen): Plan<Do> {
  if (pass.goal !== "present") return planRemoval(pass, seen);
  const place = checkPlace(pass, seen);
  if (place !== undefined) return place;
  if (pass.id === undefined) return planNew(pass, seen, { op: "createApplication", noun: "application" });
  return checkIdentity(pass, seen, pass.id, "application") ?? planExisting(pass, seen);
}

function planExisting(pass: ApplicationPass, seen: Seen): Plan<Do> {
  const { status } = seen;
  const progress = progressOf(pass, seen);
  if (progress === undefined || status === undefined) return { is: "settled" };
  return firstOf<Do>(pass, [
    () => checkSettings(pass, seen),
    () => checkVariables(pass, seen),
    () => checkProgress(pass, progress),
    () => checkRunState(pass, status, progress),
    () => checkDeploy(pass, seen, status, progress),
    () => checkFailure(pass, seen, progress),
    () => checkStopped(pass, status),
    () => checkUnclear(progress, "application"),
  ]);
}

function checkSettings(pass: ApplicationPass, seen: Seen): Check {
  const record = recordOf(pass, seen);
  return checkServiceSettings(pass, {
    noun: "application",
    op: "updateApplication",
    declared: declaredSettings(pass.spec),
    // Once in a pass: what the platform stores otherwise is told as drift, and not sent over and over again.
    observed: record === undefined || seen.updated ? undefined : observedSettings(record, pass.spec),
    written: pass.memory.written,
    isShown: record !== undefined,
  });
}

function checkVariables(pass: ApplicationPass, seen: Seen): Check {
  // Whether those of a service that others deployed are as wanted is not known while they cannot be read.
  if (seen.variablesFault !== undefined && isForeign(pass, seen.status)) return undefined;
  if (!variablesSent(pass, seen)) {
    return {
      is: "step",
      step: { repeat: "safe", op: "importVariables", do: { what: "import" }, message: "Import the variables." },
    };
  }
  for (const { name } of pendingSecrets(pass)) {
    const secretId = seen.secretIds.get(name);
    if (secretId !== undefined) {
      return {
        is: "step",
        step: {
          repeat: "safe",
          op: "updateSecret",
          do: { what: "secret", name, secretId },
          message: `Replace the secret ${name}.`,
        },
      };
    }
  }
  return undefined;
}

function checkProgress(pass: ApplicationPass, progress: Progress): Check {
  const commit = progress.ours ? pass.memory.lastDeployment?.gitCommitId : undefined;
  const busy = checkBusy(progress, ofCommit(commit));
  if (busy !== undefined || progress.phase !== "gone") return busy;
  const { deploy, runState } = pass.spec;
  const isWanted = pass.requested !== undefined || pass.corrects === "Everything";
  if (isWanted && deploy !== undefined && runState === "Running" && !pass.withheld.has("deployApplication")) {
    return undefined;
  }
  return stalled(
    "ExternalResourceDeleted",
    "The application was uninstalled on the platform. Nothing is deployed in its place; request a retry with the annotation platform-operator.io/reconcile-requested-at.",
  );
}

function checkRunState(pass: ApplicationPass, status: ServiceStatus, progress: Progress): Check {
  if (pass.spec.runState !== "Stopped") return undefined;
  if (progress.phase === "stopped" || progress.phase === "idle") return { is: "settled" };
  return checkUnclear(progress, "application") ?? stop(pass, status);
}

function checkFailure(pass: ApplicationPass, seen: Seen, progress: Progress): Check {
  if (progress.phase !== "failed") return undefined;
  return { is: "stalled", why: failure(progress.state, failedDeployment(pass, seen)?.gitCommitId) };
}

/** An out-of-band stop is told, not undone. */
function checkStopped(pass: ApplicationPass, status: ServiceStatus): Check {
  const { deploy, runState } = pass.spec;
  if (servicePhase(status.state) !== "stopped" || deploy === undefined || runState === "Stopped") return undefined;
  return stalled(
    "DriftDetected",
    "The application was stopped on the platform, but spec.runState is Running. Start it with the annotation platform-operator.io/reconcile-requested-at, or set spec.runState to Stopped.",
  );
}
