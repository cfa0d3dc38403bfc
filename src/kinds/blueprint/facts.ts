/** The facts of a blueprint that its plan and its report are made of. Pure. */
import { requestPhase } from "../../platform/codec/states.ts";
import { shownState } from "../service/messages.ts";
import { serviceRecord } from "../service/model.ts";
import {
  advanced,
  askedProgress,
  movedPast,
  type Progress,
  serviceBaseline,
  serviceProgress,
} from "../service/progress.ts";
import { revisionOf } from "../service/settings.ts";
import type { BlueprintMemory } from "./crd.ts";
import { type BlueprintContext, isToRun, NAMES, type Observed } from "./model.ts";

export interface BlueprintFacts {
  /** How the work on the service is going; undefined where nothing shows it. */
  readonly progress: Progress | undefined;
  /** The last deployment, with what is known of it now. */
  readonly last: BlueprintMemory["lastDeployment"];
  /** Settings or variables were written since the last deployment. */
  readonly isPending: boolean;
}

/** Gathers the facts. */
export function blueprintFacts(context: BlueprintContext, observed: Observed): BlueprintFacts {
  const { memory, policies } = context;
  const progress = blueprintProgress(context, observed);
  const last = followed(context, observed, progress);
  const isPending =
    policies.pendingOperations.has(NAMES.operations.update) || revisionOf(memory) !== (last?.settings ?? 0);
  return { progress, last, isPending };
}

/**
 * Returns the progress by the service's own state; where the platform does not show that, by the deployment request
 * that followed the creation, or by the recorded end of the deployment.
 */
function blueprintProgress(context: BlueprintContext, observed: Observed): Progress | undefined {
  const last = context.memory.lastDeployment;
  if (observed.siblings !== undefined) return serviceProgress(last, observed);
  if (observed.request !== undefined) return askedProgress(observed.request);
  if (last?.finishedAt === undefined) return undefined;
  const progress: Progress = { state: shownState(last.state ?? ""), phase: requestPhase(last.state ?? ""), ours: true };
  // The platform does not show what others do about a failure. If the service is not to run, it is left to them.
  return progress.phase === "running" || isToRun(context) ? progress : undefined;
}

/** Reports whether the list shows the service. Without a list, a recorded service counts as shown. */
export function isBlueprintShown(context: BlueprintContext, observed: Observed): boolean {
  return observed.siblings === undefined || serviceRecord(context, observed) !== undefined;
}

/**
 * Returns the last deployment. Neither the creation nor a later deployment returns the request that it made: the first
 * one that the service shows afterwards is it.
 */
function followed(
  { memory, now }: BlueprintContext,
  observed: Observed,
  progress: Progress | undefined,
): BlueprintMemory["lastDeployment"] {
  const last = memory.lastDeployment;
  if (last === undefined || last.finishedAt !== undefined) return advanced(last, progress, observed, now);
  const { status } = observed;
  const isFirst = last.baseline === serviceBaseline(undefined);
  const isOther = status !== undefined && (isFirst || movedPast(last.baseline, status));
  const requestId = last.requestId ?? (isOther ? status.deploymentRequestId : undefined);
  return advanced(requestId === undefined ? last : { ...last, requestId }, progress, observed, now);
}
