/** What a database's status says. Pure. */
import type { ConditionFact, DriftField, JsonObject, Report, Why } from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { hasFailed } from "../service/baseline.ts";
import { lastFailureOf, runStateDrift, runStateOf, stoppingOf } from "../service/history.ts";
import { carries } from "../service/progress.ts";
import { memorable, revisionOf, settingsDrift, shownField } from "../service/settings.ts";
import { shownState, stateCondition } from "../service/words.ts";
import { fitOptional } from "../shared/text.ts";
import type { DatabaseMemory } from "./crd.ts";
import { recordOf, type DatabasePass, type Seen } from "./model.ts";
import { failedDeployment, followed, isPending, progressOf } from "./progress.ts";
import { declaredSettings, observedSettings, shownRecord } from "./settings.ts";
import { typeCheckOf, typeCondition } from "./types.ts";
import { failure } from "./words.ts";

export function report(pass: DatabasePass, seen: Seen): Report {
  const typeCheck = typeCheckOf(pass, seen);
  // Of what is not ours, or not yet, nothing is told or remembered.
  if (pass.proof !== "recorded") {
    return { ready: ready(pass, seen), conditions: typeCondition(pass, seen), status: { typeCheck } };
  }
  const fields = drift(pass, seen);
  const differs = fields.length > 0;
  return {
    ready: ready(pass, seen),
    conditions: [...deployed(seen), ...upToDate(pass, seen), ...typeCondition(pass, seen)],
    status: { ...statusOf(pass, seen), typeCheck },
    ...(differs || seen.siblings !== undefined ? { drift: fields } : {}),
  };
}

function statusOf(pass: DatabasePass, seen: Seen): JsonObject {
  const { status, unseen } = seen;
  const stopping = unseen === undefined ? stoppingOf(pass, status) : pass.memory.stopping;
  return {
    ...shownRecord({ ...recordOf(pass, seen) }),
    state: status === undefined || unseen !== undefined ? undefined : shownState(status.state),
    // The documented surface shows it in answers alone, and not as it is later.
    serviceDeploymentStatus:
      pass.supports("listServiceStatuses") === "Supported" ? fitOptional(status?.serviceDeploymentStatus) : undefined,
    environmentId: pass.inputs.environmentId,
    lastDeployment: followed(pass, seen),
    lastFailure: lastFailure(pass, seen),
    written: written(pass, seen),
    runState: runStateOf(pass, pass.spec.runState, seen),
    stopping,
    stopRequestId: stopping === undefined ? undefined : pass.memory.stopRequestId,
  };
}

function ready(pass: DatabasePass, { status, unseen }: Seen): Why {
  if (unseen !== undefined) return unseen;
  const phase = servicePhase(status?.state ?? "");
  const what = `Database "${pass.spec.name}"`;
  if (phase === "running")
    return {
      reason: "Available",
      message:
        pass.supports("listServiceStatuses") === "Supported"
          ? `${what} runs.`
          : `${what} was deployed; the platform's surface does not show what became of it since.`,
    };
  return pass.spec.runState === "Stopped"
    ? { reason: "Stopped", message: "The database is stopped, as spec.runState says." }
    : { reason: "NotDeployed", message: `${what} exists on the platform, and is not deployed.` };
}

function deployed({ status, unseen }: Seen): readonly ConditionFact[] {
  if (unseen !== undefined) return [{ type: "Deployed", status: "Unknown", ...unseen }];
  return status === undefined ? [] : [stateCondition("Deployed", status.state, "database")];
}

/** Whether the last thing that was written is deployed; of what was stopped before it ever ran there is nothing to say. */
function upToDate(pass: DatabasePass, seen: Seen): readonly ConditionFact[] {
  const phase = progressOf(pass, seen)?.phase;
  if (phase === undefined || (phase === "idle" && pass.spec.runState === "Stopped")) return [];
  const last = followed(pass, seen);
  if (carries(phase, last) && last !== undefined && !isPending(pass, last) && !hasFailed(last)) {
    return [{ type: "UpToDate", status: "True", reason: "UpToDate", message: "What was written last is deployed." }];
  }
  const message = "The settings that were written last are not deployed yet.";
  return [{ type: "UpToDate", status: "False", reason: "DeployPending", message }];
}

/** Kept until a deployment succeeds. */
function lastFailure(pass: DatabasePass, seen: Seen): DatabaseMemory["lastFailure"] {
  const { requestId } = failedDeployment(pass, seen) ?? {};
  const of = (state: string) => ({
    state,
    message: failure(state).message,
    ...(requestId === undefined ? {} : { requestId }),
  });
  return lastFailureOf(pass.memory.lastFailure, progressOf(pass, seen), of, pass.now);
}

/** What we wrote. Of a database that was taken over, the spec as it was then is the baseline. */
function written({ memory, spec }: DatabasePass, { status }: Seen): DatabaseMemory["written"] {
  if (status === undefined) return memory.written;
  return { revision: revisionOf(memory), settings: { ...memorable(declaredSettings(spec)) }, ...memory.written };
}

/** Where the platform differs, as far as its surface shows it. */
function drift(pass: DatabasePass, seen: Seen): readonly DriftField[] {
  const { status } = seen;
  if (status === undefined) return [];
  const record = recordOf(pass, seen);
  const settings = record && settingsDrift(declaredSettings(pass.spec), observedSettings(record));
  return [
    ...(settings ?? []).map(shownField),
    ...deploymentDrift(pass, seen),
    ...runStateDrift(pass, pass.spec.runState, seen),
  ];
}

/** Told once our own deployment is over: changes that are not ours and not deployed. */
function deploymentDrift(pass: DatabasePass, seen: Seen): readonly DriftField[] {
  const last = followed(pass, seen);
  const { state = "", serviceDeploymentStatus } = seen.status ?? {};
  const isOver = last?.finishedAt !== undefined && servicePhase(state) === "running" && !isPending(pass, last);
  return isOver && serviceDeploymentStatus === "OUT_OF_DATE"
    ? [{ path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" }]
    : [];
}
