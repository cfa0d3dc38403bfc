/** Builds the report of an application. Pure. */
import { timeText } from "../../api/status.ts";
import type { ConditionFact, DriftField, Report, StatusReason } from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { lastFailure } from "../service/failure.ts";
import { shortCommit } from "../service/messages.ts";
import { carries, everDeployed, hasFailed } from "../service/progress.ts";
import { serviceReport, upToDateCondition } from "../service/report.ts";
import { writtenSettings } from "../service/settings.ts";
import { redeployDue, redeployRefusal } from "../shared/redeploy.ts";
import { scheduledReport } from "../shared/run-schedule.ts";
import { isInPlace } from "../variables/compare.ts";
import { variableDrift, variablesCondition } from "../variables/plan.ts";
import type { ApplicationMemory, LastDeployment } from "./crd.ts";
import { type ApplicationFacts, applicationFacts, sameCommit, variableTarget } from "./facts.ts";
import { historyWith, successNote } from "./history.ts";
import { APPLICATION_SETTINGS, type ApplicationContext, NAMES, type Observed } from "./model.ts";
import { waitingCommit } from "./plan.ts";

/** How soon after a deployment the ingress is read where none is known. In milliseconds. */
const INGRESS_WITHIN_MS = 60_000;

/** Builds the report. */
export function report(context: ApplicationContext, observed: Observed): Report {
  const facts = applicationFacts(context, observed);
  return scheduledReport(NAMES, context, facts.run, unscheduledReport(context, observed, facts));
}

function unscheduledReport(context: ApplicationContext, observed: Observed, facts: ApplicationFacts): Report {
  const why = ready(context, observed, facts);
  // An application that does not belong to this resource, or not yet, is neither reported nor remembered.
  if (context.identitySource !== "recorded") return { ready: why, conditions: [], status: {} };
  const { failure, last, progress, run } = facts;
  const isJustDeployed = context.now.getTime() - Date.parse(last?.finishedAt ?? "") < INGRESS_WITHIN_MS;
  const isIngressUnread = observed.siblings === undefined && observed.ingress.value === undefined;
  return serviceReport({ ...NAMES, settings: APPLICATION_SETTINGS }, context, observed, facts, {
    ready: why,
    note: note(context, last),
    redeployRefusal: redeployRefusal(NAMES.noun, context, run.wanted) ?? nothingToDeploy(context, observed, facts),
    ...(isJustDeployed && isIngressUnread && { lookWithin: INGRESS_WITHIN_MS }),
    conditions: [
      ...variablesCondition([variableTarget(context, facts)], observed.variablesFault),
      ...upToDate(context, observed, facts),
    ],
    status: {
      ...runningCommit(context, facts),
      lastDeployment: last,
      ...historyOfReplaced(context, facts),
      ...written(context, observed, facts),
    },
    lastFailure: lastFailure(context, observed, progress, failure),
    drift:
      observed.status === undefined
        ? undefined
        : [...drift(observed, facts), ...variableDrift(variableTarget(context, facts))],
    comparesUnlisted: true,
  });
}

