/** Builds an application's part of the report of a service. Pure. */
import { refreshed, sameContent, type ConditionFact, type DriftField, type Why } from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { shortCommit } from "../service/messages.ts";
import type { ServiceReport } from "../service/model.ts";
import { carries, serviceProgress } from "../service/progress.ts";
import { upToDateCondition, writtenSettings } from "../service/report.ts";
import { everDeployed, hasFailed } from "../service/trace.ts";
import { faultCondition } from "../shared/answers.ts";
import { redeployDue, redeployRefusal } from "../shared/redeploy.ts";
import { nextTry } from "../shared/variables.ts";
import type { ApplicationMemory, LastDeployment } from "./crd.ts";
import {
  deployCause,
  deployedCommit,
  followedDeployment,
  foreignCommit,
  lastDeployment,
  redeployedCommit,
  runningCommit,
  sameCommit,
} from "./deployment.ts";
import { historyWith, successNote } from "./history.ts";
import { APPLICATION_SETTINGS, type ApplicationContext, NAMES, type Observed } from "./model.ts";
import { isListedSecret, pendingVariables, secretsOf, variablesSent } from "./variables.ts";

/** How soon after a deployment the ingress is read where none is known. In milliseconds. */
const INGRESS_WITHIN_MS = 60_000;

export function report(context: ApplicationContext, observed: Observed): ServiceReport {
  const last = followedDeployment(context, observed);
  const isJustDeployed = context.now.getTime() - Date.parse(last?.finishedAt ?? "") < INGRESS_WITHIN_MS;
  const isIngressUnread = observed.siblings === undefined && observed.ingress.value === undefined;
  return {
    note: note(context, last),
    redeployRefusal: redeployRefusal(NAMES.noun, context) ?? nothingToDeploy(context, observed),
    ...(isJustDeployed && isIngressUnread && { lookWithin: INGRESS_WITHIN_MS }),
    conditions: [...variablesCondition(context, observed), ...upToDate(context, observed)],
    status: {
      commit: shownCommit(context, observed, last),
      lastDeployment: last && { ...last, variables: refreshed(last.variables, context.inputs.fingerprint) },
      ...replacedByOthers(context, observed),
      written: sentOrFound(context, observed),
    },
  };
}

/** Returns why the application cannot be deployed again although that is requested: no commit is known. */
function nothingToDeploy(context: ApplicationContext, observed: Observed): string | undefined {
  const isUnknown = observed.status === undefined || redeployedCommit(context, observed) !== undefined;
  if (redeployDue(context) === undefined || isUnknown) return undefined;
  return "No commit is known to be deployed, and spec.deploy names none.";
}

/**
 * Returns the text of the event of a deployment that has just succeeded.
 * @param last the last deployment, with what is known now
 */
function note({ memory }: ApplicationContext, last: LastDeployment | undefined): string | undefined {
  if (last === undefined || memory.lastDeployment?.finishedAt !== undefined) return undefined;
  return servicePhase(last.state ?? "") === "running" ? successNote(last) : undefined;
}

/** Returns the history with the remembered deployment, if a deployment of others has replaced it. */
function replacedByOthers(context: ApplicationContext, observed: Observed): Pick<ApplicationMemory, "history"> {
  const { lastDeployment: remembered, history } = context.memory;
  if (lastDeployment(context, observed) === remembered) return {};
  return { history: historyWith(history, remembered) };
}

/** Returns the running commit: while a deployment runs and after it failed, the commit before it. */
function shownCommit(
  context: ApplicationContext,
  observed: Observed,
  last: LastDeployment | undefined,
): string | undefined {
  const isOver = last?.finishedAt !== undefined && !hasFailed(last);
  const commit = deployedCommit(context, observed) ?? (isOver ? last.gitCommitId : undefined);
  return commit === undefined ? context.memory.commit : shortCommit(commit);
}

export function ready(context: ApplicationContext, observed: Observed): Why {
  const phase = servicePhase(observed.status?.state ?? "");
  if (context.spec.runState === "Stopped" && phase !== "running")
    return { reason: "Stopped", message: "The application is stopped, as spec.runState says." };
  const what = `Application "${context.spec.name}"`;
  if (phase !== "running")
    return { reason: "NotDeployed", message: `${what} exists on the platform; nothing is to be deployed.` };
  const commit = runningCommit(context, observed);
  if (commit === undefined)
    return { reason: "Available", message: `${what} runs; the platform does not show its commit.` };
  return { reason: "Deployed", message: `Commit ${shortCommit(commit)} is deployed.` };
}

const UNKNOWN_COMMIT: ConditionFact = {
  type: "UpToDate",
  status: "Unknown",
  reason: "NotObservable",
  message: "The platform does not show which commit runs, and the operator has not deployed one.",
};

