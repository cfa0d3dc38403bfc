/** Reads a database: with few requests, shared with its siblings where the surface allows. */
import type { Uuid } from "../../engine/contract/kind.ts";
import type { Database } from "../../platform/areas/databases.ts";
import type { Platform } from "../../platform/index.ts";
import {
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
import { unsentPaths } from "../service/settings.ts";
import { offered, SHOWN } from "../shared/answers.ts";
import { isOpen } from "../shared/presence.ts";
import { NOTHING_SEEN, type DatabaseContext, type Seen, typesOf } from "./model.ts";
import { declaredSettings } from "./settings.ts";
import { followedRequest, told } from "./told.ts";

/** @throws ApiError */
export async function observe(context: DatabaseContext, api: Platform): Promise<Seen> {
  const place = { ...NOTHING_SEEN, ...(await placeOf(context, api)) };
  if (!place.environmentIsOurs) return place;
  const seen = await seenOf(context, place, api);
  const types = isFollowed(context) ? undefined : await typesOf(context, api);
  return { ...seen, types, serverNow: api.serverNow() };
}

/** A followed database is read often, and only for its progress. */
function isFollowed({ memory }: DatabaseContext): boolean {
  const last = memory.lastDeployment;
  return memory.stopping !== undefined || (last !== undefined && last.finishedAt === undefined);
}

async function seenOf(context: DatabaseContext, place: Seen, api: Platform): Promise<Seen> {
  // First: a state that was read before the request ended would be reported as the end.
  const request = await requestOf(context, api);
  const isFresh = context.requested !== undefined || mayBeOver(context, request);
  const listed = await recordsOf(context, isFresh, api);
  if (listed === "gone") return { ...place, request, siblings: [] };
  const { siblings, presence } = listed;
  if (isOpen(presence) && context.identitySource === "recorded") return { ...place, request, presence };
  if (siblings === undefined) return await onDocumented(context, place, api);
  return await onFull(context, { ...place, request, siblings }, isFresh, api);
}

async function onDocumented(context: DatabaseContext, place: Seen, api: Platform): Promise<Seen> {
  if (context.id === undefined) return place;
  const requestId = followedRequest(context);
  const request =
    requestId === undefined ? undefined : await orMissing(api.deployments.status(requestId), ["NotFound"]);
  return { ...place, ...told(context, context.id, request) };
}

async function onFull(context: DatabaseContext, seen: Seen, isFresh: boolean, api: Platform): Promise<Seen> {
  if (context.id === undefined) return seen;
  const shown = await statusOf(context, context.id, { ...seen, isFresh }, api);
  if (shown !== undefined) return { ...seen, ...shown };
  return { ...seen, isGone: await isGone(context, () => api.databases.list(context.inputs.environmentId)) };
}

async function recordsOf(
  context: DatabaseContext,
  isFresh: boolean,
  api: Platform,
): Promise<Neighbours<Database> | "gone"> {
  // What is about to be changed is read afresh: others may have changed other fields.
  const isSent = unsentPaths(declaredSettings(context.spec), context.memory.written).length === 0;
  const isRoutine = context.identitySource === "recorded" && context.goal === "present" && isSent;
  const options = { maxAgeMs: isRoutine && !isFresh ? RECORDS_MAX_AGE_MS : 0 };
  const list = () => api.databases.list(context.inputs.environmentId, options);
  const listed = await siblingsOf(context, "listDatabases", list, api);
  if (listed === "gone") return listed;
  const get = (id: Uuid) => offered(api, "getDatabase", () => api.databases.get(id));
  return await withMine(context, listed, "getDatabase", get);
}

/**
 * Reads the state: one request for all services of the environment. Lists may lag: only its own read tells whether a
 * recorded database is gone, and then its last reported state counts.
 */
async function statusOf(
  context: DatabaseContext,
  id: Uuid,
  { siblings, request, isFresh }: Pick<Seen, "siblings" | "request"> & { readonly isFresh: boolean },
  api: Platform,
): Promise<Pick<Seen, "status"> | undefined> {
  const isListed = siblings?.some((one) => one.id === id) === true;
  if (!isListed && (siblings === undefined || context.identitySource !== "recorded")) return undefined;
  const options = { maxAgeMs: isFresh ? 0 : STATUSES_MAX_AGE_MS };
  // The shared statuses may be older than the list: they say nothing about what is not in the list any more.
  const read = () => api.services.statuses(context.inputs.environmentId, options);
  const all = isListed ? await offered(api, "listServiceStatuses", read, SHOWN) : [];
  const found = all?.find((one) => one.id === id);
  if (found !== undefined) return { status: found };
  if (isListed) return told(context, id, request);
  const exists = offered(api, "getDatabase", () => api.databases.get(id));
  return (await orMissing(exists, ["NotFound"])) === undefined ? undefined : told(context, id, request);
}
