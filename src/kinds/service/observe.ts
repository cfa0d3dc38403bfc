/** The reads that services have in common. */
import type { Uuid } from "../../engine/kind.ts";
import { ApiError, type ApiFailure } from "../../platform/errors.ts";
import type { Platform } from "../../platform/index.ts";
import { requestPhase } from "../../platform/states.ts";
import { orGone, projectOfEnvironment } from "../ancestry.ts";
import { offered } from "../offered.ts";
import type { Place, ServicePass, Sight } from "./model.ts";

/** Settings change rarely, states change while somebody watches. In milliseconds. */
export const RECORDS_MAX_AGE_MS = 10_000;
export const STATUSES_MAX_AGE_MS = 1_000;

/**
 * Where somebody gave an id, or the connection is limited to some projects, the way up is looked at.
 * @throws ApiError
 */
export async function placeOf(pass: ServicePass, api: Platform): Promise<Place> {
  const given = pass.spec.environmentRef.externalId !== undefined && pass.proof !== "recorded";
  const unproven = pass.goal === "present" || pass.proof === "claimed";
  const limited = pass.allowedProjects !== undefined || (given && unproven);
  const projectId = limited ? await projectOfEnvironment(api, pass.inputs.environmentId) : undefined;
  return { environmentIsOurs: !limited || projectId !== undefined, projectId };
}

/** How far the deployment is that is followed. @throws ApiError */
export async function requestOf(pass: ServicePass, api: Platform): Promise<Sight["request"]> {
  const last = pass.memory.lastDeployment;
  if (pass.goal !== "present" || last?.requestId === undefined || last.finishedAt !== undefined) return undefined;
  return await orMissing(api.deployments.status(last.requestId), ["NotFound"]);
}

/** Whether the deployment that is followed may have ended since something was last read. */
export function mayBeOver({ memory }: ServicePass, request: Sight["request"]): boolean {
  const last = memory.lastDeployment;
  const isOpen = last !== undefined && last.finishedAt === undefined;
  return isOpen && (request === undefined || requestPhase(request.status) !== "busy");
}

/**
 * A list of the services of the environment, where the platform offers it.
 * @returns undefined where it does not; "gone" when the environment is gone, and with it its services
 * @throws ApiError
 */
export async function siblingsOf<Item>(
  pass: ServicePass,
  operation: "listApplications" | "listDatabases" | "listServices",
  list: () => Promise<readonly Item[]>,
  api: Platform,
): Promise<readonly Item[] | "gone" | undefined> {
  const exists = async () => (await projectOfEnvironment(api, pass.inputs.environmentId)) !== undefined;
  const siblings = offered(api, operation, async () => ({ listed: await list() }), exists);
  const found =
    pass.goal === "present"
      ? await orMissing(orUnshown(siblings), pass.proof === "recorded" ? ["NotFound"] : [])
      : await orGone(orUnshown(siblings), async () => !(await exists()));
  if (found === undefined) return "gone";
  return found === "unshown" ? undefined : found.listed;
}

async function orUnshown<T>(read: Promise<T | undefined>): Promise<T | "unshown"> {
  return (await read) ?? "unshown";
}

/**
 * A list that lags must not hide a recorded service, nor what is recorded be believed when it lies elsewhere: its own
 * record tells its environment. One that tells none is as good as listed, but not to delete it, and to stop it only where
 * the connection lets such ids stand.
 * @throws ApiError
 */
export async function withMine<Item extends Located>(
  pass: ServicePass,
  siblings: readonly Item[] | undefined,
  get: (id: Uuid) => Promise<Item | undefined>,
): Promise<readonly Item[] | undefined> {
  const { id } = pass;
  if (siblings === undefined || id === undefined || pass.proof !== "recorded") return siblings;
  if (siblings.some((one) => one.id === id)) return siblings;
  const mine = await orMissing(get(id), ["NotFound"]);
  if (mine === undefined) return siblings;
  const trusted = pass.goal === "present" || (pass.goal === "stopped" && pass.allowUnverifiedIds);
  const isHere = mine.environment === undefined ? trusted : mine.environment.id === pass.inputs.environmentId;
  return isHere ? [...siblings, mine] : siblings;
}

interface Located {
  readonly id: Uuid;
  readonly environment?: { readonly id: Uuid } | undefined;
}

/**
 * Proof that a recorded service, which its own read does not find, is gone: its environment has a list without it. A
 * list that may lag behind proves nothing by itself. Asked only where somebody wants to know.
 * @param list a fresh read of the list
 * @throws ApiError
 */
export async function isGone(
  pass: ServicePass,
  list: () => Promise<readonly { readonly id: string }[]>,
): Promise<boolean> {
  const matters = pass.onMissing === "Recreate" && pass.goal === "present" && pass.proof === "recorded";
  if (!matters) return false;
  const siblings = await orMissing(list(), ["NotFound"]);
  return siblings !== undefined && !siblings.some(({ id }) => id === pass.id);
}

/** A read whose failure of one of these kinds means that there is nothing. @throws ApiError */
export async function orMissing<T>(read: Promise<T>, missing: readonly ApiFailure["is"][]): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError && missing.includes(error.failure.is)) return undefined;
    throw error;
  }
}
