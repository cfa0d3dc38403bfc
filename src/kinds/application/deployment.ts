/** Determines what is deployed, and why another deployment is due (docs/architecture.md §2). Pure. */
import { isChangedAtSource, sameContent } from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { shownState } from "../service/messages.ts";
import { serviceRecord } from "../service/model.ts";
import { advanced, serviceProgress } from "../service/progress.ts";
import { revisionOf } from "../service/settings.ts";
import { everDeployed, hasFailed } from "../service/trace.ts";
import type { LastDeployment } from "./crd.ts";
import type { ApplicationContext, Observed } from "./model.ts";
import { pendingVariables, variablesSent } from "./variables.ts";

/**
 * Returns the last deployment: the remembered one. For an application that was deployed before the operator managed it,
 * or whose status was lost, it is the deployment that the platform has, which is not repeated: of the commit that the
 * platform shows; after the loss of the status, else of the spec's. Under the policy Manual, where operations or users deploy, it is their last one.
 */
export function lastDeployment(context: ApplicationContext, observed: Observed): LastDeployment | undefined {
  const remembered = context.memory.lastDeployment;
  if (remembered !== undefined && !isReplaced(context, observed, remembered)) return remembered;
  return foundDeployment(context, observed) ?? remembered;
}

/** Returns the last deployment with what is known now. It ends when its state does. */
export function followedDeployment(context: ApplicationContext, observed: Observed): LastDeployment | undefined {
  return advanced(
    lastDeployment(context, observed),
    serviceProgress(context.memory.lastDeployment, observed),
    observed,
    context.now,
  );
}

/** Returns the running commit: the one that the platform shows, else that of the last successful deployment. */
export function runningCommit(context: ApplicationContext, observed: Observed): string | undefined {
  const last = followedDeployment(context, observed);
  return deployedCommit(context, observed) ?? (last === undefined || hasFailed(last) ? undefined : last.gitCommitId);
}

/** Returns the commit that a request deploys again: that of the spec; where it names none, the running one. */
export function redeployedCommit(context: ApplicationContext, observed: Observed): string | undefined {
  return context.spec.deploy?.gitCommitId ?? runningCommit(context, observed);
}

/** Returns the deployment that the platform shows, whoever made it. */
function foundDeployment(context: ApplicationContext, observed: Observed): LastDeployment | undefined {
  if (observed.status === undefined || !everDeployed(observed.status)) return undefined;
  const { written } = context.memory;
  const isStatusLost = written?.revision === undefined;
  const commit = deployedCommit(context, observed) ?? (isStatusLost ? context.spec.deploy?.gitCommitId : undefined);
  if (commit === undefined) return undefined;
  return {
    gitCommitId: commit,
    state: shownState(observed.status.state),
    finishedAt: context.now.toISOString(),
    settings: revisionOf(context.memory),
    variablesAt: variablesIncluded(context),
    variables: written?.variables ?? (variablesSent(context, observed) ? context.inputs.fingerprint : undefined),
  };
}

/** Reports whether others deployed another commit since, as the policy Manual expects. */
function isReplaced(context: ApplicationContext, observed: Observed, remembered: LastDeployment): boolean {
  if (context.spec.deploy?.policy !== "Manual" || remembered.finishedAt === undefined) return false;
  const commit = deployedCommit(context, observed);
  const { state = "", deploymentRequestId } = observed.status ?? {};
  // While the state belongs to the operator's own request, the list that shows the commit may lag behind.
  const lags = remembered.requestId !== undefined && deploymentRequestId === remembered.requestId;
  if (lags || servicePhase(state) !== "running" || commit === undefined) return false;
  return !sameCommit(commit, remembered.gitCommitId);
}

const COMMIT = /^[0-9a-f]{7,64}$/;

/** Returns the deployed commit, where the platform shows it. A value that is no commit is ignored. */
export function deployedCommit(context: ApplicationContext, observed: Observed): string | undefined {
  const shown = serviceRecord(context, observed)?.gitRepository?.deployedCommitId?.toLowerCase();
  return shown !== undefined && COMMIT.test(shown) ? shown : undefined;
}

/** Reports whether one commit id is the other or its abbreviation. */
export function sameCommit(left: string, right: string): boolean {
  return left.startsWith(right) || right.startsWith(left);
}

/** Why a deployment is due. */
export type DeployCause = "commit" | "settings" | "variables" | "foreign" | "retry";

/**
 * Returns why the operator has to deploy: compares the spec and what the operator wrote with the last deployment. The
 * platform's OUT_OF_DATE does not count.
 * @param failed whether the last deployment failed or may have failed; otherwise a reconcile request causes no retry
 * @returns undefined when no deployment is due
 */
export function deployCause(
  context: ApplicationContext,
  last: LastDeployment | undefined,
  failed: boolean,
): Exclude<DeployCause, "foreign"> | undefined {
  const commit = context.spec.deploy?.gitCommitId;
  if (commit === undefined) return undefined;
  if (last === undefined || !sameCommit(last.gitCommitId, commit)) return "commit";
  if (changedSettings(context, last)) return "settings";
  if (changedVariables(context, last) || isWrittenSince(context, last)) return "variables";
  const retried = context.requested === undefined || context.requested === last.retry;
  return failed && !retried ? "retry" : undefined;
}

/** Returns the commit that others deployed since the operator's last deployment. @param last with what is known now */
export function foreignCommit(
  context: ApplicationContext,
  observed: Observed,
  last: LastDeployment | undefined,
): string | undefined {
  if (last?.finishedAt === undefined || servicePhase(observed.status?.state ?? "") !== "running") return undefined;
  const commit = deployedCommit(context, observed);
  return commit === undefined || sameCommit(commit, last.gitCommitId) ? undefined : commit;
}

function changedSettings(
  { memory, policies: { pendingOperations } }: ApplicationContext,
  last: LastDeployment,
): boolean {
  return pendingOperations.has("updateApplication") || revisionOf(memory) !== (last.settings ?? 0);
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
export function isChangedByUser(context: ApplicationContext, observed: Observed): boolean {
  const { inputs, memory } = context;
  const last = lastDeployment(context, observed);
  if (foreignCommit(context, observed, last) !== undefined) return false;
  if (isChangedAtSource(memory.written?.variables, inputs.fingerprint)) return true;
  if (last === undefined) return false;
  if (!isWrittenSince(context, last) && !isChangedAtSource(last.variables, inputs.fingerprint)) return false;
  return !isHeldBack(context, observed) || pendingVariables(context).length > 0;
}

/** Reports whether changed variables wait for a deployment that others make, or for a start. */
function isHeldBack({ spec }: ApplicationContext, { status }: Observed): boolean {
  if (spec.deploy?.policy === "Manual" || spec.runState === "Stopped") return true;
  const phase = servicePhase(status?.state ?? "");
  return phase === "stopped" || phase === "gone";
}

/**
 * Reports whether a variable set wrote to the application after a deployment; false where that time is not recorded.
 */
function isWrittenSince({ records: { writtenAt } }: ApplicationContext, { variablesAt }: LastDeployment): boolean {
  return writtenAt !== undefined && variablesAt !== undefined && writtenAt > variablesAt;
}

function changedVariables(
  { memory, policies: { pendingOperations } }: ApplicationContext,
  last: LastDeployment,
): boolean {
  const written = memory.written?.variables;
  if (pendingOperations.has("importVariables") || pendingOperations.has("updateSecret")) return true;
  return written !== undefined && !sameContent(written, last.variables);
}
