/** Reads an application: with few requests, shared with its siblings where the surface allows. */
import type { Uuid } from "../../engine/contract/kind.ts";
import type { Application } from "../../platform/areas/applications.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { logLinesDue } from "../service/failure.ts";
import { forgetIngress, ingressBefore, ingressOf } from "../service/ingress.ts";
import type { Siblings } from "../service/model.ts";
import {
  impliedStatus,
  isGone,
  listServices,
  observeStart,
  type ServiceStart,
  statusesOf,
} from "../service/observe.ts";
import { isUnsent } from "../service/settings.ts";
import { sideRead, unlessMissing } from "../shared/answers.ts";
import { redeployDue } from "../shared/redeploy.ts";
import { runFacts } from "../shared/run-schedule.ts";
import { readOnFull } from "../shared/surface.ts";
import { isInPlace } from "../variables/compare.ts";
import { forgetLooks, isLookDue, noteLook, readLists } from "../variables/read.ts";
import { type ApplicationFacts, applicationFacts, lastWrite, deployedDifference } from "./facts.ts";
import { readFailureLog } from "./failure-log.ts";
import { APPLICATION_SETTINGS, type ApplicationContext, NAMES, NOTHING_OBSERVED, type Observed } from "./model.ts";

/** Reads an application, and the log of a failure that is not reported yet. @throws ApiError */
export async function observe(context: ApplicationContext, api: Platform): Promise<Observed> {
  const start = await observeStart(context, api);
  if (!start.parents.environmentIsOurs) return { ...NOTHING_OBSERVED, ...start.parents };
  const listed = await listServices(api.applications, APPLICATION_SETTINGS, context, start.isFresh, api);
  const observed = { ...(await observeListed(context, start, listed, api)), serverNow: api.serverNow() };
  const lines = logLinesDue(context, applicationFacts(context, observed).failure);
  return lines === 0 ? observed : { ...observed, failureLog: await readFailureLog(context, lines, api) };
}

async function observeListed(
  context: ApplicationContext,
  { parents, request, isFresh }: ServiceStart,
  listed: Siblings<Application> | "gone",
  api: Platform,
): Promise<Observed> {
  const place = { ...NOTHING_OBSERVED, ...parents };
  if (listed === "gone") return { ...place, siblings: [] };
  const { siblings, presence } = listed;
  const observed = { ...place, siblings };
  const { id } = context;
  if (id === undefined) return observed;
  if (context.goal !== "present") return { ...observed, status: await statusToEnd(context, id, listed, isFresh, api) };
  const isUnlisted = siblings === undefined && !context.isFull;
  const implied = isUnlisted ? impliedBy(context, id, request) : undefined;
  const status = implied ?? (await statusOf(context, id, { siblings, isFresh }, api));
  if (status === undefined) {
    const list = () => api.applications.list(context.inputs.environmentId);
    return { ...observed, isGone: presence !== undefined && (await isGone(context, list)) };
  }
  const own = siblings === undefined ? await recordToChange(context, id, api) : undefined;
  const ingress =
    implied === undefined
      ? await ingressOf(context, "application", id, status, api, () => isRequestDue(context))
      : ingressBefore(context, id, api);
  const all = { ...observed, own, status, request, ingress };
  return { ...all, ...(await variablesOf(context, id, all, implied !== undefined, api)) };
}

/** Returns the status of an application that is to be deleted or stopped; undefined when it is gone. @throws ApiError */
async function statusToEnd(
  context: ApplicationContext,
  id: Uuid,
  { siblings, presence }: Siblings<Application>,
  isFresh: boolean,
  api: Platform,
): Promise<ServiceStatus | undefined> {
  // Its own record was read, and the list and the platform lack it.
  if (presence === "Gone") return undefined;
  forgetIngress(id, api);
  forgetLooks(api, id);
  return await statusOf(context, id, { siblings, isFresh }, api);
}

/** Reads the record, which no list has shown, when settings are to be changed. @throws ApiError as `readOnFull` */
async function recordToChange(context: ApplicationContext, id: Uuid, api: Platform): Promise<Observed["own"]> {
  if (!isUnsent(APPLICATION_SETTINGS, context)) return undefined;
  return await readOnFull(context, api, () => api.applications.get(id));
}

