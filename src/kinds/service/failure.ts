/** The last failure of a service, and the log that is kept with it. Pure. */
import type { ServiceDeployment, ServiceFailure } from "./crd-status.ts";
import { explainFailure, failureReason, ofCommit, shownState } from "./messages.ts";
import type { ServiceContext, ServiceNames, ServiceObserved } from "./model.ts";
import { failedDeployment, type Progress } from "./progress.ts";

/** The failure that is observed, and what is known of it. */
export interface FailureFacts {
  /** The failure, without its time and log; undefined while nothing fails. */
  readonly found: ServiceFailure | undefined;
  /** The remembered failure, if it is the same one: it has the same facts and is not older than the last deployment. */
  readonly reported: ServiceFailure | undefined;
  /** How many last lines of the log are kept with it. */
  readonly lines: number;
}

/**
 * Returns what is known of the failure that is observed.
 * @param last the last deployment, with what is known of it now
 * @param describe returns the failure in this state, without its time and log
 * @param lines how many last lines of the log are kept with a failed build or deployment
 */
export function failureFacts(
  { memory }: ServiceContext,
  progress: Progress | undefined,
  last: ServiceDeployment | undefined,
  describe: (state: string) => ServiceFailure,
  lines = 0,
): FailureFacts {
  if (progress?.phase !== "failed") return { found: undefined, reported: undefined, lines: 0 };
  const found = describe(shownState(progress.state));
  const { lastFailure: kept } = memory;
  const isSame = kept?.at !== undefined && kept.at >= (last?.startedAt ?? "") && factsOf(kept) === factsOf(found);
  const isExplained = ["BuildFailed", "DeploymentFailed"].includes(failureReason(found.state));
  return { found, reported: isSame ? kept : undefined, lines: isExplained ? lines : 0 };
}

/** Returns everything but message, time and log. */
function factsOf({ message: _message, at: _at, log: _log, ...rest }: ServiceFailure): string {
  return JSON.stringify(Object.entries(rest).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns the memory of a failed deployment. @param last the last deployment, with what is known of it now */
export function deploymentFailure(
  names: ServiceNames,
  last: (ServiceDeployment & { readonly gitCommitId?: string }) | undefined,
  state: string,
): ServiceFailure & { readonly gitCommitId?: string } {
  const { gitCommitId, requestId } = failedDeployment(last) ?? {};
  return {
    state,
    message: explainFailure(state, names, ofCommit(gitCommitId)).message,
    ...(gitCommitId === undefined ? {} : { gitCommitId }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Returns the failure that is remembered: the last one until a deployment succeeds, with the time of its first report. */
export function lastFailure(
  { memory, now }: ServiceContext,
  { failureLog }: ServiceObserved,
  progress: Progress | undefined,
  { found, reported, lines }: FailureFacts,
): ServiceFailure | undefined {
  if (found === undefined) return progress?.phase === "running" ? undefined : memory.lastFailure;
  const log = lines > 0 ? (failureLog ?? reported?.log) : undefined;
  return { ...found, at: reported?.at ?? now.toISOString(), ...(log !== undefined && { log }) };
}

/** Returns how many lines of the log of a failure are to be read now: once, as afterwards the status has them. */
export function logLinesDue({ goal, identitySource }: ServiceContext, { reported, lines }: FailureFacts): number {
  return goal === "present" && identitySource === "recorded" && reported?.log === undefined ? lines : 0;
}
