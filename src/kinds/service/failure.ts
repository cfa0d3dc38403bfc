/** The last failure of a service, and the log that is kept with it. */
import type { ReconcileContext } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import type { ServiceDeployment, ServiceFailure } from "./crd-status.ts";
import type { ServiceKind } from "./define.ts";
import { explainFailure, failureReason, ofCommit, shownState } from "./messages.ts";
import type { ServiceContext, ServiceNames, ServiceObserved, ServiceTypes } from "./model.ts";
import { failedDeployment, progressIn } from "./progress.ts";

/** How the log of a service is read, to be kept with a failed build or deployment. */
export interface FailureLog<K extends ServiceTypes> {
  /** Returns how many last lines are kept. */
  lines(context: ReconcileContext<K>): number;
  /** Reads the lines, without secrets; undefined where the request was not sent. Never throws an ApiError. */
  read(context: ReconcileContext<K>, lines: number, api: Platform): Promise<readonly string[] | undefined>;
}

/** Returns the last failure, kept until a deployment succeeds, with the time of its first report. Pure. */
export function lastFailure(
  kind: ServiceKind,
  context: ServiceContext,
  observed: ServiceObserved,
): ServiceFailure | undefined {
  const { lastFailure: kept } = context.memory;
  const found = failureIn(kind, context, observed);
  if (found === undefined) return progressIn(kind, context, observed)?.phase === "running" ? undefined : kept;
  const same = reported(kind, context, observed, found);
  const log = linesWanted(kind, context, found) > 0 ? (observed.failureLog ?? same?.log) : undefined;
  return { ...found, at: same?.at ?? context.now.toISOString(), ...(log !== undefined && { log }) };
}

/**
 * Reads the log of a failure once: afterwards the status has it.
 * @returns undefined where none is due
 */
export async function readFailureLog(
  kind: ServiceKind,
  context: ServiceContext,
  observed: ServiceObserved,
  api: Platform,
): Promise<readonly string[] | undefined> {
  if (kind.failureLog === undefined || context.goal !== "present" || context.identitySource !== "recorded")
    return undefined;
  const found = failureIn(kind, context, observed);
  if (found === undefined || reported(kind, context, observed, found)?.log !== undefined) return undefined;
  const lines = linesWanted(kind, context, found);
  return lines === 0 ? undefined : await kind.failureLog.read(context, lines, api);
}

function linesWanted(kind: ServiceKind, context: ServiceContext, { state }: ServiceFailure): number {
  const isExplained = ["BuildFailed", "DeploymentFailed"].includes(failureReason(state));
  return isExplained ? (kind.failureLog?.lines(context) ?? 0) : 0;
}

/** Returns the failure that is observed, without its time and log. */
function failureIn(kind: ServiceKind, context: ServiceContext, observed: ServiceObserved): ServiceFailure | undefined {
  const progress = progressIn(kind, context, observed);
  if (progress?.phase !== "failed") return undefined;
  const state = shownState(progress.state);
  return kind.failure?.(context, observed, state) ?? deploymentFailure(kind, kind.followed(context, observed), state);
}

/** Returns the memory of a failed deployment. @param last the last deployment, with what is known now */
function deploymentFailure(
  kind: ServiceNames,
  last: LastDeployment | undefined,
  state: string,
): ServiceFailure & Pick<LastDeployment, "gitCommitId"> {
  const { gitCommitId, requestId } = failedDeployment(last) ?? {};
  return {
    state,
    message: explainFailure(state, kind, ofCommit(gitCommitId)).message,
    ...(gitCommitId === undefined ? {} : { gitCommitId }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

type LastDeployment = ServiceDeployment & { readonly gitCommitId?: string };

/** Returns the remembered failure if it has the same facts and is not older than the last deployment. */
function reported(
  kind: ServiceKind,
  context: ServiceContext,
  observed: ServiceObserved,
  found: ServiceFailure,
): ServiceFailure | undefined {
  const { lastFailure: kept } = context.memory;
  const startedAt = kind.followed(context, observed)?.startedAt ?? "";
  return kept?.at !== undefined && kept.at >= startedAt && facts(kept) === facts(found) ? kept : undefined;
}

/** Returns everything but message, time and log. */
function facts({ message: _message, at: _at, log: _log, ...rest }: ServiceFailure): string {
  return JSON.stringify(Object.entries(rest).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
