/** The baseline of a service: what it showed before a request, to detect later whether it changed. Pure. */
import { z } from "zod";

import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { ServiceDeployment } from "./crd-status.ts";

/** Returns what the service shows now, as text for a status. */
export function baselineOf(status: ServiceStatus | undefined): string {
  return JSON.stringify([
    status?.lastDeploymentDate ?? null,
    status?.executionId ?? null,
    status?.deploymentRequestsCount ?? null,
  ]);
}

const baseline = z.array(z.unknown());

/** The values of an unknown baseline: no date, no run, nothing in the queue. */
const UNKNOWN = [null, null, 0];

/**
 * Reports whether the service changed since `before`. What it does not show now means nothing: one read may show less
 * than another.
 */
export function movedPast(before: string | undefined, status: ServiceStatus): boolean {
  const old = baseline.safeParse(tryParse(before ?? "")).data;
  const now = baseline.parse(tryParse(baselineOf(status)));
  return old === undefined || now.some((value, index) => value !== null && value !== (old[index] ?? UNKNOWN[index]));
}

/** Reports whether the date of the last deployment changed; true where no baseline is known. */
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

/** Reports whether the platform ever deployed the service. */
export function everDeployed(status: ServiceStatus | undefined): boolean {
  if (status === undefined) return false;
  if (status.serviceDeploymentStatus === "NEVER_DEPLOYED") return false;
  return status.lastDeploymentDate !== undefined || servicePhase(status.state) === "running";
}

/** Reports whether a deployment failed. */
export function hasFailed({ state = "" }: ServiceDeployment): boolean {
  return servicePhase(state) === "failed";
}
