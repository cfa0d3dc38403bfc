/**
 * The facts of an application that its plan and its report are made of: what is deployed, and what differs from the spec
 * (docs/architecture.md §2). Pure.
 */
import { isChangedAtSource, sameContent } from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { ServiceFailure } from "../service/crd-status.ts";
import { deploymentFailure, type FailureFacts, failureFacts } from "../service/failure.ts";
import { shownState } from "../service/messages.ts";
import { serviceRecord } from "../service/model.ts";
import { advanced, everDeployed, hasFailed, type ServiceFacts, serviceProgress } from "../service/progress.ts";
import { observedRunState } from "../service/report.ts";
import { revisionOf } from "../service/settings.ts";
import { runFacts, type RunState } from "../shared/run-schedule.ts";
import type { LastDeployment } from "./crd.ts";
import { type ApplicationContext, NAMES, type Observed } from "./model.ts";
import { type VariableFacts, variableFacts } from "./variables.ts";

/** What differs between the spec with what the operator wrote, and a deployment. */
export type DeployedDifference = "commit" | "settings" | "variables";

export interface ApplicationFacts extends ServiceFacts<LastDeployment> {
  /** The end of the last deployment is observed for the first time. */
  readonly isJustEnded: boolean;
  /** A deployment of others has taken the place of the remembered one. */
  readonly isReplaced: boolean;
  /** The commit that the platform shows as deployed. */
  readonly deployed: string | undefined;
  /** The commit that runs: the shown one, else that of the last successful deployment. */
  readonly running: string | undefined;
  /** The commit that others deployed since the operator's last deployment. */
  readonly foreign: string | undefined;
  /** Others deployed since the operator's last deployment, and the platform does not show which commit. */
  readonly isForeignUnknown: boolean;
  /** What of the spec is not deployed. The platform's OUT_OF_DATE does not count. */
  readonly difference: DeployedDifference | undefined;
  readonly variables: VariableFacts;
  readonly failure: FailureFacts;
}

/** Gathers the facts. */
export function applicationFacts(context: ApplicationContext, observed: Observed): ApplicationFacts {
  const { memory, now, policies, spec } = context;
  const deployed = deployedCommit(context, observed);
  const variables = variableFacts(context, observed);
  const known = lastDeployment(context, observed, deployed, variables);
  const progress = serviceProgress(memory.lastDeployment, observed);
  const last = advanced(known, progress, observed, now);
  const isForeignUnknown = deployed === undefined && isDeployedByOthers(observed, last);
  const describe = (state: string): ServiceFailure => deploymentFailure(NAMES, last, state);
  return {
    progress,
    last,
    run: runFacts(NAMES, context, observedRunState(context, observed)),
    isJustEnded: last?.finishedAt !== known?.finishedAt,
    isReplaced: known !== memory.lastDeployment,
    deployed,
    running: deployed ?? (isForeignUnknown ? undefined : deployedBy(last)),
    foreign: foreignCommit(observed, last, deployed),
    isForeignUnknown,
    difference: deployedDifference(context, last),
    variables,
    failure: failureFacts(context, progress, last, describe, spec.logs?.onFailure ?? policies.failureLogLines),
  };
}

/**
 * Returns the last deployment: the remembered one. For an application that was deployed before the operator managed it,
 * or whose status was lost, it is the deployment that the platform has, which is not repeated: of the commit that the
 * platform shows; after the loss of the status, else of the spec's. Under the policy Manual, where operations or users
 * deploy, it is their last one.
 */
function lastDeployment(
  context: ApplicationContext,
  observed: Observed,
  deployed: string | undefined,
  variables: VariableFacts,
): LastDeployment | undefined {
  const remembered = context.memory.lastDeployment;
  if (remembered !== undefined && !isReplaced(context, observed, remembered, deployed)) return remembered;
  return foundDeployment(context, observed, deployed, variables) ?? remembered;
}

/** Returns the deployment that the platform shows, whoever made it. */
function foundDeployment(
  context: ApplicationContext,
  { status }: Observed,
  deployed: string | undefined,
  { areSent }: VariableFacts,
): LastDeployment | undefined {
  if (status === undefined || !everDeployed(status)) return undefined;
  const { written } = context.memory;
  const isStatusLost = written?.revision === undefined;
  const commit = deployed ?? (isStatusLost ? context.spec.deploy?.gitCommitId : undefined);
  if (commit === undefined) return undefined;
  return {
    gitCommitId: commit,
    state: shownState(status.state),
    finishedAt: context.now.toISOString(),
    settings: revisionOf(context.memory),
    variablesAt: variablesIncluded(context),
    variables: written?.variables ?? (areSent ? context.inputs.fingerprint : undefined),
  };
}

