/** Builds the report of an application. Pure. */
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
import { ingressFields, ingressReady } from "../service/observe.ts";
import { carries } from "../service/progress.ts";
import { memorable, revisionOf, settingsDrift, shownField } from "../service/settings.ts";
import { shownState, stateCondition } from "../service/words.ts";
import { fitOptional } from "../shared/text.ts";
import type { ApplicationMemory, LastDeployment } from "./crd.ts";
import { deployCause, deployedCommit, foreignCommit, lastDeployment, sameCommit } from "./deployment.ts";
import { recordOf, type ApplicationContext, type Seen } from "./model.ts";
import { failedDeployment, followed, progressOf, runningCommit } from "./progress.ts";
import { declaredSettings, observedSettings } from "./settings.ts";
import { secretsOf, variablesCondition } from "./variables.ts";
import { failure, shortCommit } from "./words.ts";

export function report(context: ApplicationContext, seen: Seen): Report {
  // What is not this resource's, or not yet, is neither reported nor remembered.
  if (context.identitySource !== "recorded") return { ready: ready(context, seen), conditions: [], status: {} };
  const last = followed(context, seen);
  const { status, ingress } = seen;
  return {
    ready: ready(context, seen),
    conditions: [
      ...deployed(seen),
      ...variablesCondition(context, seen),
      ...upToDate(context, seen),
      ...ingressReady(ingress),
    ],
    status: {
      state: status === undefined ? undefined : shownState(status.state),
      serviceDeploymentStatus: fitOptional(status?.serviceDeploymentStatus),
      environmentId: context.inputs.environmentId,
      commit: last === undefined ? undefined : shortCommit(last.gitCommitId),
      lastDeployment: last && { ...last, variables: refreshed(last.variables, context.inputs.fingerprint) },
      lastFailure: lastFailure(context, seen),
      written: written(context, seen),
      runState: runStateOf(context, context.spec.runState, seen),
      stopping: stoppingOf(context, status),
      ingress: ingressFields(ingress),
    },
    drift: drift(context, seen),
  };
}

function ready(context: ApplicationContext, seen: Seen): Why {
  const phase = servicePhase(seen.status?.state ?? "");
  if (context.spec.runState === "Stopped" && phase !== "running")
    return { reason: "Stopped", message: "The application is stopped, as spec.runState says." };
  const what = `Application "${context.spec.name}"`;
  if (phase !== "running")
    return { reason: "NotDeployed", message: `${what} exists on the platform; nothing is to be deployed.` };
  const commit = runningCommit(context, seen);
  if (commit === undefined) return { reason: "Available", message: `${what} runs; the platform does not say what.` };
  return { reason: "Deployed", message: `Commit ${shortCommit(commit)} is deployed.` };
}

function deployed({ status }: Seen): readonly ConditionFact[] {
  return status === undefined ? [] : [stateCondition("Deployed", status.state, "application")];
}

/** Reports whether the last change is deployed. Without anything to deploy there is no such condition. */
function upToDate(context: ApplicationContext, seen: Seen): readonly ConditionFact[] {
  const { deploy } = context.spec;
  if (deploy === undefined || seen.status === undefined) return [];
  const last = lastDeployment(context, seen);
  const cause = deployCause(context, last, false);
  const phase = progressOf(context, seen)?.phase;
  if (cause === undefined && last !== undefined && carries(phase, last) && !isLost(context, seen, last)) {
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

/** Reports whether the last deployment failed, and nothing shows that others deployed its commit since. */
function isLost(context: ApplicationContext, seen: Seen, last: LastDeployment): boolean {
  const commit = deployedCommit(context, seen);
  return hasFailed(last) && (commit === undefined || !sameCommit(commit, last.gitCommitId));
}

/** Kept until a deployment succeeds. */
function lastFailure(context: ApplicationContext, seen: Seen): ApplicationMemory["lastFailure"] {
  const { gitCommitId, requestId } = failedDeployment(context, seen) ?? {};
  const of = (state: string) => ({
    state,
    message: failure(state, gitCommitId).message,
    ...(gitCommitId === undefined ? {} : { gitCommitId }),
    ...(requestId === undefined ? {} : { requestId }),
  });
  return lastFailureOf(context.memory.lastFailure, progressOf(context, seen), of, context.now);
}

/** Returns what the operator wrote. For an adopted service, the spec at that time is the baseline. */
function written(context: ApplicationContext, seen: Seen): ApplicationMemory["written"] {
  const known = context.memory.written;
  if (seen.status === undefined) return known;
  const settings = known?.settings ?? memorable(declaredSettings(context.spec));
  const foreign =
    known?.variables === undefined &&
    seen.keys !== undefined &&
    context.inputs.variables.every(({ name }) => seen.keys?.has(name));
  return {
    revision: revisionOf(context.memory),
    ...known,
    settings: { ...settings },
    ...writtenVariables(context, foreign),
  };
}

/** @param foreign whether the variables of an adopted service exist */
function writtenVariables(context: ApplicationContext, foreign: boolean): Partial<ApplicationMemory["written"]> {
  const { fingerprint, variables } = context.inputs;
  const { written } = context.memory;
  const names = foreign ? variables.map(({ name }) => name) : (written?.variableNames ?? []);
  if (foreign) {
    const secrets = secretsOf(context, names);
    return { variables: { ...fingerprint }, variableNames: names, secrets, sentSecrets: undefined };
  }
  if (!sameContent(written?.variables, fingerprint)) return {};
  // Under another token other digests represent the same content.
  return { variables: refreshed(written?.variables, fingerprint), secrets: secretsOf(context, names) };
}

/** Returns where the platform differs. What only the operator knows (a secret's value) is not compared. */
function drift(context: ApplicationContext, seen: Seen): readonly DriftField[] {
  if (seen.status === undefined) return [];
  const record = recordOf(context, seen);
  const settings = record && settingsDrift(declaredSettings(context.spec), observedSettings(record, context.spec));
  return [
    ...(settings ?? []).map(shownField),
    ...deploymentDrift(context, seen),
    ...runStateDrift(context, context.spec.runState, seen),
  ];
}

/**
 * Returns drift of the deployment once the operator's own is over: another commit, or changes of others that are not
 * deployed.
 */
function deploymentDrift(context: ApplicationContext, seen: Seen): readonly DriftField[] {
  const last = followed(context, seen);
  if (last?.finishedAt === undefined || servicePhase(seen.status?.state ?? "") !== "running") return [];
  const commit = foreignCommit(context, seen, last);
  if (commit !== undefined) return [{ path: "spec.deploy.gitCommitId", desired: last.gitCommitId, observed: commit }];
  const outOfDate =
    seen.status?.serviceDeploymentStatus === "OUT_OF_DATE" && deployCause(context, last, false) === undefined;
  return outOfDate ? [{ path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" }] : [];
}