/** Reports whether the last change is deployed. Without anything to deploy there is no such condition. */
function upToDate(context: ApplicationContext, observed: Observed): readonly ConditionFact[] {
  if (context.spec.deploy === undefined || observed.status === undefined) return [];
  const last = lastDeployment(context, observed);
  return last === undefined && everDeployed(observed.status) ? [UNKNOWN_COMMIT] : [lastChange(context, observed, last)];
}

function lastChange(context: ApplicationContext, observed: Observed, last: LastDeployment | undefined): ConditionFact {
  const cause = deployCause(context, last, false);
  const phase = serviceProgress(context.memory.lastDeployment, observed)?.phase;
  const isUpToDate =
    cause === undefined && last !== undefined && carries(phase, last) && !isLost(context, observed, last);
  const what =
    cause === undefined || cause === "retry"
      ? "The application does not run its last deployment."
      : `A change of ${cause === "commit" ? "the commit" : cause} is not deployed yet.`;
  const isManual = context.spec.deploy?.policy === "Manual";
  const how = isManual ? " spec.deploy.policy is Manual: deploy it on the platform." : "";
  return upToDateCondition(isUpToDate, `${what}${how}`);
}

/** Reports whether the last deployment failed, and nothing shows that others deployed its commit since. */
function isLost(context: ApplicationContext, observed: Observed, last: LastDeployment): boolean {
  const commit = deployedCommit(context, observed);
  return hasFailed(last) && (commit === undefined || !sameCommit(commit, last.gitCommitId));
}

/** Returns the condition VariablesSynced; none without variables. */
function variablesCondition(context: ApplicationContext, observed: Observed): readonly ConditionFact[] {
  if (context.inputs.variables.length === 0) return [];
  const type = "VariablesSynced";
  const pending = pendingVariables(context).map(({ name }) => name);
  const isSent = variablesSent(context, observed);
  if (isSent && pending.length === 0) {
    return [{ type, status: "True", reason: "VariablesSynced", message: "All variables are on the platform." }];
  }
  if (observed.variablesFault !== undefined) return faultCondition(type, observed.variablesFault);
  const message = isSent ? leftOut(context, observed, pending) : "The variables were not sent yet.";
  return [{ type, status: "False", reason: "VariablesPending", message }];
}

/** Returns the message about variables that the platform did not accept. */
function leftOut({ memory }: ApplicationContext, observed: Observed, names: readonly string[]): string {
  const isFixed = (name: string): boolean => isListedSecret(observed, name);
  const isOver = nextTry(memory.written ?? {}, observed.serverNow) === "refused";
  const how = isOver
    ? "find the reason on the platform, then request another import with the annotation platform-operator.io/reconcile-requested-at."
    : "it is sent again.";
  const causes = [
    [
      names.filter(isFixed),
      "an import does not replace what exists as a secret. Remove it on the platform, or rename it.",
    ],
    [names.filter((name) => !isFixed(name)), how],
  ] as const;
  return causes
    .filter(([some]) => some.length > 0)
    .map(([some, cause]) => `The platform did not accept ${some.join(", ")}: ${cause}`)
    .join(" ");
}

/** Returns what the operator wrote. Where an adopted service has variables of these names, they count as written. */
export function sentOrFound(context: ApplicationContext, observed: Observed): ApplicationMemory["written"] {
  const known = context.memory.written;
  if (observed.status === undefined) return known;
  const foreign =
    known?.variables === undefined &&
    observed.keys !== undefined &&
    context.inputs.variables.every(({ name }) => observed.keys?.has(name));
  return { ...known, ...writtenSettings(APPLICATION_SETTINGS, context), ...writtenVariables(context, foreign) };
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
  return {
    // After the loss of the key, other digests represent the same content.
    variables: refreshed(written?.variables, fingerprint),
    secrets: secretsOf(context, names),
    ...(pendingVariables(context).length === 0 && { attempts: undefined, sentAt: undefined }),
  };
}

/**
 * Returns drift of the deployment once the operator's own is over: another commit, or changes of others that are not
 * deployed.
 */
export function drift(context: ApplicationContext, observed: Observed): readonly DriftField[] {
  const last = followedDeployment(context, observed);
  if (last?.finishedAt === undefined || servicePhase(observed.status?.state ?? "") !== "running") return [];
  const commit = foreignCommit(context, observed, last);
  if (commit !== undefined) return [{ path: "spec.deploy.gitCommitId", desired: last.gitCommitId, observed: commit }];
  const outOfDate =
    observed.status?.serviceDeploymentStatus === "OUT_OF_DATE" && deployCause(context, last, false) === undefined;
  return outOfDate ? [{ path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" }] : [];
}
