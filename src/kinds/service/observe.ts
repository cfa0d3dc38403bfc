/** The reads that services have in common. */
import type { Uuid } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { requestPhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { unlessMissing } from "../shared/answers.ts";
import { placeOfEnvironment, unprovenId } from "../shared/limits.ts";
import { isOpen, isRoutine, presenceIn } from "../shared/presence.ts";
import { redeployDue } from "../shared/redeploy.ts";
import { listOnFull, readOnFull } from "../shared/surface.ts";
import type { ObservedState, ServiceArea, ServiceContext, ServiceParents, Siblings } from "./model.ts";
import { isUnsent, type ServiceSetting } from "./settings.ts";

/** How old shared records and states may be: settings change rarely, states while users watch. In milliseconds. */
export const RECORDS_MAX_AGE_MS = 10_000;
const STATUSES_MAX_AGE_MS = 1_000;

/** What is read first of every service. */
export interface ServiceStart {
  readonly parents: ServiceParents;
  /** The followed deployment request. */
  readonly request: ObservedState["request"];
  /** Reads must not be shared with earlier reconciles. */
  readonly isFresh: boolean;
}

/**
 * Reads what comes first of every service: its parents and, if the environment is the organization's, the followed
 * request. The request is read before the state: a state that was read before the request ended would be reported as its
 * end.
 * @throws ApiError
 */
export async function observeStart(context: ServiceContext, api: Platform): Promise<ServiceStart> {
  const parents = await parentsOf(context, api);
  const request = parents.environmentIsOurs ? await requestOf(context, api) : undefined;
  const isAsked = context.requested !== undefined || redeployDue(context) !== undefined;
  return { parents, request, isFresh: isAsked || mayBeOver(context, request) };
}

/**
 * Reads the parents of a service if a user gave the id of its environment, or if the connection has allowedProjects.
 * @throws ApiError
 */
async function parentsOf(context: ServiceContext, api: Platform): Promise<ServiceParents> {
  const given = context.spec.environmentRef.externalId !== undefined && context.identitySource !== "recorded";
  const unproven = context.goal === "present" || context.identitySource === "claimed";
  const limited = context.policies.allowedProjects !== undefined || (given && unproven);
  if (!limited) return { environmentIsOurs: true };
  const { environmentId } = context.inputs;
  const place = await placeOfEnvironment(context, api, environmentId);
  if (place.is === "found") return { environmentIsOurs: true, projectId: place.projectId };
  if (place.is === "absent") return { environmentIsOurs: false };
  const why = unprovenId(context, `environment ${environmentId}`);
  return { environmentIsOurs: why === undefined, unproven: why };
}

/** Reads the followed deployment. @throws ApiError */
async function requestOf(context: ServiceContext, api: Platform): Promise<ObservedState["request"]> {
  const last = context.memory.lastDeployment;
  if (context.goal !== "present" || last?.requestId === undefined || last.finishedAt !== undefined) return undefined;
  return await unlessMissing(api.deployments.status(last.requestId));
}

/** Reports whether the followed deployment may have ended since the last read. */
function mayBeOver({ memory }: ServiceContext, request: ObservedState["request"]): boolean {
  const last = memory.lastDeployment;
  const isOpen = last !== undefined && last.finishedAt === undefined;
  return isOpen && (request === undefined || requestPhase(request.status) !== "busy");
}

/**
 * Lists the services of the environment, where the platform offers it.
 * @returns undefined where it does not; "gone" when the environment of a resource that is deleted is gone
 * @throws ApiError
 */
export async function siblingsOf<Item>(
  context: ServiceContext,
  list: () => Promise<readonly Item[]>,
  api: Platform,
): Promise<readonly Item[] | "gone" | undefined> {
  const exists = async () => (await placeOfEnvironment(context, api, context.inputs.environmentId)).is !== "absent";
  const siblings = await listOnFull(context, api, list);
  // What is under an environment that is gone is answered 403 or 404 (docs/project/architecture.md §9).
  if (siblings !== undefined || !context.isFull || context.goal === "present") return siblings;
  return (await exists()) ? undefined : "gone";
}

/** Reads the states of all services of the environment, of which the platform showed one. @throws ApiError */
export async function statusesOf(
  context: ServiceContext,
  isFresh: boolean,
  api: Platform,
): Promise<readonly ServiceStatus[] | undefined> {
  const options = { maxAgeMs: isFresh ? 0 : STATUSES_MAX_AGE_MS };
  return await readOnFull(context, api, () => api.services.statuses(context.inputs.environmentId, options));
}

/**
 * Lists the services of a kind in the environment.
 * @returns "gone": the environment is gone, and with it its services
 * @throws ApiError
 */
export async function listServices<Spec, Item extends Located>(
  area: Pick<ServiceArea<never, Item>, "list" | "get">,
  settings: readonly ServiceSetting<Spec, never>[],
  context: ServiceContext & { readonly spec: Spec },
  isFresh: boolean,
  api: Platform,
): Promise<Siblings<Item> | "gone"> {
  // A record that is about to be changed is read afresh, as others may have changed other fields.
  const isShared = isRoutine(context) && !isUnsent(settings, context) && !isFresh;
  const options = { maxAgeMs: isShared ? RECORDS_MAX_AGE_MS : 0 };
  const listed = await siblingsOf(context, () => area.list(context.inputs.environmentId, options), api);
  if (listed === "gone") return listed;
  return await withOwn(context, listed, (id) => readOnFull(context, api, () => area.get(id), ["NotFound"]));
}

/**
 * Looks for a recorded service that a list lacks, as the list may lag. Its own record shows its environment, as a
 * recorded id may lie elsewhere. A record without an environment counts as listed, except for a deletion; for a stop it
 * counts only if the connection accepts unproven ids.
 * @param listed as a read of the platform returned it
 * @throws ApiError
 */
export async function withOwn<Item extends Located>(
  context: ServiceContext,
  listed: readonly Item[] | undefined,
  get: (id: Uuid) => Promise<Item | undefined>,
): Promise<Siblings<Item>> {
  const { id } = context;
  if (listed === undefined || id === undefined) return { siblings: listed, presence: undefined };
  const presence = presenceIn(context, listed, (one) => one.id === id);
  const open = isOpen(presence);
  if (presence === "Present" || context.identitySource !== "recorded")
    return { siblings: open ? undefined : listed, presence };
  const own = await unlessMissing(get(id));
  if (own !== undefined) return { siblings: isHere(context, own) ? [...listed, own] : listed, presence: "Present" };
  return open ? { siblings: undefined, presence } : { siblings: listed, presence: "Gone" };
}

/** Reports whether the service lies in the environment of the resource, as far as its record shows. */
function isHere({ goal, inputs, policies: { allowUnverifiedIds } }: ServiceContext, { environment }: Located): boolean {
  if (environment !== undefined) return environment.id === inputs.environmentId;
  return goal === "present" || (goal === "stopped" && allowUnverifiedIds);
}

interface Located {
  readonly id: Uuid;
  readonly environment?: { readonly id: Uuid } | undefined;
}

/**
 * Reports whether a recorded service that its own read does not find is gone: a fresh list of its environment lacks it
 * as well, as each alone may lag. The list is read only where the answer matters.
 * @param list a fresh read of the list
 * @throws ApiError
 */
export async function isGone(
  context: ServiceContext,
  list: () => Promise<readonly { readonly id: string }[]>,
): Promise<boolean> {
  const matters =
    context.policies.onMissing === "Recreate" && context.goal === "present" && context.identitySource === "recorded";
  if (!matters) return false;
  const siblings = await unlessMissing(list());
  return siblings !== undefined && !siblings.some(({ id }) => id === context.id);
}

/**
 * Returns the status that the followed request implies, which saves the read of the service itself: while the request
 * runs, and once it succeeded. After a failed request, only the service shows whether the request failed for it.
 * @returns undefined where the service itself has to be read
 */
export function impliedStatus(
  context: ServiceContext,
  id: Uuid,
  request: ObservedState["request"],
): ServiceStatus | undefined {
  const { requestId: deploymentRequestId } = context.memory.lastDeployment ?? {};
  if (request === undefined || deploymentRequestId === undefined || context.requested !== undefined) return undefined;
  const phase = requestPhase(request.status);
  if (phase !== "busy" && phase !== "running") return undefined;
  return { id, state: request.status, deploymentRequestId, ...(phase === "running" && UP_TO_DATE) };
}

/** The deployment status after a successful deployment, while nothing else is sent. */
export const UP_TO_DATE = { serviceDeploymentStatus: "UP_TO_DATE" } as const;
