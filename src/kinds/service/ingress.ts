/** The ingress of a service: an application, or a Helm chart that came from a blueprint. */
import type { ConditionFact, Uuid } from "../../engine/kind.ts";
import type { Platform } from "../../platform/index.ts";
import type { ServiceStatus } from "../../platform/service-status.ts";
import type { IngressStatus } from "../../platform/services.ts";
import { servicePhase } from "../../platform/states.ts";
import { fitOptional, ID } from "../text.ts";
import { orMissing } from "./observe.ts";
import { shownState, stateCondition } from "./words.ts";

/** It changes rarely. In milliseconds. */
const MAX_AGE_MS = 30_000;

/**
 * The ingress of a service that runs; most have none, and not every platform shows one.
 * @throws ApiError
 */
export async function ingressOf(
  type: "application" | "helm",
  id: Uuid,
  status: ServiceStatus,
  api: Platform,
): Promise<IngressStatus | undefined> {
  if (servicePhase(status.state) !== "running") return undefined;
  const read = api.services.ingressStatus(type, id, { maxAgeMs: MAX_AGE_MS });
  return await orMissing(read, ["NotFound", "NotSupported", "BadResponse"]);
}

/** The condition IngressReady; none without an ingress. */
export function ingressReady(ingress: IngressStatus | undefined): readonly ConditionFact[] {
  return ingress?.status === undefined ? [] : [stateCondition("IngressReady", ingress.status, "ingress")];
}

/** What a status holds of it. */
export function ingressFields(ingress: IngressStatus | undefined) {
  return (
    ingress && {
      routerId: fitOptional(ingress.routerId, ID),
      status: ingress.status && shownState(ingress.status),
    }
  );
}
