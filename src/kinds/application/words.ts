/** Messages about the deployment of commits. */
import type { Why } from "../../engine/contract/kind.ts";
import { failure as serviceFailure } from "../service/words.ts";

/** Returns the first seven digits. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 7);
}

/** Returns what a deployment is of, for messages. */
export function ofCommit(commit: string | undefined): string | undefined {
  return commit === undefined ? undefined : `commit ${shortCommit(commit)}`;
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  ["BUILD_ERROR", "Read the build log on the platform and set spec.deploy.gitCommitId to a commit that builds"],
  ["DEPLOYMENT_ERROR", "Read the application's log and set spec.deploy.gitCommitId to a commit that starts"],
  ["RESTART_ERROR", "Read the application's log"],
]);

/** The reason of a failure, with what to do about it. */
export function failure(state: string, commit: string | undefined): Why {
  return serviceFailure(state, "application", ADVICE, ofCommit(commit));
}
