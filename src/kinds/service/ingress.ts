/** The ingress of a service: when it is read, and how it is reported (docs/architecture.md §8). */
import type { ConditionFact, Uuid } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { faultCondition, NOT_READ, sideRead, type SideRead } from "../shared/answers.ts";
import { fitOptional, ID } from "../shared/text.ts";
import type { Ingress } from "./crd-status.ts";
import { shownState, stateCondition } from "./messages.ts";
import type { ServiceContext } from "./model.ts";

/** The largest age of an ingress that is taken for read. In milliseconds. */
const MAX_AGE_MS = 30_000;
/** How long after a deployment its ingress may appear. In milliseconds. */
const INGRESS_FOLLOWS_MS = 600_000;
/** How often an ingress is read that no deployment may have changed. In milliseconds. */
const INGRESS_MAX_AGE_MS = 8 * 3_600_000;

/** When the ingress of each service was read through a client, on the wall clock. A new process does not know. */
const ingressReads = new WeakMap<Platform, Map<Uuid, number>>();

/** Forgets when the ingress of a service was read, as the service goes. */
export function forgetIngress(id: Uuid, api: Platform): void {
  ingressReads.get(api)?.delete(id);
}

/**
 * Returns the ingress of a running service: read where it may have changed, else the remembered one. Most services have
 * none, and not every platform shows one.
 * @throws ApiError
 */
export async function ingressOf(
  context: ServiceContext,
  type: "application" | "helm",
  id: Uuid,
  status: ServiceStatus,
  api: Platform,
): Promise<SideRead<Ingress>> {
  const phase = servicePhase(status.state);
  if (phase !== "running" && phase !== "busy") return NOT_READ;
  const { ingress } = context.memory;
  const now = context.now.getTime();
  const reads = ingressReads.get(api) ?? new Map<Uuid, number>();
  ingressReads.set(api, reads);
  // A new process believes the remembered one as if it had just read it.
  const readAt = reads.get(id) ?? (isWorking(ingress) ? now : Number.NEGATIVE_INFINITY);
  reads.set(id, readAt);
  if (phase === "busy" || !isIngressDue(context, readAt)) return { value: ingress, fault: undefined };
  const nothing = ["NotFound", "NotSupported"] as const;
  const answer = api.services.ingressStatus(type, id, { maxAgeMs: MAX_AGE_MS });
  const read = await sideRead(answer, "the ingress", nothing);
  if (read.fault === undefined) reads.set(id, now);
  return read;
}

/**
 * Reports whether the ingress is read: on request, until ten minutes after a deployment, while it does not work, and
 * every eight hours.
 */
function isIngressDue({ memory, requested, now }: ServiceContext, readAt: number): boolean {
  const { ingress, lastDeployment } = memory;
  // Without a deployment the status may have been lost, and the ingress with it.
  if (requested !== undefined || lastDeployment === undefined) return true;
  if (ingress !== undefined && !isWorking(ingress)) return true;
  const endedAt = Date.parse(lastDeployment.finishedAt ?? "");
  return readAt < endedAt + INGRESS_FOLLOWS_MS || now.getTime() - readAt >= INGRESS_MAX_AGE_MS;
}

function isWorking(ingress: Ingress | undefined): boolean {
  return servicePhase(ingress?.status ?? "") === "running";
}

/** Returns the condition IngressReady; none without an ingress, Unknown where its read failed. */
export function ingressReady({ value, fault }: SideRead<Ingress>): readonly ConditionFact[] {
  if (value?.status === undefined) return faultCondition("IngressReady", fault);
  return [stateCondition("IngressReady", value.status, "ingress")];
}

/** Returns the members of status. While a read fails, the ingress has no state, so that it is read again. */
export function ingressFields({ value: ingress, fault }: SideRead<Ingress>) {
  if (fault !== undefined) return {};
  return (
    ingress && {
      routerId: fitOptional(ingress.routerId, ID),
      status: ingress.status && shownState(ingress.status),
    }
  );
}
