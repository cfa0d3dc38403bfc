/** Reads a blueprint: two lists of its environment, shared with all that is in it; nothing where there are no lists. */
import type { Service } from "../../platform/areas/services.ts";
import type { Platform } from "../../platform/index.ts";
import { ingressOf } from "../service/ingress.ts";
import { serviceRecord, type Siblings } from "../service/model.ts";
import { isGone, observeStart, RECORDS_MAX_AGE_MS, siblingsOf, statusesOf } from "../service/observe.ts";
import { NOT_READ } from "../shared/answers.ts";
import { isRoutine, presenceIn } from "../shared/presence.ts";
import { readOnFull } from "../shared/surface.ts";
import { type BlueprintContext, type BlueprintService, NOTHING_OBSERVED, type Observed } from "./model.ts";

/** Reads a blueprint. @throws ApiError */
export async function observe(context: BlueprintContext, api: Platform): Promise<Observed> {
  const { parents, request, isFresh } = await observeStart(context, api);
  const place = { ...NOTHING_OBSERVED, ...parents };
  if (!parents.environmentIsOurs) return place;
  const listed = await listBlueprintServices(context, isFresh, api);
  const observed = await observeListed(context, { ...place, request }, listed, isFresh, api);
  return { ...observed, serverNow: api.serverNow() };
}

async function observeListed(
  context: BlueprintContext,
  { request, ...place }: Observed,
  listed: Siblings<BlueprintService> | "gone",
  isFresh: boolean,
  api: Platform,
): Promise<Observed> {
  const { siblings, presence } = listed === "gone" ? { siblings: [], presence: "Gone" as const } : listed;
  if (siblings === undefined) {
    const own = ofPlace(context, request);
    return { ...place, request: own, ingress: await ingressUnlisted(context, own, api) };
  }
  const observed = { ...place, siblings, presence };
  const own = serviceRecord(context, observed);
  if (own === undefined) return { ...observed, isGone: await isProvenGone(context, api) };
  return { ...observed, request, ...(await stateOf(context, own, isFresh, api)) };
}

/**
 * Reads the ingress of a service that is known from the answer to its creation, where no list shows it. Without
 * spec.engine it may be a chart; of any other service the platform shows no ingress.
 */
async function ingressUnlisted(
  context: BlueprintContext,
  request: Observed["request"],
  api: Platform,
): Promise<Observed["ingress"]> {
  const { serviceId: id, lastDeployment } = context.memory;
  const state = request?.status ?? lastDeployment?.state;
  const { engine = "Helm" } = context.spec;
  if (context.goal !== "present" || engine !== "Helm" || id === undefined || state === undefined) return NOT_READ;
  return await ingressOf(context, "helm", id, { id, state }, api);
}

/** Returns the request if it belongs to the environment: without a list, nothing else shows that. */
function ofPlace({ inputs }: BlueprintContext, request: Observed["request"]): Observed["request"] {
  const { environmentId = inputs.environmentId } = request ?? {};
  return environmentId === inputs.environmentId ? request : undefined;
}

/** Lists the services of blueprints. @throws ApiError */
async function listBlueprintServices(
  context: BlueprintContext,
  isFresh: boolean,
  api: Platform,
): Promise<Siblings<BlueprintService> | "gone"> {
  const options = { maxAgeMs: isRoutine(context) && !isFresh ? RECORDS_MAX_AGE_MS : 0 };
  const read = () => api.services.list(context.inputs.environmentId, options);
  const services = await siblingsOf(context, read, api);
  if (services === "gone") return services;
  if (services === undefined) return { siblings: undefined, presence: undefined };
  const presence = presenceIn(
    context,
    services,
    ({ blueprintId }) => blueprintId !== undefined && blueprintId === context.id,
  );
  return { siblings: blueprintsIn(services), presence: context.id === undefined ? undefined : presence };
}

/** Reports whether the service is gone: a list has shown it before, and a fresh list and the states lack it. */
async function isProvenGone(context: BlueprintContext, api: Platform): Promise<boolean> {
  const { environmentId } = context.inputs;
  const { serviceId } = context.memory;
  if (serviceId === undefined) return false;
  const fresh = async () => blueprintsIn(await api.services.list(environmentId));
  if (!(await isGone(context, fresh))) return false;
  const statuses = await readOnFull(context, api, () => api.services.statuses(environmentId));
  return statuses?.some(({ id }) => id === serviceId) !== true;
}

/** Reads the state of the service, and its ingress: only charts can have one. */
async function stateOf(
  context: BlueprintContext,
  { serviceId, type }: BlueprintService,
  isFresh: boolean,
  api: Platform,
): Promise<Pick<Observed, "status" | "areStatesShown" | "ingress">> {
  const statuses = await statusesOf(context, isFresh, api);
  const status = statuses?.find(({ id }) => id === serviceId);
  const isChart = context.goal === "present" && status !== undefined && type?.toUpperCase() === "HELM";
  return {
    status,
    areStatesShown: statuses !== undefined,
    ingress: isChart ? await ingressOf(context, "helm", serviceId, status, api) : NOT_READ,
  };
}

/** Returns the services of blueprints, each under the id of its blueprint; of several with one id, the first. */
export function blueprintsIn(services: readonly Service[]): readonly BlueprintService[] {
  const found = new Map<string, BlueprintService>();
  for (const { blueprintId: id, id: serviceId, serviceType: type, iconUri: icon, name, createdAt } of services) {
    if (id === undefined || found.has(id)) continue;
    found.set(id, { id, serviceId, name, type, icon, ...(createdAt !== undefined && { createdAt }) });
  }
  return [...found.values()];
}
