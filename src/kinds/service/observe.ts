/** The reads that services have in common. */
import type { ReconcileContext, Uuid } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import { requestPhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { offered, orGone, SHOWN } from "../shared/answers.ts";
import { projectOfEnvironment } from "../shared/limits.ts";
import type { Listed } from "../shared/names.ts";
import { isOpen, presenceIn } from "../shared/presence.ts";
import type { OperatedKind } from "./act.ts";
import type { Neighbours, Place, ServiceContext, ServiceMemory, ServiceTypes, Sight } from "./model.ts";
import { declaredSettings, type Setting, unsentPaths } from "./settings.ts";

/** Settings change rarely, states while somebody watches. In milliseconds. */
export const RECORDS_MAX_AGE_MS = 10_000;
const STATUSES_MAX_AGE_MS = 1_000;

/**
 * Reads the parents of an id that a user gave, or under a connection with allowedProjects.
 * @throws ApiError
 */
export async function placeOf(context: ServiceContext, api: Platform): Promise<Place> {
  const given = context.spec.environmentRef.externalId !== undefined && context.identitySource !== "recorded";
  const unproven = context.goal === "present" || context.identitySource === "claimed";
  const limited = context.policies.allowedProjects !== undefined || (given && unproven);
  const projectId = limited ? await projectOfEnvironment(api, context.inputs.environmentId) : undefined;
  return { environmentIsOurs: !limited || projectId !== undefined, projectId };
}

/** Reads the followed deployment. @throws ApiError */
export async function requestOf(context: ServiceContext, api: Platform): Promise<Sight["request"]> {
  const last = context.memory.lastDeployment;
  if (context.goal !== "present" || last?.requestId === undefined || last.finishedAt !== undefined) return undefined;
  return await orMissing(api.deployments.status(last.requestId), ["NotFound"]);
}

/** Reports whether the followed deployment may have ended since the last read. */
export function mayBeOver({ memory }: ServiceContext, request: Sight["request"]): boolean {
  const last = memory.lastDeployment;
  const isOpen = last !== undefined && last.finishedAt === undefined;
  return isOpen && (request === undefined || requestPhase(request.status) !== "busy");
}

/**
 * Lists the services of the environment, where the platform offers it.
 * @returns undefined where it does not; "gone" when the environment is gone, and with it its services
 * @throws ApiError
 */
export async function siblingsOf<Item>(
  context: ServiceContext,
  operation: OperationName,
  list: () => Promise<readonly Item[]>,
  api: Platform,
): Promise<readonly Item[] | "gone" | undefined> {
  const exists = async () => (await projectOfEnvironment(api, context.inputs.environmentId)) !== undefined;
  const siblings = offered(api, operation, async () => ({ listed: await list() }), exists);
  const found =
    context.goal === "present"
      ? await orMissing(orUnshown(siblings), context.identitySource === "recorded" ? ["NotFound"] : [])
      : await orGone(orUnshown(siblings), async () => !(await exists()));
  if (found === undefined) return "gone";
  return found === "unshown" ? undefined : found.listed;
}

async function orUnshown<T>(read: Promise<T | undefined>): Promise<T | "unshown"> {
  return (await read) ?? "unshown";
}

/** Reads the states of all services of the environment, of which the platform showed one. @throws ApiError */
export async function statusesOf(
  { inputs }: ServiceContext,
  isFresh: boolean,
  api: Platform,
): Promise<readonly ServiceStatus[] | undefined> {
  const options = { maxAgeMs: isFresh ? 0 : STATUSES_MAX_AGE_MS };
  return await offered(api, "listServiceStatuses", () => api.services.statuses(inputs.environmentId, options), SHOWN);
}

/** Reports whether settings differ from what was last sent; not where that is unknown. */
export function isUnsent<Spec>(
  settings: readonly Setting<Spec, never>[],
  { spec, memory }: { readonly spec: Spec; readonly memory: ServiceMemory },
): boolean {
  return unsentPaths(declaredSettings(settings, spec), memory.written).length > 0;
}

/**
 * Reads the records of the environment.
 * @returns "gone" when the environment is gone, and with it its services
 * @throws ApiError
 */
export async function recordsOf<K extends ServiceTypes<Item>, Item extends Listed & Located>(
  kind: OperatedKind<K, Item> & { readonly operations: { readonly get: OperationName } },
  context: ReconcileContext<K>,
  isFresh: boolean,
  api: Platform,
): Promise<Neighbours<Item> | "gone"> {
  const { list, get } = kind.operations;
  const area = kind.area(api);
  // What is about to be changed is read afresh: others may have changed other fields.
  const isRoutine =
    context.identitySource === "recorded" && context.goal === "present" && !isUnsent(kind.settings, context);
  const options = { maxAgeMs: isRoutine && !isFresh ? RECORDS_MAX_AGE_MS : 0 };
  const listed = await siblingsOf(context, list, () => area.list(context.inputs.environmentId, options), api);
  if (listed === "gone") return listed;
  return await withMine(context, listed, get, (id) => offered(api, get, () => area.get(id)));
}

/**
 * A list that lags must not hide a recorded service, nor what is recorded be believed when it lies elsewhere: its own
 * record tells its environment. One that tells none is as good as listed, but not to delete it, and to stop it only
 * where the connection lets such ids stand.
 * @param listed as a read of the platform returned it
 * @throws ApiError
 */
export async function withMine<Item extends Located>(
  context: ServiceContext,
  listed: readonly Item[] | undefined,
  operation: OperationName,
  get: (id: Uuid) => Promise<Item | undefined>,
): Promise<Neighbours<Item>> {
  const { id } = context;
  if (listed === undefined || id === undefined) return { siblings: listed, presence: undefined };
  const presence = presenceIn(context, listed, (one) => one.id === id);
  const open = isOpen(presence);
  if (presence === "Present" || context.identitySource !== "recorded")
    return { siblings: open ? undefined : listed, presence };
  const mine = await orMissing(get(id), ["NotFound"]);
  if (mine !== undefined) return { siblings: isHere(context, mine) ? [...listed, mine] : listed, presence: "Present" };
  if (open && context.supports(operation) !== "Supported") return { siblings: undefined, presence };
  return { siblings: listed, presence: "Gone" };
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
 * Proves that a recorded service, which its own read does not find, is gone: its environment has a list without it. A
 * list that may lag proves nothing by itself. Read only where the answer matters.
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
  const siblings = await orMissing(list(), ["NotFound"]);
  return siblings !== undefined && !siblings.some(({ id }) => id === context.id);
}

/** Returns undefined where the read fails in a way that means that there is nothing. @throws ApiError */
export async function orMissing<T>(read: Promise<T>, missing: readonly ApiFailure["is"][]): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError && missing.includes(error.failure.is)) return undefined;
    throw error;
  }
}

/**
 * Returns the status that the followed request implies, which saves the read of the service itself: while the request
 * runs, and once it succeeded. Of a failed request the service shows whether it failed for this service.
 * @returns undefined where the service itself has to be read
 */
export function impliedStatus(context: ServiceContext, id: Uuid, request: Sight["request"]): ServiceStatus | undefined {
  const { requestId: deploymentRequestId } = context.memory.lastDeployment ?? {};
  if (request === undefined || deploymentRequestId === undefined || context.requested !== undefined) return undefined;
  const phase = requestPhase(request.status);
  if (phase !== "busy" && phase !== "running") return undefined;
  return { id, state: request.status, deploymentRequestId, ...(phase === "running" && UP_TO_DATE) };
}

/** What a deployment that succeeded leaves while nothing else is sent. */
export const UP_TO_DATE = { serviceDeploymentStatus: "UP_TO_DATE" } as const;