/** Reports whether others deployed another commit since, as the policy Manual expects. */
function isReplaced(
  { spec }: ApplicationContext,
  { status }: Observed,
  remembered: LastDeployment,
  deployed: string | undefined,
): boolean {
  if (spec.deploy?.policy !== "Manual" || remembered.finishedAt === undefined) return false;
  const { state = "", deploymentRequestId } = status ?? {};
  // While the state belongs to the operator's own request, the list that shows the commit may lag behind.
  const lags = remembered.requestId !== undefined && deploymentRequestId === remembered.requestId;
  if (lags || servicePhase(state) !== "running" || deployed === undefined) return false;
  return !sameCommit(deployed, remembered.gitCommitId);
}

/** Returns the commit of a deployment unless it failed. */
function deployedBy(last: LastDeployment | undefined): string | undefined {
  return last === undefined || hasFailed(last) ? undefined : last.gitCommitId;
}

function foreignCommit(
  { status }: Observed,
  last: LastDeployment | undefined,
  deployed: string | undefined,
): string | undefined {
  if (last?.finishedAt === undefined || servicePhase(status?.state ?? "") !== "running") return undefined;
  return deployed === undefined || sameCommit(deployed, last.gitCommitId) ? undefined : deployed;
}

/** Reports whether the running state belongs to another request than the operator's last deployment, which succeeded. */
function isDeployedByOthers({ status }: Observed, last: LastDeployment | undefined): boolean {
  if (last?.finishedAt === undefined || hasFailed(last) || last.requestId === undefined) return false;
  const { deploymentRequestId: shown, state = "" } = status ?? {};
  return servicePhase(state) === "running" && typeof shown === "string" && shown !== last.requestId;
}

const COMMIT = /^[0-9a-f]{7,64}$/;

/** Returns the deployed commit, where the platform shows it. A value that is no commit is ignored. */
function deployedCommit(context: ApplicationContext, observed: Observed): string | undefined {
  const shown = serviceRecord(context, observed)?.gitRepository?.deployedCommitId?.toLowerCase();
  return shown !== undefined && COMMIT.test(shown) ? shown : undefined;
}

/** Reports whether one commit id is the other or its abbreviation. */
export function sameCommit(left: string, right: string): boolean {
  return left.startsWith(right) || right.startsWith(left);
}

/**
 * Returns what of the spec, and of what the operator wrote, a deployment lacks. Without a commit in the spec nothing is
 * compared.
 */
export function deployedDifference(
  context: ApplicationContext,
  last: LastDeployment | undefined,
): DeployedDifference | undefined {
  const { memory, policies, spec } = context;
  const { pendingOperations } = policies;
  const commit = spec.deploy?.gitCommitId;
  if (commit === undefined) return undefined;
  if (last === undefined || !sameCommit(last.gitCommitId, commit)) return "commit";
  if (pendingOperations.has("updateApplication") || revisionOf(memory) !== (last.settings ?? 0)) return "settings";
  return areVariablesChanged(context, last) || isWrittenSince(context, last) ? "variables" : undefined;
}

function areVariablesChanged({ memory, policies }: ApplicationContext, last: LastDeployment): boolean {
  const { pendingOperations } = policies;
  const written = memory.written?.variables;
  if (pendingOperations.has("importVariables") || pendingOperations.has("updateSecret")) return true;
  return written !== undefined && !sameContent(written, last.variables);
}

/**
 * Reports whether a variable set wrote to the application after a deployment; false where that time is not recorded.
 */
function isWrittenSince({ records: { writtenAt } }: ApplicationContext, { variablesAt }: LastDeployment): boolean {
  return writtenAt !== undefined && variablesAt !== undefined && writtenAt > variablesAt;
}

/**
 * Returns the time up to which a deployment that starts now includes the variables that other resources wrote. While a
 * variable set is not known, e.g. while it is adopted, the time of the last deployment still counts.
 */
export function variablesIncluded({ memory, records: { writtenAt = "" } }: ApplicationContext): string {
  const before = memory.lastDeployment?.variablesAt ?? "";
  return writtenAt > before ? writtenAt : before;
}

/**
 * Reports whether a user changed variables outside of the spec, in a Secret, a ConfigMap or a variable set, which are
 * not imported yet, or not deployed although nothing holds back their deployment. Returns false if others deployed
 * another commit: the status may then be that of an old backup, and does not show who changed them.
 */
export function isChangedByUser(
  context: ApplicationContext,
  observed: Observed,
  { foreign, isJustEnded, last, run, variables }: ApplicationFacts,
): boolean {
  const { inputs, memory } = context;
  if (foreign !== undefined && !isJustEnded) return false;
  if (isChangedAtSource(memory.written?.variables, inputs.fingerprint)) return true;
  if (last === undefined) return false;
  if (!isWrittenSince(context, last) && !isChangedAtSource(last.variables, inputs.fingerprint)) return false;
  return variables.pending.length > 0 || !isHeldBack(context, observed, run.wanted);
}

/** Reports whether changed variables wait for a deployment that others make, or for a start. */
function isHeldBack({ spec }: ApplicationContext, { status }: Observed, wanted: RunState | undefined): boolean {
  if (spec.deploy?.policy === "Manual" || wanted === "Stopped") return true;
  const phase = servicePhase(status?.state ?? "");
  return phase === "stopped" || phase === "gone";
}
