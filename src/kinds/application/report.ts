/** What an application's status says. Pure. */
import { refreshed, type ConditionFact, type DriftField, type Report, type Why } from "../../engine/kind.ts";
import { deploymentCondition, fitsReason, servicePhase } from "../../platform/states.ts";
import type { ApplicationMemory, LastDeployment } from "../../resources/application.ts";
import { fit, fitOptional, ID, withoutCredentials } from "../text.ts";
import { deployCause, deployedCommit, hasFailed, lastDeployment, movedPast, sameCommit } from "./deployment.ts";
import { recordOf, type ApplicationPass, type Seen } from "./model.ts";
import { failedDeployment, followed, progressOf, runningCommit } from "./progress.ts";
import { declaredSettings, memorable, observedSettings, settingsDrift } from "./settings.ts";
import { variablesCondition } from "./variables.ts";
import { failure, shortCommit, shownState } from "./words.ts";

export function report(pass: ApplicationPass, seen: Seen): Report {
  // Of what is not ours, or not yet, nothing is told or remembered.
  if (pass.proof !== "recorded") return { ready: ready(pass, seen), conditions: [], status: {} };
  const last = followed(pass, seen);
  const { status, ingress } = seen;
  return {
    ready: ready(pass, seen),
    conditions: [...deployed(seen), ...variablesCondition(pass, seen), ...upToDate(pass, seen), ...ingressReady(seen)],
    status: {
      state: status === undefined ? undefined : shownState(status.state),
      serviceDeploymentStatus: fitOptional(status?.serviceDeploymentStatus),
      environmentId: pass.inputs.environmentId,
      commit: last === undefined ? undefined : shortCommit(last.gitCommitId),
      lastDeployment: last && { ...last, variables: refreshed(last.variables, pass.inputs.fingerprint) },
      lastFailure: lastFailure(pass, seen),
      written: written(pass, seen),
      runState: runState(pass, seen),
      stopping: stopping(pass, seen),
      ingress: ingress && {
        routerId: fitOptional(ingress.routerId, ID),
        status: ingress.status && shownState(ingress.status),
      },
    },
    drift: drift(pass, seen),
  };
}

function ready(pass: ApplicationPass, seen: Seen): Why {
  const phase = servicePhase(seen.status?.state ?? "");
  if (pass.spec.runState === "Stopped")
    return { reason: "Stopped", message: "The application is stopped, as spec.runState says." };
  const what = `Application "${pass.spec.name}"`;
  if (phase !== "running")
    return { reason: "NotDeployed", message: `${what} exists on the platform; nothing is to be deployed.` };
  const commit = runningCommit(pass, seen);
  if (commit === undefined) return { reason: "Available", message: `${what} runs; the platform does not say what.` };
  return { reason: "Deployed", message: `Commit ${shortCommit(commit)} is deployed.` };
}

/** The platform's state verbatim as the reason, where the API server takes it (design §5). */
function stateCondition(type: string, state: string, what: string): ConditionFact {
  const reason = fitsReason(state) ? state : "UnknownState";
  return {
    type,
    status: deploymentCondition(state),
    reason,
    message: `The platform reports ${shownState(state)} for the ${what}.`,
  };
}

function deployed({ status }: Seen): readonly ConditionFact[] {
  return status === undefined ? [] : [stateCondition("Deployed", status.state, "application")];
}

function ingressReady({ ingress }: Seen): readonly ConditionFact[] {
  return ingress?.status === undefined ? [] : [stateCondition("IngressReady", ingress.status, "ingress")];
}

/** Whether the last thing that was written is deployed; without anything to deploy there is no such condition. */
function upToDate(pass: ApplicationPass, seen: Seen): readonly ConditionFact[] {
  const { deploy } = pass.spec;
  if (deploy === undefined || seen.status === undefined) return [];
  const last = lastDeployment(pass, seen);
  const cause = deployCause(pass, last, false);
  const phase = progressOf(pass, seen)?.phase;
  const isBuilt = phase === "running" || phase === "stopped";
  if (cause === undefined && last !== undefined && isBuilt && !isLost(pass, seen, last)) {
    return [{ type: "UpToDate", status: "True", reason: "UpToDate", message: "What was written last is deployed." }];
  }
  const what = cause === undefined || cause === "retry" ? "deployment" : cause;
  const how = deploy.policy === "Manual" ? " spec.deploy.policy is Manual: deploy it on the platform." : "";
  return [
    {
      type: "UpToDate",
      status: "False",
      reason: "DeployPending",
      message: `A change of ${what} is not deployed yet.${how}`,
    },
  ];
}

