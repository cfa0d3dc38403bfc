/**
 * The facts of an application that its plan and its report are made of: what is deployed, and what differs from the spec
 * (docs/project/architecture.md §2). Pure.
 */
import { isChangedAtSource } from "../../engine/contract/kind.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { ServiceFailure } from "../service/crd-status.ts";
import { deploymentFailure, type FailureFacts, failureFacts } from "../service/failure.ts";
import { shownState } from "../service/messages.ts";
import { serviceRecord } from "../service/model.ts";
import { advanced, everDeployed, hasFailed, type ServiceFacts, serviceProgress } from "../service/progress.ts";
import { observedRunState } from "../service/report.ts";
import { revisionOf } from "../service/settings.ts";
import { runFacts, type RunState } from "../shared/run-schedule.ts";
import { type Compared, compareVariables, isInPlace, type VariableFacts } from "../variables/compare.ts";
import type { Owned } from "../variables/owned.ts";
import type { VariableTarget } from "../variables/plan.ts";
import type { LastDeployment } from "./crd.ts";
import { type ApplicationContext, NAMES, type Observed } from "./model.ts";

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
  /** When any resource last changed the application's variables, by the platform's clock. */
  readonly writtenAt: string | undefined;
  readonly failure: FailureFacts;
}

/** Gathers the facts. */
export function applicationFacts(context: ApplicationContext, observed: Observed): ApplicationFacts {
  const { memory, now, policies, spec } = context;
  const deployed = deployedCommit(context, observed);
  const variables = compareVariables(context, comparedOf(context, observed));
  const writtenAt = lastWrite(context, variables.owned);
  const known = lastDeployment(context, observed, deployed, writtenAt);
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
    difference: deployedDifference(context, last, writtenAt),
    variables,
    writtenAt,
    failure: failureFacts(context, progress, last, describe, spec.logs?.onFailure ?? policies.failureLogLines),
  };
}

/**
 * Returns the last deployment: the remembered one. For an application that was deployed before the operator managed it,
 * or whose status lacks it, it is the deployment that the platform has, which is not repeated: of the commit that the
 * platform shows, else of the commit that the rest of the status says. Under the policy Manual, where operations or
 * users deploy, it is their last one.
 */
function lastDeployment(
  context: ApplicationContext,
  observed: Observed,
  deployed: string | undefined,
  writtenAt: string | undefined,
): LastDeployment | undefined {
  const remembered = context.memory.lastDeployment;
  if (remembered !== undefined && !isReplaced(context, observed, remembered, deployed)) return remembered;
  return foundDeployment(context, observed, deployed, writtenAt) ?? remembered;
}

/** Returns the deployment that the platform shows, whoever made it. */
function foundDeployment(
  context: ApplicationContext,
  { status }: Observed,
  deployed: string | undefined,
  writtenAt: string | undefined,
): LastDeployment | undefined {
  if (status === undefined || !everDeployed(status)) return undefined;
  const commit = deployed ?? rememberedCommit(context);
  if (commit === undefined) return undefined;
  return {
    gitCommitId: commit,
    state: shownState(status.state),
    finishedAt: context.now.toISOString(),
    settings: revisionOf(context.memory),
    variablesAt: variablesIncluded(context, writtenAt),
  };
}

/**
 * Returns the commit that runs as far as the rest of the status says, where it lacks the last deployment: the shown one;
 * the spec's if the status was lost.
 */
