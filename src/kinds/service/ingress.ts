/** The ingress of a service: when it is read, and how it is reported (docs/project/architecture.md §8). */
import type { ConditionFact, Uuid } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { faultCondition, NOT_READ, sideRead, type SideRead } from "../shared/answers.ts";
import { fitOptional, ID } from "../shared/text.ts";
import type { Ingress } from "./crd-status.ts";
import { shownState, stateCondition } from "./messages.ts";
import type { ServiceContext } from "./model.ts";

/** The largest age of an answer that counts as a read of the ingress. In milliseconds. */
const MAX_AGE_MS = 30_000;
/** How long after a deployment its ingress may appear. In milliseconds. */
const INGRESS_FOLLOWS_MS = 600_000;
/** The time after a deployment within which a process that keeps running has made its last read. In milliseconds. */
const INGRESS_READ_BY_MS = 1_800_000;
/** How often an ingress is read without a deployment that may have changed it. In milliseconds. */
const INGRESS_MAX_AGE_MS = 8 * 3_600_000;

/** When a client was first used, and the last read of the ingress of each service through it; all on the wall clock. */
interface IngressReads {
  readonly since: number;
  readonly last: Map<Uuid, IngressRead>;
}

/** The last read of an ingress. The status may lack what it showed, as its write may have failed. */
interface IngressRead {
  readonly at: number;
  readonly shown?: Ingress | undefined;
}

const ingressReads = new WeakMap<Platform, IngressReads>();

function readsOf(api: Platform, now: number): IngressReads {
  const reads = ingressReads.get(api) ?? { since: now, last: new Map<Uuid, IngressRead>() };
  ingressReads.set(api, reads);
  return reads;
}

/** Forgets when the ingress of a service was read: the service is being deleted. */
export function forgetIngress(id: Uuid, api: Platform): void {
  ingressReads.get(api)?.last.delete(id);
}

/**
 * Returns the ingress of a running service: read where it may have changed, else the remembered one. Most services have
 * none, and not every platform shows one.
 * @param isRequestDue whether this reconcile is to send a request that changes what runs
 * @throws ApiError
 */
export async function ingressOf(
  context: ServiceContext,
  type: "application" | "helm",
  id: Uuid,
  status: ServiceStatus,
  api: Platform,
  isRequestDue: () => boolean = () => false,
): Promise<SideRead<Ingress>> {
  const phase = servicePhase(status.state);
  if (phase !== "running" && phase !== "busy") return NOT_READ;
  const now = context.now.getTime();
  const reads = readsOf(api, now);
  const last = reads.last.get(id) ?? readBefore(context, reads);
  reads.last.set(id, last);
  if (phase === "busy" || !isIngressDue(context, last.at, isRequestDue))
    return { value: context.memory.ingress ?? last.shown, fault: undefined };
  const nothing = ["NotFound", "NotSupported"] as const;
  const answer = api.services.ingressStatus(type, id, { isFull: context.isFull, maxAgeMs: MAX_AGE_MS });
  const read = await sideRead(answer, "the ingress", nothing);
  if (read.fault === undefined) reads.last.set(id, { at: now, shown: read.value });
  return read;
}

/**
 * Returns the last read of a new process. A remembered ingress counts as just read if it works, or if the previous
 * process has read it.
 */
function readBefore(context: ServiceContext, { since }: IngressReads): IngressRead {
  const isBelieved = isWorking(context.memory.ingress) || deployedAt(context) + INGRESS_READ_BY_MS < since;
  return { at: isBelieved ? context.now.getTime() : Number.NEGATIVE_INFINITY };
}

/** Returns the remembered ingress of a service that is being deployed. The first reconcile afterwards reads it. */
export function ingressBefore({ memory, now }: ServiceContext, id: Uuid, api: Platform): SideRead<Ingress> {
  readsOf(api, now.getTime()).last.set(id, { at: Number.NEGATIVE_INFINITY });
  return { value: memory.ingress, fault: undefined };
}

/**
 * Reports whether the ingress is to be read: on request, while it does not work, after eight hours, and after a
 * deployment whenever its age has doubled since the last read, until a read ten minutes after it. The reads after a
 * deployment are omitted where this reconcile is to send a request that replaces it.
 */
function isIngressDue(context: ServiceContext, readAt: number, isRequestDue: () => boolean): boolean {
  const { memory, requested } = context;
  const { ingress, lastDeployment } = memory;
  // Without a deployment the status may have been lost, and the ingress with it.
  if (requested !== undefined || lastDeployment === undefined) return true;
  if (ingress !== undefined && !isWorking(ingress)) return true;
  const now = context.now.getTime();
  const endedAt = deployedAt(context);
  const mayAppear = readAt < endedAt + INGRESS_FOLLOWS_MS && now - endedAt >= 2 * (readAt - endedAt);
  if (mayAppear) return now - endedAt >= INGRESS_MAX_AGE_MS || !isRequestDue();
  return now - readAt >= INGRESS_MAX_AGE_MS;
}

/** Returns when the last deployment ended; NaN where that is not known. */
function deployedAt({ memory }: ServiceContext): number {
  return Date.parse(memory.lastDeployment?.finishedAt ?? "");
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