/** Whether the last deployment failed, and nothing says that its commit was brought out by others since. */
function isLost(pass: ApplicationPass, seen: Seen, last: LastDeployment): boolean {
  const commit = deployedCommit(pass, seen);
  return hasFailed(last) && (commit === undefined || !sameCommit(commit, last.gitCommitId));
}

/** Kept until a deployment succeeds. The time is of the first report. */
function lastFailure(pass: ApplicationPass, seen: Seen): ApplicationMemory["lastFailure"] {
  const progress = progressOf(pass, seen);
  const kept = pass.memory.lastFailure;
  if (progress?.phase === "running") return undefined;
  if (progress?.phase !== "failed") return kept;
  const { gitCommitId, requestId } = failedDeployment(pass, seen) ?? {};
  const now = {
    state: shownState(progress.state),
    message: failure(progress.state, gitCommitId).message,
    ...(gitCommitId === undefined ? {} : { gitCommitId }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  const { at, ...before } = kept ?? {};
  return { ...now, at: at !== undefined && sameFailure(now, before) ? at : pass.now.toISOString() };
}

type Failure = Partial<NonNullable<ApplicationMemory["lastFailure"]>>;

function sameFailure(left: Failure, right: Failure): boolean {
  return left.state === right.state && left.gitCommitId === right.gitCommitId && left.requestId === right.requestId;
}

/** The run state that we last brought about. What we stopped and finds itself running again, others have started. */
function runState({ memory, spec }: ApplicationPass, { status }: Seen): ApplicationMemory["runState"] {
  const started = spec.runState === "Running" && servicePhase(status?.state ?? "") === "running";
  return started && memory.runState === "Stopped" ? "Running" : memory.runState;
}

/** An order to stop is open until the service is stopped, or shows something new and is not at work. */
function stopping({ memory }: ApplicationPass, { status }: Seen): string | undefined {
  const before = memory.stopping;
  const phase = servicePhase(status?.state ?? "");
  const over = phase === "stopped" || (phase !== "busy" && status !== undefined && movedPast(before, status));
  return over ? undefined : before;
}

/** What we wrote. Of a service that was taken over, the spec as it was then is the baseline. */
function written(pass: ApplicationPass, seen: Seen): ApplicationMemory["written"] {
  const known = pass.memory.written;
  if (seen.status === undefined) return known;
  const settings = known?.settings ?? memorable(declaredSettings(pass.spec));
  const foreign =
    known?.variables === undefined &&
    seen.keys !== undefined &&
    pass.inputs.variables.every(({ name }) => seen.keys?.has(name));
  const variables = foreign
    ? { variables: { ...pass.inputs.fingerprint }, variableNames: pass.inputs.variables.map(({ name }) => name) }
    : { variables: refreshed(known?.variables, pass.inputs.fingerprint) };
  return { revision: 0, ...known, settings: { ...settings }, ...variables };
}

/** Where the platform differs; what only we know (a secret's value) is not compared. */
function drift(pass: ApplicationPass, seen: Seen): readonly DriftField[] {
  if (seen.status === undefined) return [];
  const record = recordOf(pass, seen);
  const settings = record && settingsDrift(declaredSettings(pass.spec), observedSettings(record, pass.spec));
  return [...(settings ?? []).map(shownField), ...deploymentDrift(pass, seen), ...runStateDrift(pass, seen)];
}

/** A difference as it may be shown: a repository's URL can hold a password. */
function shownField({ path, desired, observed }: DriftField): DriftField {
  const shown = (value: string): string => fit(withoutCredentials(value));
  return { path, desired: shown(desired), observed: shown(observed) };
}

/** Told once our own deployment is over: another commit, or changes that are not ours and not deployed. */
function deploymentDrift(pass: ApplicationPass, seen: Seen): readonly DriftField[] {
  const last = followed(pass, seen);
  if (last?.finishedAt === undefined || servicePhase(seen.status?.state ?? "") !== "running") return [];
  const commit = deployedCommit(pass, seen);
  if (commit !== undefined && !sameCommit(commit, last.gitCommitId)) {
    return [{ path: "spec.deploy.gitCommitId", desired: last.gitCommitId, observed: commit }];
  }
  const outOfDate =
    seen.status?.serviceDeploymentStatus === "OUT_OF_DATE" && deployCause(pass, last, false) === undefined;
  return outOfDate ? [{ path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" }] : [];
}

function runStateDrift(pass: ApplicationPass, seen: Seen): readonly DriftField[] {
  const stopped = servicePhase(seen.status?.state ?? "") === "stopped";
  const foreign = stopped && pass.spec.runState === "Running" && pass.memory.runState !== "Stopped";
  return foreign ? [{ path: "spec.runState", desired: "Running", observed: "Stopped" }] : [];
}