function rememberedCommit({ memory: { commit, written }, spec }: ApplicationContext): string | undefined {
  const declared = spec.deploy?.gitCommitId;
  if (commit === undefined) return written?.revision === undefined ? declared : undefined;
  return declared !== undefined && sameCommit(declared, commit) ? declared : commit;
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

/** Returns the variables of the application, as they are planned and reported. */
export function variableTarget(
  { id = "", inputs }: ApplicationContext,
  { variables }: Pick<ApplicationFacts, "variables">,
): VariableTarget {
  return { id, wanted: inputs, facts: variables };
}

/** Returns what the application's variables are compared with. */
export function comparedOf(context: ApplicationContext, observed: Observed): Compared {
  const { id, inputs, memory, now, records } = context;
  return {
    wanted: inputs,
    known: memory.owned,
    lists: observed.lists,
    sent: observed.sentVariables,
    isAdopted: memory.owned?.written === undefined && isOfOthers(context, observed),
    now: observed.serverNow ?? now,
    lastChange: () => latestOf([id === undefined ? undefined : records.writtenInto(id), memory.owned?.writtenAt]),
  };
}

/**
 * Reports whether others deployed the application, or its status was lost: what was sent to it is unknown. What the
 * operator deployed always has settings.
 */
function isOfOthers({ memory: { written, lastDeployment } }: ApplicationContext, { status }: Observed): boolean {
  return (lastDeployment === undefined || written?.settings === undefined) && everDeployed(status);
}

/**
 * Returns what of the spec, and of what was written, a deployment lacks. Without a commit in the spec nothing is
 * compared.
 * @param writtenAt when any resource last changed the variables
 */
export function deployedDifference(
  { memory, policies, spec }: ApplicationContext,
  last: LastDeployment | undefined,
  writtenAt: string | undefined,
): DeployedDifference | undefined {
  const { pendingOperations } = policies;
  const commit = spec.deploy?.gitCommitId;
  if (commit === undefined) return undefined;
  if (last === undefined || !sameCommit(last.gitCommitId, commit)) return "commit";
  if (pendingOperations.has("updateApplication") || revisionOf(memory) !== (last.settings ?? 0)) return "settings";
  const isPending = VARIABLE_OPERATIONS.some((operation) => pendingOperations.has(operation));
  return isPending || isWrittenSince(last, writtenAt) ? "variables" : undefined;
}

/** The operations that change variables: a deployment follows each. */
const VARIABLE_OPERATIONS: readonly OperationName[] = [
  "importVariables",
  "updateSecret",
  "deleteSecret",
  "deleteVariable",
];

/** Reports whether variables were changed after a deployment; false where that time is not recorded. */
function isWrittenSince({ variablesAt }: LastDeployment, writtenAt: string | undefined): boolean {
  return writtenAt !== undefined && variablesAt !== undefined && writtenAt > variablesAt;
}

/** Returns when the application's variables were last changed, by itself or by a variable set. */
export function lastWrite({ records }: ApplicationContext, owned: Owned | undefined): string | undefined {
  return latestOf([records.writtenAt, owned?.writtenAt]);
}

/** Returns the latest of times of one format (ISO 8601), of which "" is none. */
export function latestOf(times: readonly (string | undefined)[]): string | undefined {
  const latest = times
    .filter((at) => at !== undefined)
    .toSorted()
    .at(-1);
  return latest === "" ? undefined : latest;
}

/**
 * Returns the time up to which a deployment that starts now includes changes of variables. While a variable set is not
 * known, e.g. while it is adopted, the time of the last deployment still counts.
 */
export function variablesIncluded({ memory }: ApplicationContext, writtenAt = ""): string {
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
  { foreign, isJustEnded, last, run, variables, writtenAt }: ApplicationFacts,
): boolean {
  if (foreign !== undefined && !isJustEnded) return false;
  if (isChangedAtSource(variables.owned.written, context.inputs.fingerprint)) return true;
  if (last === undefined || !isWrittenSince(last, writtenAt)) return false;
  return !isInPlace(variables) || !isHeldBack(context, observed, run.wanted);
}

/** Reports whether changed variables wait for a deployment that others make, or for a start. */
function isHeldBack({ spec }: ApplicationContext, { status }: Observed, wanted: RunState | undefined): boolean {
  if (spec.deploy?.policy === "Manual" || wanted === "Stopped") return true;
  const phase = servicePhase(status?.state ?? "");
  return phase === "stopped" || phase === "gone";
}
