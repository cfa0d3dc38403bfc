/** Plans an application: a list of checks, of which the first difference wins. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { checkIdentity, checkPlace, planNew } from "../service/identity.ts";
import type { Progress } from "../service/progress.ts";
import { planRemoval as planServiceRemoval } from "../service/removal.ts";
import { checkSettings as checkServiceSettings } from "../service/settings.ts";
import { checkBusy, checkUnclear, stop as stopService } from "../service/steps.ts";
import { firstOf, stalled } from "../shared/checks.ts";
import { checkDeploy } from "./deploy.ts";
import { type ApplicationContext, type Do, recordOf, type Seen } from "./model.ts";
import { failedDeployment, progressOf } from "./progress.ts";
import { declaredSettings, observedSettings } from "./settings.ts";
import { isForeign, pendingSecrets, variablesSent } from "./variables.ts";
import { failure, ofCommit } from "./words.ts";

type Check = Plan<Do> | undefined;

/** Returns the next step. */
export function plan(context: ApplicationContext, seen: Seen): Plan<Do> {
  if (context.goal !== "present") return planRemoval(context, seen);
  const place = checkPlace(context, seen);
  if (place !== undefined) return place;
  if (context.id === undefined) return planNew(context, seen, { op: "createApplication", noun: "application" });
  return checkIdentity(context, seen, context.id, "application") ?? planExisting(context, seen);
}

function planExisting(context: ApplicationContext, seen: Seen): Plan<Do> {
  const { status } = seen;
  const progress = progressOf(context, seen);
  if (progress === undefined || status === undefined) return { is: "settled" };
  return firstOf<Do>(context, [
    () => checkSettings(context, seen),
    () => checkVariables(context, seen),
    () => checkProgress(context, progress),
    () => checkRunState(context, status, progress),
    () => checkDeploy(context, seen, status, progress),
    () => checkFailure(context, seen, progress),
    () => checkStopped(context, status),
    () => checkUnclear(progress, "application"),
  ]);
}

function checkSettings(context: ApplicationContext, seen: Seen): Check {
  const record = recordOf(context, seen);
  return checkServiceSettings(context, {
    noun: "application",
    op: "updateApplication",
    declared: declaredSettings(context.spec),
    // Once in a reconcile: what the platform stores differently is reported as drift, and not sent again and again.
    observed: record === undefined || seen.updated ? undefined : observedSettings(record, context.spec),
    written: context.memory.written,
    isShown: record !== undefined,
  });
}

function checkVariables(context: ApplicationContext, seen: Seen): Check {
  // Whether the variables of a service that others deployed are as wanted is unknown while they cannot be read.
  if (seen.variablesFault !== undefined && isForeign(context, seen.status)) return undefined;
  if (!variablesSent(context, seen)) {
    return {
      is: "step",
      step: { repeat: "safe", op: "importVariables", do: { what: "import" }, message: "Import the variables." },
    };
  }
  for (const { name } of pendingSecrets(context)) {
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

function checkProgress(context: ApplicationContext, progress: Progress): Check {
  const commit = progress.ours ? context.memory.lastDeployment?.gitCommitId : undefined;
  const busy = checkBusy(progress, ofCommit(commit));
  if (busy !== undefined || progress.phase !== "gone") return busy;
  const { deploy, runState } = context.spec;
  const isWanted = context.requested !== undefined || context.policies.corrects === "Everything";
  if (
    isWanted &&
    deploy !== undefined &&
    runState === "Running" &&
    !context.policies.blockedOperations.has("deployApplication")
  ) {
    return undefined;
  }
  return stalled(
    "ExternalResourceDeleted",
    "The application was uninstalled on the platform. Nothing is deployed in its place; request a retry with the annotation platform-operator.io/reconcile-requested-at.",
  );
}

function checkRunState(context: ApplicationContext, status: ServiceStatus, progress: Progress): Check {
  if (context.spec.runState !== "Stopped") return undefined;
  if (progress.phase === "stopped" || progress.phase === "idle") return { is: "settled" };
  return checkUnclear(progress, "application") ?? stop(context, status);
}

function checkFailure(context: ApplicationContext, seen: Seen, progress: Progress): Check {
  if (progress.phase !== "failed") return undefined;
  return { is: "stalled", why: failure(progress.state, failedDeployment(context, seen)?.gitCommitId) };
}

/** Reports an out-of-band stop, and does not revert it. */
function checkStopped(context: ApplicationContext, status: ServiceStatus): Check {
  const { deploy, runState } = context.spec;
  if (servicePhase(status.state) !== "stopped" || deploy === undefined || runState === "Stopped") return undefined;
  return stalled(
    "DriftDetected",
    "The application was stopped on the platform, but spec.runState is Running. Start it with the annotation platform-operator.io/reconcile-requested-at, or set spec.runState to Stopped.",
  );
}

/** Stops the application where the platform can. */
export function stop(context: ApplicationContext, status: ServiceStatus): Plan<Do> {
  if (context.supports("stopApplication") === "Unsupported") {
    return stalled(
      "NotSupportedByApi",
      "The platform's surface has no stop of applications. Set spec.runState to Running, or stop it on the platform.",
    );
  }
  const failed = (state: string) => failure(state, undefined);
  return stopService(context, status, { op: "stopApplication", noun: "application", failed });
}

/** Returns the plan for the goals "stopped" and "absent". */
export function planRemoval(context: ApplicationContext, seen: Seen): Plan<Do> {
  return planServiceRemoval<Do>(context, seen, {
    noun: "application",
    op: "deleteApplication",
    do: { what: "delete" },
    stop: (status) => stop(context, status),
  });
}
