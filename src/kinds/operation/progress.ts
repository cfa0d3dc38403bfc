/** The progress of an accepted request. Pure. */
import { clusterPhase, servicePhase, type Phase } from "../../platform/codec/states.ts";
import { clusterFacts } from "../cluster/model.ts";
import { showsClusters } from "../cluster/observe.ts";
import { clusterBaseline } from "../cluster/order.ts";
import { shownState } from "../service/messages.ts";
import { advanced, askedProgress, serviceProgress, type Progress } from "../service/progress.ts";
import { serviceBaseline } from "../service/trace.ts";
import type { OperationMemory } from "./crd.ts";
import { actionOf, type Observed, type OperationAction, type OperationContext } from "./model.ts";

/**
 * Reports whether the platform shows how the operation ends: for a database it needs the states of services or the id
 * of the request, for a cluster the documented surface has nothing. Before a request is accepted, reports whether the
 * platform may show it.
 */
export function isTargetShown(
  { supports, memory: { request } }: OperationContext,
  { target }: OperationAction,
): boolean {
  switch (target) {
    case "application":
      return true;
    case "cluster":
      return showsClusters(supports);
    case "database":
      return (
        supports("listServiceStatuses") === "Supported" || request === undefined || request.requestId !== undefined
      );
    case undefined:
      return false;
    default:
      return target satisfies never;
  }
}

/** Returns the phase of the target, whoever caused it; undefined where it is not shown. */
export function phaseOf({ status, cluster }: Observed): Phase | undefined {
  if (cluster !== undefined) return clusterPhase(cluster.status);
  return status === undefined ? undefined : servicePhase(status.state);
}

/** Returns the baseline of the target, to detect later whether it changed. */
export function targetBaseline({ status, cluster }: Observed): string {
  return cluster === undefined ? serviceBaseline(status) : clusterBaseline(clusterFacts(cluster));
}

/** Returns the progress of the accepted request; undefined where nothing shows it now. */
export function requestProgress(context: OperationContext, observed: Observed): Progress | undefined {
  const { status, request, cluster } = observed;
  // A target that was stopped before shows no change after another stop.
  const isDone = request === undefined && isStop(context) && phaseOf(observed) === "stopped";
  const sent = isDone ? undefined : context.memory.request;
  if (cluster !== undefined) {
    const isNews = sent?.baseline !== clusterBaseline(clusterFacts(cluster));
    return { state: shownState(cluster.status), phase: isNews ? clusterPhase(cluster.status) : "busy", ours: true };
  }
  if (status !== undefined) return serviceProgress(sent, observed);
  return request && askedProgress(request);
}

const isStop = (context: OperationContext): boolean => actionOf(context)?.wanted === "stopped";

/** Returns the request with what is known of it now. */
export function currentRequest(context: OperationContext, observed: Observed): OperationMemory["request"] {
  const request = advanced(context.memory.request, requestProgress(context, observed), observed, context.now);
  // A queued state does not count, as it is also assumed for every accepted request.
  const isAtWork = observed.cluster?.status.endsWith("ING") === true;
  if (request === undefined || !isAtWork) return request;
  // A list shows only the state, which may be the same at the end as at the beginning.
  const { baseline: _baseline, ...rest } = request;
  return rest;
}
