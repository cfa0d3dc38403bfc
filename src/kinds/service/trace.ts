/**
 * The baseline of a service before a request, and the trace that finds out later whether the request took effect
 * (docs/architecture.md §6).
 */
import { z } from "zod";

import { timeText } from "../../api/status.ts";
import type { Json, OpenIntent, Trace } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { jsonIn } from "../../platform/codec/json.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import { isOfOtherWork, isOfStop, servicePhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { baseline, createUnknown, traceIn } from "../shared/create-trace.ts";
import { readOnFull, type WithSurface } from "../shared/surface.ts";
import type { ServiceDeployment } from "./crd-status.ts";
import type { ServiceKind } from "./define.ts";
import { shownState } from "./messages.ts";
import type { ServiceContext, ServiceMemory, ServiceObserved, ShownStatus } from "./model.ts";
import { areaOf } from "./observe.ts";

/**
 * Returns the baseline of a service, as text for a status. For a service that was not read, it is the platform's time:
 * a later deployment has a later date.
 */
export function serviceBaseline(status: ShownStatus | undefined): string {
  return JSON.stringify([
    status?.lastDeploymentDate ?? null,
    status?.executionId ?? null,
    status?.deploymentRequestsCount ?? null,
    ...(status?.impliedAt === undefined ? [] : [status.impliedAt]),
  ]);
}

const stored = z.array(z.unknown());

/** The values of an unknown baseline: no date, no run, nothing in the queue. */
const UNKNOWN = [null, null, 0];

/**
 * Reports whether the service changed since `before`. A member that it does not show now does not count: one read may
 * show less than another.
 */
export function movedPast(before: string | undefined, status: ServiceStatus): boolean {
  const old = stored.safeParse(jsonIn(before ?? "")).data;
  if (old?.[IMPLIED_AT] !== undefined) return isDeployedSince(before, status);
  const now = stored.parse(jsonIn(serviceBaseline(status)));
  return old === undefined || now.some((value, index) => value !== null && value !== (old[index] ?? UNKNOWN[index]));
}

/** The index of the platform's time in a baseline. */
const IMPLIED_AT = 3;

/**
 * Reports whether the date of the last deployment changed, or is not before the platform's time of the baseline; true
 * where no baseline is known.
 */