/** Returns why the application cannot be deployed again although that is requested: no commit is known. */
function nothingToDeploy(
  context: ApplicationContext,
  { status }: Observed,
  { running }: ApplicationFacts,
): string | undefined {
  const isKnown = (context.spec.deploy?.gitCommitId ?? running) !== undefined;
  if (redeployDue(context) === undefined || status === undefined || isKnown) return undefined;
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
function historyOfReplaced(
  { memory: { history, lastDeployment } }: ApplicationContext,
  { isReplaced }: ApplicationFacts,
): Pick<ApplicationMemory, "history"> {
  return isReplaced ? { history: historyWith(history, lastDeployment) } : {};
}

/**
 * Returns the running commit: while a deployment runs and after it failed, the commit before it; undefined after a
 * deployment of others whose commit the platform does not show.
 */
function shownCommit(
  { memory }: ApplicationContext,
  { deployed, isForeignUnknown, last }: ApplicationFacts,
): string | undefined {
  if (isForeignUnknown) return undefined;
  const isOver = last?.finishedAt !== undefined && !hasFailed(last);
  const commit = deployed ?? (isOver ? last.gitCommitId : undefined);
  return commit === undefined ? memory.commit : shortCommit(commit);
}

/** Returns the running commit, and since when it runs. */
function runningCommit(
  context: ApplicationContext,
  facts: ApplicationFacts,
): Pick<ApplicationMemory, "commit" | "commitSince"> {
  const { memory, now } = context;
  const commit = shownCommit(context, facts);
  if (commit === undefined) return { commit, commitSince: undefined };
  if (commit === memory.commit) return { commit, commitSince: memory.commitSince };
  const { gitCommitId = "", finishedAt } = facts.last ?? {};
  const isOwn = shortCommit(gitCommitId) === commit;
  return { commit, commitSince: timeText(isOwn && finishedAt !== undefined ? new Date(finishedAt) : now) };
}

function ready(context: ApplicationContext, { status }: Observed, { run, running }: ApplicationFacts): StatusReason {
  const phase = servicePhase(status?.state ?? "");
  if (run.wanted === "Stopped" && phase !== "running")
    return { reason: "Stopped", message: "The application is stopped, as spec.runState says." };
  const what = `Application "${context.spec.name}"`;
  if (phase !== "running")
    return { reason: "NotDeployed", message: `${what} exists on the platform; nothing is to be deployed.` };
  if (running === undefined)
    return { reason: "Available", message: `${what} runs; the platform does not show its commit.` };
  return { reason: "Deployed", message: `Commit ${shortCommit(running)} is deployed.` };
}

/** Returns the condition of an application whose commit nothing shows. @param because the end of the message */
const unknownCommit = (because: string): ConditionFact => ({
  type: "UpToDate",
  status: "Unknown",
  reason: "NotObservable",
  message: `The platform does not show which commit runs, and ${because}.`,
});

/** Reports whether the last change is deployed. Without anything to deploy there is no such condition. */
function upToDate(
  context: ApplicationContext,
  { status }: Observed,
  facts: ApplicationFacts,
): readonly ConditionFact[] {
  if (context.spec.deploy === undefined || status === undefined) return [];
  if (facts.isForeignUnknown && facts.difference === undefined)
    return [unknownCommit("the operator did not make the last deployment")];
  if (facts.last === undefined && everDeployed(status)) return [unknownCommit("the operator has not deployed one")];
  return [lastChange(context, facts)];
}

function lastChange(context: ApplicationContext, facts: ApplicationFacts): ConditionFact {
  const { spec } = context;
  const { deployed, difference, last, progress } = facts;
  // A failed deployment counts if the platform shows that others deployed its commit since.
  const isDone =
    last !== undefined && (!hasFailed(last) || (deployed !== undefined && sameCommit(deployed, last.gitCommitId)));
  const isUpToDate = difference === undefined && isDone && carries(progress?.phase, last);
  const what =
    difference === undefined
      ? "The application does not run its last deployment."
      : `A change of ${difference === "commit" ? "the commit" : difference} is not deployed yet.`;
  const isManual = spec.deploy?.policy === "Manual";
  const how = isManual ? " spec.deploy.policy is Manual: deploy it on the platform." : "";
  return upToDateCondition(isUpToDate, waitingFor(context, facts) ?? `${what}${how}`);
}

/** Returns what a new commit waits for; undefined without one, or while no work is under way. */
function waitingFor(context: ApplicationContext, facts: ApplicationFacts): string | undefined {
  const { last, progress } = facts;
  const waiting = waitingCommit(context, facts);
  if (waiting === undefined || progress?.phase !== "busy") return undefined;
  const of = progress.ours && last !== undefined ? ` for commit ${shortCommit(last.gitCommitId)}` : "";
  return `The platform reports ${progress.state}${of}. ${waiting}`;
}

/** Returns what the operator wrote. While nothing shows the application, nothing is concluded. */
function written(
  context: ApplicationContext,
  { status }: Observed,
  { variables }: ApplicationFacts,
): Pick<ApplicationMemory, "written" | "owned"> {
  const { memory } = context;
  if (status === undefined) return { written: memory.written, owned: memory.owned };
  const owned = Object.values(variables.owned).some((member) => member !== undefined) ? variables.owned : undefined;
  return { written: writtenSettings(APPLICATION_SETTINGS, context), owned };
}

/**
 * Returns drift of the deployment once the operator's own is over: another commit, or changes of others that are not
 * deployed.
 */
function drift(
  { status }: Observed,
  { difference, foreign, last, variables }: ApplicationFacts,
): readonly DriftField[] {
  if (last?.finishedAt === undefined || servicePhase(status?.state ?? "") !== "running") return [];
  if (foreign !== undefined) return [{ path: "spec.deploy.gitCommitId", desired: last.gitCommitId, observed: foreign }];
  // Variables that others changed are told by their names.
  const isExplained = difference !== undefined || !isInPlace(variables);
  const isOutOfDate = status?.serviceDeploymentStatus === "OUT_OF_DATE" && !isExplained;
  return isOutOfDate ? [{ path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" }] : [];
}
