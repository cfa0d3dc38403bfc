/** What an application's status says. Pure. */
import {
  refreshed,
  sameContent,
  type ConditionFact,
  type DriftField,
  type Report,
  type Why,
} from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { hasFailed } from "../service/baseline.ts";
import { lastFailureOf, runStateDrift, runStateOf, stoppingOf } from "../service/history.ts";
import { ingressFields, ingressReady } from "../service/ingress.ts";
import { carries } from "../service/progress.ts";
import { memorable, revisionOf, settingsDrift, shownField } from "../service/settings.ts";
import { shownState, stateCondition } from "../service/words.ts";
import { fitOptional } from "../shared/text.ts";
import type { ApplicationMemory, LastDeployment } from "./crd.ts";
import { deployCause, deployedCommit, foreignCommit, lastDeployment, sameCommit } from "./deployment.ts";
import { recordOf, type ApplicationPass, type Seen } from "./model.ts";
import { failedDeployment, followed, progressOf, runningCommit } from "./progress.ts";
import { declaredSettings, observedSettings } from "./settings.ts";
import { secretsOf, variablesCondition } from "./variables.ts";
import { failure, shortCommit } from "./words.ts";

export function report(pass: ApplicationPass, seen: Seen): Report {
  // Of what is not ours, or not yet, nothing is told or remembered.
  if (pass.proof !== "recorded") return { ready: ready(pass, seen), conditions: [], status: {} };
  const last = followed(pass, seen);
  const { status, ingress } = seen;
  return {
    ready: ready(pass, seen),
    conditions: [
      ...deployed(seen),
      ...variablesCondition(pass, seen),
      ...upToDate(pass, seen),
      ...ingressReady(ingress),
    ],
    status: {
      state: status === undefined ? undefined : shownState(status.state),
      serviceDeploymentStatus: fitOptional(status?.serviceDeploymentStatus),
      environmentId: pass.inputs.environmentId,
      commit: last === undefined ? undefined : shortCommit(last.gitCommitId),
      lastDeployment: last && { ...last, variables: refreshed(last.variables, pass.inputs.fingerprint) },
      lastFailure: lastFailure(pass, seen),
      written: written(pass, seen),
      runState: runStateOf(pass, pass.spec.runState, seen),
      stopping: stoppingOf(pass, status),
      ingress: ingressFields(ingress),
    },
    drift: drift(pass, seen),
  };
}

function ready(pass: ApplicationPass, seen: Seen): Why {
  const phase = servicePhase(seen.status?.state ?? "");
  if (pass.spec.runState === "Stopped" && phase !== "running")
    return { reason: "Stopped", message: "The application is stopped, as spec.runState says." };
  const what = `Application "${pass.spec.name}"`;
  if (phase !== "running")
    return { reason: "NotDeployed", message: `${what} exists on the platform; nothing is to be deployed.` };
  const commit = runningCommit(pass, seen);
  if (commit === undefined) return { reason: "Available", message: `${what} runs; the platform does not say what.` };
  return { reason: "Deployed", message: `Commit ${shortCommit(commit)} is deployed.` };
}

function deployed({ status }: Seen): readonly ConditionFact[] {
  return status === undefined ? [] : [stateCondition("Deployed", status.state, "application")];
}

/** Whether the last thing that was written is deployed; without anything to deploy there is no such condition. */
function upToDate(pass: ApplicationPass, seen: Seen): readonly ConditionFact[] {
  const { deploy } = pass.spec;
  if (deploy === undefined || seen.status === undefined) return [];
  const last = lastDeployment(pass, seen);
  const cause = deployCause(pass, last, false);
  const phase = progressOf(pass, seen)?.phase;
  if (cause === undefined && last !== undefined && carries(phase, last) && !isLost(pass, seen, last)) {
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

/** Kept until a deployment succeeds. */
function lastFailure(pass: ApplicationPass, seen: Seen): ApplicationMemory["lastFailure"] {
  const { gitCommitId, requestId } = failedDeployment(pass, seen) ?? {};
  const of = (state: string) => ({
    state,
    message: failure(state, gitCommitId).message,
    ...(gitCommitId === undefined ? {} : { gitCommitId }),
    ...(requestId === undefined ? {} : { requestId }),
  });
  return lastFailureOf(pass.memory.lastFailure, progressOf(pass, seen), of, pass.now);
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
  return { revision: revisionOf(pass.memory), ...known, settings: { ...settings }, ...writtenVariables(pass, foreign) };
}

/** @param foreign whether those of a service that was taken over are there */
function writtenVariables(pass: ApplicationPass, foreign: boolean): Partial<ApplicationMemory["written"]> {
  const { fingerprint, variables } = pass.inputs;
  const { written } = pass.memory;
  const names = foreign ? variables.map(({ name }) => name) : (written?.variableNames ?? []);
  if (foreign) {
    const secrets = secretsOf(pass, names);
    return { variables: { ...fingerprint }, variableNames: names, secrets, sentSecrets: undefined };
  }
  if (!sameContent(written?.variables, fingerprint)) return {};
  // Under another token other digests stand for the same.
  return { variables: refreshed(written?.variables, fingerprint), secrets: secretsOf(pass, names) };
}

/** Where the platform differs; what only we know (a secret's value) is not compared. */
function drift(pass: ApplicationPass, seen: Seen): readonly DriftField[] {
  if (seen.status === undefined) return [];
  const record = recordOf(pass, seen);
  const settings = record && settingsDrift(declaredSettings(pass.spec), observedSettings(record, pass.spec));
  return [
    ...(settings ?? []).map(shownField),
    ...deploymentDrift(pass, seen),
    ...runStateDrift(pass, pass.spec.runState, seen),
  ];
}

/** Told once our own deployment is over: another commit, or changes that are not ours and not deployed. */
function deploymentDrift(pass: ApplicationPass, seen: Seen): readonly DriftField[] {
  const last = followed(pass, seen);
  if (last?.finishedAt === undefined || servicePhase(seen.status?.state ?? "") !== "running") return [];
  const commit = foreignCommit(pass, seen, last);
  if (commit !== undefined) return [{ path: "spec.deploy.gitCommitId", desired: last.gitCommitId, observed: commit }];
  const outOfDate =
    seen.status?.serviceDeploymentStatus === "OUT_OF_DATE" && deployCause(pass, last, false) === undefined;
  return outOfDate ? [{ path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" }] : [];
}
