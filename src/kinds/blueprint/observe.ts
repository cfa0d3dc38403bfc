/** Reads a blueprint: two lists of its environment, shared with all that is in it; nothing where there are no lists. */
import type { Service } from "../../platform/areas/services.ts";
import type { Platform } from "../../platform/index.ts";
import {
  ingressOf,
  isGone,
  mayBeOver,
  placeOf,
  RECORDS_MAX_AGE_MS,
  requestOf,
  siblingsOf,
  STATUSES_MAX_AGE_MS,
} from "../service/observe.ts";
import { NOT_READ, offered, SHOWN } from "../shared/answers.ts";
import { presenceIn } from "../shared/presence.ts";
import { NOTHING_SEEN, type BlueprintContext, type BlueprintService, type Seen } from "./model.ts";

/** @throws ApiError */
export async function observe(context: BlueprintContext, api: Platform): Promise<Seen> {
  const place = await placeOf(context, api);
  const nothing = { ...NOTHING_SEEN, ...place };
  if (!place.environmentIsOurs) return { ...nothing, serverNow: api.serverNow() };
  // First: a state that was read before the request ended would be reported as the end.
  const request = await requestOf(context, api);
  const isFresh = context.requested !== undefined || mayBeOver(context, request);
  const { siblings, presence } = await listOf(context, isFresh, api);
  if (siblings === undefined) return { ...nothing, request: ofPlace(context, request), serverNow: api.serverNow() };
  const seen = { ...nothing, siblings, presence, serverNow: api.serverNow() };
  const mine = siblings.find(({ id }) => id === context.id);
  if (mine === undefined) return { ...seen, isGone: await isProvenGone(context, api) };
  if (context.goal !== "present") return seen;
  return { ...seen, request, ...(await stateOf(context, mine, isFresh, api)) };
}

/** Without a list, nothing else shows that a request belongs to the environment. */
function ofPlace({ inputs }: BlueprintContext, request: Seen["request"]): Seen["request"] {
  const { environmentId = inputs.environmentId } = request ?? {};
  return environmentId === inputs.environmentId ? request : undefined;
}

async function listOf(
  context: BlueprintContext,
  isFresh: boolean,
  api: Platform,
): Promise<Pick<Seen, "siblings" | "presence">> {
  const isRoutine = context.identitySource === "recorded" && context.goal === "present" && !isFresh;
  const options = { maxAgeMs: isRoutine ? RECORDS_MAX_AGE_MS : 0 };
  const list = () => api.services.list(context.inputs.environmentId, options);
  const services = await siblingsOf(context, "listServices", list, api);
  if (services === "gone") return { siblings: [], presence: "Gone" };
  if (services === undefined) return { siblings: undefined, presence: undefined };
  const presence = presenceIn(
    context,
    services,
    ({ blueprintId }) => blueprintId !== undefined && blueprintId === context.id,
  );
  return { siblings: blueprintsIn(services), presence: context.id === undefined ? undefined : presence };
}

/** A list that never showed the service proves nothing, and one that may lag proves nothing by itself. */
async function isProvenGone(context: BlueprintContext, api: Platform): Promise<boolean> {
  const { environmentId } = context.inputs;
  const { serviceId } = context.memory;
  if (serviceId === undefined) return false;
  const fresh = async () => blueprintsIn(await api.services.list(environmentId));
  if (!(await isGone(context, fresh))) return false;
  const statuses = await offered(api, "listServiceStatuses", () => api.services.statuses(environmentId));
  return statuses?.some(({ id }) => id === serviceId) !== true;
}

/** Reads the state of the service, and its ingress: only charts can have one. */
async function stateOf(
  { inputs }: BlueprintContext,
  { serviceId, type }: BlueprintService,
  isFresh: boolean,
  api: Platform,
): Promise<Pick<Seen, "status" | "ingress">> {
  const options = { maxAgeMs: isFresh ? 0 : STATUSES_MAX_AGE_MS };
  const read = () => api.services.statuses(inputs.environmentId, options);
  const statuses = await offered(api, "listServiceStatuses", read, SHOWN);
  const status = statuses?.find(({ id }) => id === serviceId);
  const isChart = status !== undefined && type?.toUpperCase() === "HELM";
  return { status, ingress: isChart ? await ingressOf("helm", serviceId, status, api) : NOT_READ };
}

/** Returns the services of blueprints, under the ids of these; the first one where there are several. */
export function blueprintsIn(services: readonly Service[]): readonly BlueprintService[] {
  const found = new Map<string, BlueprintService>();
  for (const { blueprintId: id, id: serviceId, serviceType: type, iconUri: icon, name, createdAt } of services) {
    if (id === undefined || found.has(id)) continue;
    found.set(id, { id, serviceId, name, type, icon, ...(createdAt !== undefined && { createdAt }) });
  }
  return [...found.values()];
}
