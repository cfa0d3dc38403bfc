/** What the platform's states mean, as reasons and messages. A message does not change while the state does not. */
import type { Reason } from "../../api/reasons.ts";
import type { ConditionFact, StatusReason } from "../../engine/contract/kind.ts";
import { deploymentCondition, fitsReason } from "../../platform/codec/states.ts";
import type { ServiceDeployment } from "./crd-status.ts";
import type { Noun, ServiceNames } from "./model.ts";

const BUSY: readonly (readonly [pattern: RegExp, reason: Reason])[] = [
  [/QUEUED$/, "Queued"],
  [/^BUILDING$/, "Building"],
  [/^CANCEL/, "Canceling"],
  [/DELETING$/, "Deleting"],
  [/RESTARTING$/, "Restarting"],
  [/STOPPING$/, "Stopping"],
  [/^(DEPLOYING|WAITING_RUNNING)$/, "Deploying"],
];

/** Returns the reason of work under way. @param of what it is done for, e.g. "commit 1a2b3c4" */
export function busy(state: string, of?: string): StatusReason {
  const reason = BUSY.find(([pattern]) => pattern.test(state))?.[1] ?? "Progressing";
  return { reason, message: `The platform reports ${state}${forWhat(of)}.` };
}

const FAILED: ReadonlyMap<string, Reason> = new Map([
  ["BUILD_ERROR", "BuildFailed"],
  ["DEPLOYMENT_ERROR", "DeploymentFailed"],
  ["STOP_ERROR", "StopFailed"],
  ["RESTART_ERROR", "RestartFailed"],
  ["DELETE_ERROR", "DeleteFailed"],
  ["CANCELED", "Canceled"],
]);

/** Returns the reason for a failed state. */
export function failureReason(state: string): Reason {
  return FAILED.get(state) ?? "DeploymentFailed";
}

const RETRY = ", or request a retry with the annotation platform-operator.io/reconcile-requested-at";

interface Failing extends Pick<ServiceNames, "noun" | "advice"> {
  /** Whether a reconcile request retries what failed; true by default. */
  readonly isRetried?: boolean;
}

/**
 * Returns the reason and message of a failure, with what to do about it.
 * @param of what failed, e.g. "commit 1a2b3c4"
 */
export function explainFailure(state: string, { noun, advice, isRetried = true }: Failing, of?: string): StatusReason {
  const what = advice.get(state) ?? CANCELED_ADVICE.get(state) ?? `Look at the ${noun} on the platform`;
  return {
    reason: failureReason(state),
    message: `The platform reports ${state}${forWhat(of)}. ${what}${isRetried ? RETRY : ""}.`,
  };
}

const CANCELED_ADVICE: ReadonlyMap<string, string> = new Map([
  ["CANCELED", "It was canceled, or another service of the environment failed first. Start it again on the platform"],
]);

/** Returns the first seven digits. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 7);
}

/** Returns what is deployed, for messages; undefined for what has no commits. */
export function ofCommit(commit: string | undefined): string | undefined {
  return commit === undefined ? undefined : `commit ${shortCommit(commit)}`;
}

function forWhat(of: string | undefined): string {
  return of === undefined ? "" : ` for ${of}`;
}

const LONGEST_STATE = 64;

/** Returns the reason of a state that does not show whether the service works. */
export function unknownState(state: string, noun: Noun): StatusReason {
  const message = `The platform reports ${shownState(state)}, which does not show whether the ${noun} works. The operator keeps checking.`;
  return { reason: "UnknownState", message };
}

/** Returns the reason to wait with a stop: the state does not show whether there is something to stop. */
export function unclearStop(state: string, noun: Noun): StatusReason {
  const message = `The platform reports ${shownState(state)}, which does not show whether the ${noun} runs, so it is not stopped.`;
  return { reason: "UnknownState", message };
}

/** Returns a state as it is shown: printable, at most 64 characters. */
export function shownState(state: string): string {
  return state.replaceAll(/[^\u0020-\u007E]/g, "?").slice(0, LONGEST_STATE);
}

/**
 * Returns a condition with the platform's state verbatim as its reason, where the API server accepts it
 * (docs/project/architecture.md §5).
 */
export function stateCondition(type: string, state: string, what: string): ConditionFact {
  const reason = fitsReason(state) ? state : "UnknownState";
  return {
    type,
    status: deploymentCondition(state),
    reason,
    message: `The platform reports ${shownState(state)} for the ${what}.`,
  };
}

/** Returns a duration as Go writes it, e.g. "2m14s". */
export function durationText(seconds: number): string {
  const units = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = units.slice(units.findIndex((value, unit) => value > 0 || unit === 2));
  return shown.map((value, at) => `${value}${"hms".slice(-shown.length)[at]}`).join("");
}

/** Returns how many seconds a deployment of the operator took; undefined if its start or its end was not observed. */
export function secondsTaken({ startedAt, finishedAt }: ServiceDeployment): number | undefined {
  if (startedAt === undefined || finishedAt === undefined) return undefined;
  return Math.max(0, Math.round((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000));
}
