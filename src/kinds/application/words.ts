/** What the platform's states mean to people. Messages do not change while the state does not. */
import type { Why } from "../../engine/kind.ts";
import type { Reason } from "../../resources/base/reasons.ts";

/** The first seven digits. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 7);
}

const BUSY: readonly (readonly [pattern: RegExp, reason: Reason])[] = [
  [/QUEUED$/, "Queued"],
  [/^BUILDING$/, "Building"],
  [/^CANCEL/, "Canceling"],
  [/DELETING$/, "Deleting"],
  [/RESTARTING$/, "Restarting"],
  [/STOPPING$/, "Stopping"],
  [/^(DEPLOYING|WAITING_RUNNING)$/, "Deploying"],
];

/** Work under way. */
export function busy(state: string, commit: string | undefined): Why {
  const reason = BUSY.find(([pattern]) => pattern.test(state))?.[1] ?? "Progressing";
  const what = commit === undefined ? "" : ` for commit ${shortCommit(commit)}`;
  return { reason, message: `The platform reports ${state}${what}.` };
}

const FAILED: ReadonlyMap<string, readonly [reason: Reason, advice: string]> = new Map([
  [
    "BUILD_ERROR",
    ["BuildFailed", "Read the build log on the platform and set spec.deploy.gitCommitId to a commit that builds"],
  ],
  [
    "DEPLOYMENT_ERROR",
    ["DeploymentFailed", "Read the application's log and set spec.deploy.gitCommitId to a commit that starts"],
  ],
  ["STOP_ERROR", ["StopFailed", "Look at the application on the platform"]],
  ["RESTART_ERROR", ["RestartFailed", "Read the application's log"]],
  ["DELETE_ERROR", ["DeleteFailed", "Look at the application on the platform"]],
  ["CANCELED", ["Canceled", "It was cancelled, or another service of the environment failed first"]],
]);

const RETRY = "or request a retry with the annotation platform-operator.io/reconcile-requested-at";

/** A failure, with what to do about it. */
export function failure(state: string, commit: string | undefined): Why {
  const [reason, advice] =
    FAILED.get(state) ?? (["DeploymentFailed", "Look at the application on the platform"] as const);
  const what = commit === undefined ? "" : ` for commit ${shortCommit(commit)}`;
  return { reason, message: `The platform reports ${state}${what}. ${advice}, ${RETRY}.` };
}

const LONGEST_STATE = 64;

/** A state that is not documented: nothing is done about it. */
export function unknownState(state: string): Why {
  return {
    reason: "UnknownState",
    message: `The platform reports ${shownState(state)}, which says nothing about the application. The operator waits and does nothing.`,
  };
}

/** A state as it can be shown: printable, at most 64 characters. */
export function shownState(state: string): string {
  return state.replaceAll(/[^\u0020-\u007E]/g, "?").slice(0, LONGEST_STATE);
}
