/** The earlier deployments of an application, and how long its last deployment took. Pure. */
import { z } from "zod";

import { atomicList, count, text, time } from "../../api/status.ts";
import type { ServiceDeployment } from "../service/crd-status.ts";
import { secondsTaken, shortCommit } from "../service/messages.ts";

const MOST = 10;

const earlier = z
  .object({
    commit: text.describe("Commit that was deployed."),
    state: text.optional().describe("State of the deployment when the next one began, verbatim."),
    at: time.optional().describe("Time of its end, or of its start if the end was not observed."),
    seconds: count.optional().describe("Duration."),
  })
  .describe("A deployment.");

/** The schema of status.history. It is written with `lastDeployment`, when another deployment begins. */
export const history = atomicList(earlier, MOST, `Deployments before lastDeployment, newest first, at most ${MOST}.`);

type History = z.output<typeof history>;
type Deployment = ServiceDeployment & { readonly gitCommitId: string };

/** Returns the history once another deployment replaces `last`. @param last with what is known of it now */
export function historyWith(known: History, last: Deployment | undefined): History {
  if (last === undefined) return known;
  const { gitCommitId: commit, state, startedAt, finishedAt } = last;
  const at = (finishedAt ?? startedAt)?.replace(/\.\d+Z$/, "Z");
  return [{ commit, state, at, seconds: secondsTaken(last) }, ...(known ?? [])].slice(0, MOST);
}

/** Returns the text of the event of a successful deployment; undefined where its time is not known. */
export function successNote(last: Deployment): string | undefined {
  const seconds = secondsTaken(last);
  if (seconds === undefined) return undefined;
  return `Commit ${shortCommit(last.gitCommitId)} was deployed in ${spoken(seconds)}.`;
}

/** Returns e.g. "2 min 14 s". */
function spoken(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return [...(minutes > 0 ? [`${minutes} min`] : []), ...(rest > 0 || minutes === 0 ? [`${rest} s`] : [])].join(" ");
}
