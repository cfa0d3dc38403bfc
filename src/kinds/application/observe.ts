/** Reads an application: with few requests, shared with its siblings where the surface allows. */
import type { Uuid } from "../../engine/contract/kind.ts";
import type { Application } from "../../platform/areas/applications.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Variable } from "../../platform/areas/variables.ts";
import type { Platform } from "../../platform/index.ts";
import {
  ingressOf,
  isGone,
  mayBeOver,
  orMissing,
  placeOf,
  RECORDS_MAX_AGE_MS,
  requestOf,
  siblingsOf,
  STATUSES_MAX_AGE_MS,
  withMine,
  type Neighbours,
} from "../service/observe.ts";
import { offered, SHOWN, sideRead } from "../shared/answers.ts";
import { NOTHING_SEEN, type ApplicationContext, type Seen } from "./model.ts";
import { unsentSettings } from "./settings.ts";
import { isForeign, pendingSecrets, variablesSent } from "./variables.ts";

/** @throws ApiError */
export async function observe(context: ApplicationContext, api: Platform): Promise<Seen> {
  const place = { ...NOTHING_SEEN, ...(await placeOf(context, api)) };
  if (!place.environmentIsOurs) return place;
  // First: a state that was read before the request ended would be reported as the end.
  const request = await requestOf(context, api);
  const isFresh = context.requested !== undefined || mayBeOver(context, request);
  const listed = await recordsOf(context, isFresh, api);
  if (listed === "gone") return { ...place, siblings: [], serverNow: api.serverNow() };
  const { siblings, presence } = listed;
  const seen = { ...place, siblings, serverNow: api.serverNow() };
  const { id } = context;
  if (id === undefined) return seen;
  const status = await statusOf(context, id, { siblings, isFresh }, api);
  if (status === undefined) {
    const list = () => api.applications.list(context.inputs.environmentId);
    return { ...seen, isGone: presence !== undefined && (await isGone(context, list)) };
  }
  if (context.goal !== "present") return { ...seen, status };
  // Without a list, the record is read when it is to be changed.
  const isDue = siblings === undefined && unsentSettings(context).length > 0;
  const own = isDue ? await offered(api, "getApplication", () => api.applications.get(id), SHOWN) : undefined;
  return { ...seen, own, status, request, ...(await details(context, id, status, api)) };
}

async function recordsOf(
  context: ApplicationContext,
  isFresh: boolean,
  api: Platform,
): Promise<Neighbours<Application> | "gone"> {
  // What is about to be changed is read afresh: others may have changed other fields.
  const isRoutine =
    context.identitySource === "recorded" && context.goal === "present" && unsentSettings(context).length === 0;
  const options = { maxAgeMs: isRoutine && !isFresh ? RECORDS_MAX_AGE_MS : 0 };
  const list = () => api.applications.list(context.inputs.environmentId, options);
  const listed = await siblingsOf(context, "listApplications", list, api);
  if (listed === "gone") return listed;
  const get = (id: Uuid) => offered(api, "getApplication", () => api.applications.get(id));
  return await withMine(context, listed, "getApplication", get);
}

/**
 * Reads the state: one request for all services of the environment where the platform has it, else one for each. A list
 * may lag: only its own read tells whether a recorded application is gone.
 */
async function statusOf(
  context: ApplicationContext,
  id: Uuid,
  { siblings, isFresh }: Pick<Seen, "siblings"> & { readonly isFresh: boolean },
  api: Platform,
): Promise<ServiceStatus | undefined> {
  const options = { maxAgeMs: isFresh ? 0 : STATUSES_MAX_AGE_MS };
  const isListed = siblings?.some((one) => one.id === id) === true;
  if (siblings !== undefined && !isListed && context.identitySource !== "recorded") return undefined;
  const read = () => api.services.statuses(context.inputs.environmentId, options);
  const all = (isListed ? await offered(api, "listServiceStatuses", read, SHOWN) : undefined) ?? [];
  return all.find((one) => one.id === id) ?? (await orMissing(api.applications.status(id), ["NotFound"]));
}

async function details(
  context: ApplicationContext,
  id: Uuid,
  status: ServiceStatus,
  api: Platform,
): Promise<Pick<Seen, "ingress"> & VariablesSeen> {
  const ingress = await ingressOf("application", id, status, api);
  return { ingress, ...(await variablesOf(context, id, status, api)) };
}

type VariablesSeen = Pick<Seen, "keys" | "secretIds" | "secrets" | "variablesFault">;

/** Reads which variables exist: only where memory does not know, and where a secret has to be changed by its id. */
async function variablesOf(
  context: ApplicationContext,
  id: Uuid,
  status: ServiceStatus,
  api: Platform,
): Promise<VariablesSeen> {
  const { keys, secretIds } = NOTHING_SEEN;
  const unasked: VariablesSeen = { keys, secretIds, secrets: undefined, variablesFault: undefined };
  if (context.inputs.variables.length === 0) return unasked;
  const canReplace = context.supports("updateSecret") !== "Unsupported";
  const foreign = isForeign(context, status);
  // Before an import as well: what the import does not take is changed by its id, before the deployment.
  const isChanging = !variablesSent(context, NOTHING_SEEN) || (canReplace && pendingSecrets(context).length > 0);
  if (!foreign && !(isChanging && (canReplace || context.inputs.secrets.size > 0))) return unasked;
  const lists = async () => ({
    secrets: await api.variables.listSecrets(id),
    plain: foreign ? await api.variables.list(id) : [],
  });
  const { value, fault } = await sideRead(lists(), "the variables");
  if (value === undefined) return { ...unasked, variablesFault: fault };
  const { secrets, plain } = value;
  return {
    variablesFault: undefined,
    keys: foreign ? new Set([...plain, ...secrets].filter(isOwn).map(({ key }) => key)) : undefined,
    secretIds: new Map(canReplace ? secrets.filter(isOwn).map((secret) => [secret.key, secret.id]) : []),
    secrets,
  };
}

/** Lists hold inherited variables too. Where a scope is shown, it tells them apart. */
function isOwn({ scope }: Variable): boolean {
  return scope === undefined || scope === "APPLICATION";
}
