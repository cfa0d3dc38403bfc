/** What a service showed before an order, for telling later whether something new happened to it. Pure. */
import { z } from "zod";

import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { ServiceDeployment } from "./crd-status.ts";

/** What the service shows now, as text that a status can hold. */
export function baselineOf(status: ServiceStatus | undefined): string {
  return JSON.stringify([
    status?.lastDeploymentDate ?? null,
    status?.executionId ?? null,
    status?.deploymentRequestsCount ?? null,
  ]);
}

const baseline = z.array(z.unknown());

/** What an unknown member of a baseline is taken for: no date, no run, nothing in the queue. */
const UNKNOWN = [null, null, 0];

/**
 * Whether the service shows something new since `before` was taken. What it does not show now says nothing: one read
 * may show less than another.
 */
export function movedPast(before: string | undefined, status: ServiceStatus): boolean {
  const old = baseline.safeParse(tryParse(before ?? "")).data;
  const now = baseline.parse(tryParse(baselineOf(status)));
  return old === undefined || now.some((value, index) => value !== null && value !== (old[index] ?? UNKNOWN[index]));
}

/** Whether the service shows another date of its last deployment than before; true where no baseline is known. */
export function isDeployedSince(before: string | undefined, { lastDeploymentDate }: ServiceStatus): boolean {
  const old = baseline.safeParse(tryParse(before ?? "")).data;
  return old === undefined || (lastDeploymentDate !== undefined && lastDeploymentDate !== old[0]);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the platform ever deployed the service. */
export function everDeployed(status: ServiceStatus | undefined): boolean {
  if (status === undefined) return false;
  if (status.serviceDeploymentStatus === "NEVER_DEPLOYED") return false;
  return status.lastDeploymentDate !== undefined || servicePhase(status.state) === "running";
}

/** Whether a deployment ended in a failure. */
export function hasFailed({ state = "" }: ServiceDeployment): boolean {
  return servicePhase(state) === "failed";
}
