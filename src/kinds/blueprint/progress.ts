/** The progress of the service of a blueprint. Pure. */
import { requestPhase } from "../../platform/codec/states.ts";
import { askedProgress, progressOf, type Progress } from "../service/progress.ts";
import { shownState } from "../service/words.ts";
import { isToRun, type BlueprintContext, type Seen } from "./model.ts";

/**
 * Returns the progress by the service's own state; where the platform does not show that, by the deployment request
 * that followed the creation, or by its end.
 */
export function progressIn(context: BlueprintContext, seen: Seen): Progress | undefined {
  const last = context.memory.lastDeployment;
  if (seen.siblings !== undefined) return progressOf(last, seen);
  if (seen.request !== undefined) return askedProgress(seen.request);
  if (last?.finishedAt === undefined) return undefined;
  const progress: Progress = { state: shownState(last.state ?? ""), phase: requestPhase(last.state ?? ""), ours: true };
  // What others do about a failure is not shown, and may be left to them.
  return progress.phase === "running" || isToRun(context) ? progress : undefined;
}
