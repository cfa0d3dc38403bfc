/** Builds the report of a database. Pure. */
import type { ConditionFact, DriftField, JsonObject, Report, Why } from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { hasFailed } from "../service/baseline.ts";
import { lastFailureOf, runStateDrift, runStateOf, stoppingOf } from "../service/history.ts";
import { carries } from "../service/progress.ts";
import { memorable, revisionOf, settingsDrift, shownField } from "../service/settings.ts";
import { shownState, stateCondition } from "../service/words.ts";
import { fitOptional } from "../shared/text.ts";
import type { DatabaseMemory } from "./crd.ts";
import { recordOf, type DatabaseContext, type Seen, typeCheckOf, typeCondition, failure } from "./model.ts";
import { failedDeployment, followed, isPending, progressOf } from "./progress.ts";
import { declaredSettings, observedSettings, shownRecord } from "./settings.ts";

export function report(context: DatabaseContext, seen: Seen): Report {
  const typeCheck = typeCheckOf(context, seen);
  // What is not this resource's, or not yet, is neither reported nor remembered.
  if (context.identitySource !== "recorded") {
    return { ready: ready(context, seen), conditions: typeCondition(context, seen), status: { typeCheck } };
  }
  const fields = drift(context, seen);
  const differs = fields.length > 0;
  return {
    ready: ready(context, seen),
    conditions: [...deployed(seen), ...upToDate(context, seen), ...typeCondition(context, seen)],
    status: { ...statusOf(context, seen), typeCheck },
    ...(differs || seen.siblings !== undefined ? { drift: fields } : {}),
  };
}

function statusOf(context: DatabaseContext, seen: Seen): JsonObject {
  const { status, unseen } = seen;
  const stopping = unseen === undefined ? stoppingOf(context, status) : context.memory.stopping;
  return {
    ...shownRecord({ ...recordOf(context, seen) }),
    state: status === undefined || unseen !== undefined ? undefined : shownState(status.state),
    // The documented surface shows it in answers alone, and not how it is later.
    serviceDeploymentStatus:
      context.supports("listServiceStatuses") === "Supported"
        ? fitOptional(status?.serviceDeploymentStatus)
        : undefined,
    environmentId: context.inputs.environmentId,
    lastDeployment: followed(context, seen),
    lastFailure: lastFailure(context, seen),
    written: written(context, seen),
    runState: runStateOf(context, context.spec.runState, seen),
    stopping,
    stopRequestId: stopping === undefined ? undefined : context.memory.stopRequestId,
  };
}

function ready(context: DatabaseContext, { status, unseen }: Seen): Why {
  if (unseen !== undefined) return unseen;
  const phase = servicePhase(status?.state ?? "");
  const what = `Database "${context.spec.name}"`;
  if (phase === "running")
    return {
      reason: "Available",
      message:
        context.supports("listServiceStatuses") === "Supported"
          ? `${what} runs.`
          : `${what} was deployed; the platform's surface does not show what became of it since.`,
    };
  return context.spec.runState === "Stopped"
    ? { reason: "Stopped", message: "The database is stopped, as spec.runState says." }
    : { reason: "NotDeployed", message: `${what} exists on the platform, and is not deployed.` };
}

function deployed({ status, unseen }: Seen): readonly ConditionFact[] {
  if (unseen !== undefined) return [{ type: "Deployed", status: "Unknown", ...unseen }];
  return status === undefined ? [] : [stateCondition("Deployed", status.state, "database")];
}

/**
 * Reports whether the last change is deployed. For a database that was stopped before it ever ran there is no such
 * condition.
 */
function upToDate(context: DatabaseContext, seen: Seen): readonly ConditionFact[] {
  const phase = progressOf(context, seen)?.phase;
  if (phase === undefined || (phase === "idle" && context.spec.runState === "Stopped")) return [];
  const last = followed(context, seen);
  if (carries(phase, last) && last !== undefined && !isPending(context, last) && !hasFailed(last)) {
    return [{ type: "UpToDate", status: "True", reason: "UpToDate", message: "What was written last is deployed." }];
  }
  const message = "The settings that were written last are not deployed yet.";
  return [{ type: "UpToDate", status: "False", reason: "DeployPending", message }];
}

/** Kept until a deployment succeeds. */
function lastFailure(context: DatabaseContext, seen: Seen): DatabaseMemory["lastFailure"] {
  const { requestId } = failedDeployment(context, seen) ?? {};
  const of = (state: string) => ({
    state,
    message: failure(state).message,
    ...(requestId === undefined ? {} : { requestId }),
  });
  return lastFailureOf(context.memory.lastFailure, progressOf(context, seen), of, context.now);
}

/** Returns what the operator wrote. For an adopted database, the spec at that time is the baseline. */
function written({ memory, spec }: DatabaseContext, { status }: Seen): DatabaseMemory["written"] {
  if (status === undefined) return memory.written;
  return { revision: revisionOf(memory), settings: { ...memorable(declaredSettings(spec)) }, ...memory.written };
}

/** Returns where the platform differs, as far as it shows it. */
function drift(context: DatabaseContext, seen: Seen): readonly DriftField[] {
  const { status } = seen;
  if (status === undefined) return [];
  const record = recordOf(context, seen);
  const settings = record && settingsDrift(declaredSettings(context.spec), observedSettings(record));
  return [
    ...(settings ?? []).map(shownField),
    ...deploymentDrift(context, seen),
    ...runStateDrift(context, context.spec.runState, seen),
  ];
}

/** Returns drift of the deployment once the operator's own is over: changes of others that are not deployed. */
function deploymentDrift(context: DatabaseContext, seen: Seen): readonly DriftField[] {
  const last = followed(context, seen);
  const { state = "", serviceDeploymentStatus } = seen.status ?? {};
  const isOver = last?.finishedAt !== undefined && servicePhase(state) === "running" && !isPending(context, last);
  return isOver && serviceDeploymentStatus === "OUT_OF_DATE"
    ? [{ path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" }]
    : [];
}