/**
 * Returns the status that the followed request implies. Where the end of the request leads to another request at once,
 * the application is read: its state is the baseline that shows after a crash whether that request was executed.
 * @returns undefined where the application itself has to be read
 */
function impliedBy(context: ApplicationContext, id: Uuid, request: Observed["request"]): Observed["status"] {
  const status = impliedStatus(context, id, request);
  return servicePhase(status?.state ?? "") === "running" && isRequestDue(context) ? undefined : status;
}

/** Reports whether another request is due, as far as the spec and the status show it without lists of variables. */
function isRequestDue(context: ApplicationContext): boolean {
  const { comparisons, owned } = applicationFacts(context, NOTHING_OBSERVED).variables;
  const isStopDue = runFacts(NAMES, context).wanted === "Stopped";
  const { lastDeployment } = context.memory;
  const isChanged = deployedDifference(context, lastDeployment, lastWrite(context, owned)) !== undefined;
  const isSendingDue = comparisons.some(({ problem }) => problem !== undefined);
  return isStopDue || isSendingDue || isChanged || redeployDue(context) !== undefined;
}

/** Returns the status of an application by its own read; undefined when there is none. @throws ApiError */
export async function ownStatus(id: Uuid, api: Platform): Promise<ServiceStatus | undefined> {
  return await unlessMissing(api.applications.status(id));
}

/**
 * Reads the state: one request for all services of the environment where the platform has it, else one for each. A list
 * may lag: only its own read shows whether a recorded application is gone.
 */
async function statusOf(
  context: ApplicationContext,
  id: Uuid,
  { siblings, isFresh }: Pick<Observed, "siblings"> & { readonly isFresh: boolean },
  api: Platform,
): Promise<ServiceStatus | undefined> {
  const isListed = siblings?.some((one) => one.id === id) === true;
  if (siblings !== undefined && !isListed && context.identitySource !== "recorded") return undefined;
  const all = isListed ? await statusesOf(context, isFresh, api) : undefined;
  return all?.find((one) => one.id === id) ?? (await ownStatus(id, api));
}

/** Reads the lists of the variables where something is to be sent or compared. */
async function variablesOf(
  context: ApplicationContext,
  id: Uuid,
  observed: Observed,
  isImplied: boolean,
  api: Platform,
): Promise<Partial<Pick<Observed, "lists" | "variablesFault">>> {
  const facts = applicationFacts(context, observed);
  const { comparisons, leftovers } = facts.variables;
  if (comparisons.length === 0 && leftovers.length === 0) return {};
  const isOutOfDate = observed.status?.serviceDeploymentStatus === "OUT_OF_DATE";
  const isDue = isLookDue(context, api, id, isOutOfDate);
  const isAtRest = !isImplied && facts.difference === undefined && isRested(context, observed);
  if (!areListsNeeded(context, facts, isImplied) && !(isAtRest && isDue)) return {};
  const { value: lists, fault } = await sideRead(readLists(context, id, api), "the variables");
  if (lists === undefined) return { variablesFault: fault };
  const { variables } = applicationFacts(context, { ...observed, lists });
  if (isInPlace(variables) && isAtRest) noteLook(context, api, id, isOutOfDate);
  return { lists };
}

/**
 * Reports whether the lists decide what is to be done. While a deployment is followed by its request, nothing is sent
 * again.
 */
function areListsNeeded(
  { isFull }: ApplicationContext,
  { variables: { comparisons, leftovers, owned } }: ApplicationFacts,
  isImplied: boolean,
): boolean {
  if (owned.written === undefined || comparisons.some(({ problem }) => problem === "unsent")) return true;
  const isOpen = comparisons.some(({ problem }) => problem !== undefined) || (isFull && leftovers.length > 0);
  return isOpen && !isImplied;
}

/**
 * Reports whether no deployment is under way or has just ended. The time of a secret that was written before is read
 * with the end of its deployment, which the status stores anyway.
 */
function isRested({ memory: { lastDeployment, owned } }: ApplicationContext, { status }: Observed): boolean {
  if (servicePhase(status?.state ?? "") === "busy") return false;
  const isJustEnding = lastDeployment !== undefined && lastDeployment.finishedAt === undefined;
  return !isJustEnding || owned?.variables?.some(({ secret, updatedAt }) => secret && updatedAt === undefined) === true;
}
