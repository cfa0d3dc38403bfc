/** Did an old order land? Pure but for its two callers' reads. */
import type { Json, OpenIntent } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { baseline } from "../shared/create-trace.ts";
import { baselineOf, movedPast } from "./baseline.ts";
import type { ServiceContext } from "./model.ts";
import { shownState } from "./words.ts";

/**
 * What a later trace compares an order with, and what it is given with, the user's request among it; members of `rest`
 * that are undefined vanish.
 */
export function orderMark(
  { requested }: ServiceContext,
  status: ServiceStatus | undefined,
  rest: Readonly<Record<string, Json | undefined>> = {},
): Json {
  return {
    baseline: baselineOf(status),
    requestId: status?.deploymentRequestId ?? null,
    retry: requested,
    ...rest,
  };
}

/** Whether the status shows that the order to stop was carried out. */
export function stopLanded(status: ServiceStatus): boolean {
  return /^STOP|STOPPING$/.test(status.state);
}

/** Whether the status shows that the order to deploy was carried out. @param intent its mark is an orderMark */
export function deployLanded({ mark }: OpenIntent, status: ServiceStatus): boolean {
  return movedPast(textIn(mark, "baseline"), status) || isFresh(mark, status) || servicePhase(status.state) === "busy";
}

/** What the service tells of the deployment that landed; `baseline` is that of the mark. */
export function landedDeployment({ mark }: OpenIntent, status: ServiceStatus, now: Date) {
  const before = textIn(mark, "baseline");
  return {
    ...(isFresh(mark, status) && status.deploymentRequestId !== undefined
      ? { requestId: status.deploymentRequestId }
      : {}),
    ...(before === undefined ? {} : { baseline: before }),
    state: shownState(status.state),
    startedAt: now.toISOString(),
  };
}

/** Whether the service shows another request than before the order. */
function isFresh(mark: Json, { deploymentRequestId: id }: ServiceStatus): boolean {
  return id !== undefined && id !== baseline(mark, "requestId");
}

function textIn(mark: Json, member: string): string | undefined {
  const value = baseline(mark, member);
  return typeof value === "string" ? value : undefined;
}