export function isDeployedSince(before: string | undefined, { lastDeploymentDate }: ServiceStatus): boolean {
  const old = stored.safeParse(jsonIn(before ?? "")).data;
  if (old === undefined) return true;
  if (lastDeploymentDate === undefined) return false;
  const impliedAt = old[IMPLIED_AT];
  if (typeof impliedAt !== "string") return lastDeploymentDate !== old[0];
  return Date.parse(lastDeploymentDate) >= Date.parse(impliedAt);
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

/**
 * Returns what a later trace of a request compares with, and the user's request. Undefined members are left out. A state
 * that was concluded without a read is no baseline.
 */
export function orderMark(
  { requested }: ServiceContext,
  status: ShownStatus | undefined,
  rest: Readonly<Record<string, Json | undefined>> = {},
): Json {
  return {
    baseline: serviceBaseline(status),
    state: status?.impliedAt === undefined ? (status?.state ?? null) : null,
    requestId: status?.deploymentRequestId ?? null,
    retry: requested,
    ...rest,
  };
}

type Traced = Trace<ServiceObserved, ServiceMemory>;

/** Finds out whether an unconfirmed request took effect. @throws ApiError */
export async function traceService(
  kind: ServiceKind,
  intent: OpenIntent,
  context: ServiceContext,
  api: Platform,
): Promise<Traced> {
  if (intent.creates && kind.traceCreate !== undefined) return await kind.traceCreate(intent, context, api);
  if (intent.creates) {
    const { inputs, now } = context;
    const area = areaOf(kind, api);
    const list = await readOnFull(context, api, () => area.list(intent.parentId ?? inputs.environmentId));
    if (list === undefined) return unlisted(intent, kind.operations.list, context);
    // As after the answer to the create: the state counts until the platform shows one.
    const memory = { ...context.memory, state: "READY", stateSince: timeText(now) };
    return traceIn(intent, context, list, list, ({ id }) => ({ observed: kind.nothingObserved, memory, id }));
  }
  const status = await kind.statusOf?.(intent, context, api);
  if (status === "unshown") return kind.unconfirmed?.(intent, context) ?? { is: "absent" };
  return status === undefined ? { is: "absent" } : traceOrder(kind, intent, context, status);
}

/**
 * Returns the result of the trace of a create for which `readOnFull` returned no list.
 * @param operation that lists what was to be created
 */
export function unlisted({ name }: OpenIntent, operation: OperationName, { isFull }: WithSurface) {
  if (!isFull)
    return { is: "unknowable", why: createUnknown(name, "its surface has no list to look it up in") } as const;
  const because = `it does not answer ${operation}, the list to look it up in`;
  return { is: "unread", why: createUnknown(name, because) } as const;
}

/** Reports whether a request to deploy or to stop was executed. @param status of the service now */
function traceOrder(kind: ServiceKind, intent: OpenIntent, context: ServiceContext, status: ServiceStatus): Traced {
  const { memory, now } = context;
  const { mark } = intent;
  const observed = { ...kind.nothingObserved, status };
  if (intent.op === kind.operations.stop) {
    if (!showsStop(mark, status)) return { is: "absent" };
    return { is: "landed", known: [{ observed, memory: { ...memory, runState: "Stopped" } }] };
  }
  if (!showsDeployment(mark, status)) return { is: "absent" };
  const lastDeployment = { ...markedDeployment(kind, intent), ...landedDeployment(intent, status, now) };
  const replaced = kind.replaced?.(memory, memory.lastDeployment);
  const lastHandledRedeployAt = textIn(mark, "redeploy") ?? memory.lastHandledRedeployAt;
  return {
    is: "landed",
    known: [
      { observed, memory: { ...memory, ...replaced, runState: "Running", lastDeployment, lastHandledRedeployAt } },
    ],
  };
}

/** Reports whether the service is stopped, or shows a stop that it did not show before the request. */
function showsStop(mark: Json, status: ServiceStatus): boolean {
  if (!isOfStop(status.state)) return false;
  if (servicePhase(status.state) === "stopped") return true;
  const isNews = movedPast(textIn(mark, "baseline"), status) || isFresh(mark, status);
  return isNews || status.state !== textIn(mark, "state");
}

/**
 * Reports whether the service shows a deployment that it did not show before the request. A stop, a restart or a
 * deletion by others since is none, although it is a new run.
 */
function showsDeployment(mark: Json, status: ServiceStatus): boolean {
  const [before, stateBefore] = [textIn(mark, "baseline"), textIn(mark, "state")];
  if (isFresh(mark, status) || isDeployedSince(before, status)) return true;
  if (isOfOtherWork(status.state) && status.state !== stateBefore) return false;
  const isWorking = servicePhase(status.state) === "busy" && servicePhase(stateBefore ?? "") !== "busy";
  return isWorking || movedPast(before, status);
}

/** Returns the deployment that an intent describes, as far as the kind's memory has its members. */
function markedDeployment(
  { resource }: ServiceKind,
  { mark, commit: gitCommitId = "" }: OpenIntent,
): ServiceDeployment | undefined {
  const members = ["settings", "variables", "variablesAt", "retry", "attempts"];
  const marked = Object.fromEntries(members.map((member) => [member, baseline(mark, member)]));
  const parsed = (lastDeployment: object) => resource.memory.parse({ lastDeployment }).lastDeployment;
  return parsed({ ...marked, gitCommitId }) ?? parsed({ gitCommitId });
}

/** Returns what the service shows of the deployment that landed; `baseline` is that of the mark. */
function landedDeployment({ mark }: OpenIntent, status: ServiceStatus, now: Date) {
  return {
    requestId: isFresh(mark, status) ? status.deploymentRequestId : undefined,
    baseline: textIn(mark, "baseline"),
    state: shownState(status.state),
    startedAt: now.toISOString(),
  };
}

/** Reports whether the service shows another request than before the traced one. */
function isFresh(mark: Json, { deploymentRequestId: id }: ServiceStatus): boolean {
  return id !== undefined && id !== baseline(mark, "requestId");
}

function textIn(mark: Json, member: string): string | undefined {
  const value = baseline(mark, member);
  return typeof value === "string" ? value : undefined;
}
