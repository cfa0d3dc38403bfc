/** The ingress of a service: an application, or a Helm chart that came from a blueprint. */
import type { ConditionFact, Uuid } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { IngressStatus } from "../../platform/areas/services.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { faultCondition, NOT_READ, sideRead, type SideRead } from "../shared/side-read.ts";
import { fitOptional, ID } from "../shared/text.ts";
import { shownState, stateCondition } from "./words.ts";

/** The ingress changes rarely. In milliseconds. */
const MAX_AGE_MS = 30_000;

/**
 * Reads the ingress of a running service. Most have none, and not every platform shows one.
 * @throws ApiError
 */
export async function ingressOf(
  type: "application" | "helm",
  id: Uuid,
  status: ServiceStatus,
  api: Platform,
): Promise<SideRead<IngressStatus>> {
  if (servicePhase(status.state) !== "running") return NOT_READ;
  const read = api.services.ingressStatus(type, id, { maxAgeMs: MAX_AGE_MS });
  return await sideRead(read, "the ingress", ["NotFound", "NotSupported", "BadResponse"]);
}

/** Returns the condition IngressReady; none without an ingress, Unknown where its read failed. */
export function ingressReady({ value, fault }: SideRead<IngressStatus>): readonly ConditionFact[] {
  if (value?.status === undefined) return faultCondition("IngressReady", fault);
  return [stateCondition("IngressReady", value.status, "ingress")];
}

/** Returns the members of status. */
export function ingressFields({ value: ingress }: SideRead<IngressStatus>) {
  return (
    ingress && {
      routerId: fitOptional(ingress.routerId, ID),
      status: ingress.status && shownState(ingress.status),
    }
  );
}
