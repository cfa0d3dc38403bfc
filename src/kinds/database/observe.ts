/** Reads a database: with few requests, shared with its siblings where the surface allows. */
import type { Uuid } from "../../engine/contract/kind.ts";
import type { Database } from "../../platform/areas/databases.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { serviceRecord, type Siblings } from "../service/model.ts";
import { isGone, listServices, observeStart, type ServiceStart, statusesOf } from "../service/observe.ts";
import { sideRead, unlessMissing } from "../shared/answers.ts";
import { isOpen } from "../shared/presence.ts";
import { readOnFull } from "../shared/surface.ts";
import { connectionSecretDue } from "./connection-secret.ts";
import { databaseFacts } from "./facts.ts";
import { DATABASE_SETTINGS, type DatabaseContext, NOTHING_OBSERVED, type Observed, typesOf } from "./model.ts";
import { followedRequest, reportedState, unreadState } from "./reported.ts";

/** Reads a database, and the list of types and the details for its Secret where they are due. @throws ApiError */
export async function observe(context: DatabaseContext, api: Platform): Promise<Observed> {
  const start = await observeStart(context, api);
  if (!start.parents.environmentIsOurs) return { ...NOTHING_OBSERVED, ...start.parents };
  const listed = await listServices(api.databases, DATABASE_SETTINGS, context, start.isFresh, api);
  const observed = await observeListed(context, start, listed, api);
  const types = isFollowed(context) ? undefined : await typesOf(context, api);
  const details = await detailsOf(context, observed, api);
  return { ...observed, types, details, serverNow: api.serverNow() };
}

const REACHED = "how the database is reached";

/**
 * Reads how users reach a database, where its Secret is due and the platform shows the database. A Secret without these
 * details counts as complete, so they are only left out where the platform does not offer them. While the database does
 * not run, no Secret is written. Where the platform does not show the state, an existing Secret is not changed, and a
 * new one is written without the details.
 */
async function detailsOf(context: DatabaseContext, observed: Observed, api: Platform): Promise<Observed["details"]> {
  const { id } = context;
  const { status, unknownState } = observed;
  if (id === undefined || serviceRecord(context, observed) === undefined) return undefined;
  if (connectionSecretDue(context, observed, databaseFacts(context, observed).last) === undefined) return undefined;
  if (!context.isFull) return undefined;
  if (unknownState !== undefined) return { value: undefined, fault: unknownState };
  return servicePhase(status?.state ?? "") === "running" ? await credentialsOf(id, api) : "awaited";
}

async function credentialsOf(id: Uuid, api: Platform): Promise<Observed["details"]> {
  const { value, fault } = await sideRead(api.databases.credentials(id), REACHED);
  if (value === undefined) return fault?.reason === "NotSupportedByPlatform" ? undefined : { value, fault };
  return { value: { ...value, port: String(value.port) }, fault };
}

/** Reports whether a request is followed: the database is then read often, and only for its progress. */
function isFollowed({ memory }: DatabaseContext): boolean {
  const last = memory.lastDeployment;
  return memory.stopping !== undefined || (last !== undefined && last.finishedAt === undefined);
}

async function observeListed(
  context: DatabaseContext,
  { parents, request, isFresh }: ServiceStart,
  listed: Siblings<Database> | "gone",
  api: Platform,
): Promise<Observed> {
  const place = { ...NOTHING_OBSERVED, ...parents };
  if (listed === "gone") return { ...place, request, siblings: [] };
  const { siblings, presence } = listed;
  if (isOpen(presence) && context.identitySource === "recorded") return { ...place, request, presence };
  if (siblings === undefined) {
    return context.isFull
      ? await withoutList(context, { ...place, request }, isFresh, api)
      : await onDocumented(context, place, api);
  }
  const observed = { ...place, request, siblings };
  const { id } = context;
  // The list, and where it was recorded its own record, lack it.
  if (id === undefined || (presence === "Gone" && context.goal !== "present")) return observed;
  const shown = await statusOf(context, id, { ...observed, isFresh }, api);
  if (shown !== undefined) return { ...observed, ...shown };
  return { ...observed, isGone: await isGone(context, () => api.databases.list(context.inputs.environmentId)) };
}

/** Reads a database where the platform does not answer the list of databases. */
async function withoutList(
  context: DatabaseContext,
  place: Observed,
  isFresh: boolean,
  api: Platform,
): Promise<Observed> {
  const { id } = context;
  if (id === undefined) return place;
  const found = (await statusesOf(context, isFresh, api))?.find((one) => one.id === id);
  const own = await readOnFull(context, api, () => api.databases.get(id));
  if (found !== undefined) return { ...place, own, status: found };
  return { ...place, own, ...unreadState(context, id, place.request) };
}

async function onDocumented(context: DatabaseContext, place: Observed, api: Platform): Promise<Observed> {
  if (context.id === undefined) return place;
  const requestId = followedRequest(context);
  const request = requestId === undefined ? undefined : await unlessMissing(api.deployments.status(requestId));
  return { ...place, ...reportedState(context, context.id, request) };
}

/**
 * Reads the state: one request for all services of the environment. Lists may lag: only its own read shows whether a
 * recorded database is gone. If that read finds it, its last reported state counts.
 */
async function statusOf(
  context: DatabaseContext,
  id: Uuid,
  { siblings = [], request, isFresh }: Pick<Observed, "siblings" | "request"> & { readonly isFresh: boolean },
  api: Platform,
): Promise<Pick<Observed, "status"> | undefined> {
  const isListed = siblings.some((one) => one.id === id);
  if (!isListed && context.identitySource !== "recorded") return undefined;
  // The shared statuses may be older than the list: they say nothing about what is not in the list any more.
  const all = isListed ? await statusesOf(context, isFresh, api) : undefined;
  const found = all?.find((one) => one.id === id);
  if (found !== undefined) return { status: found };
  if (isListed && all === undefined) return unreadState(context, id, request);
  const exists = isListed || (await unlessMissing(readOnFull(context, api, () => api.databases.get(id), ["NotFound"])));
  return exists === undefined ? undefined : reportedState(context, id, request, true);
}
