/** The reads of a blueprint: two lists of its environment, shared with all that is in it. None where there are no lists. */
import type { Platform } from "../../platform/index.ts";
import type { Service } from "../../platform/services.ts";
import {
  mayBeOver,
  placeOf,
  RECORDS_MAX_AGE_MS,
  requestOf,
  siblingsOf,
  STATUSES_MAX_AGE_MS,
} from "../service/observe.ts";
import type { BlueprintPass, BlueprintService, Seen } from "./model.ts";

/** @throws ApiError */
export async function observe(pass: BlueprintPass, api: Platform): Promise<Seen> {
  const place = await placeOf(pass, api);
  const nothing = { ...place, siblings: undefined, status: undefined, request: undefined };
  if (!place.environmentIsOurs || pass.surface === "Documented") return { ...nothing, serverNow: api.serverNow() };
  // First, as what was read before it has ended would be told as the end.
  const request = await requestOf(pass, api);
  const isFresh = pass.requested !== undefined || mayBeOver(pass, request);
  const isRoutine = pass.proof === "recorded" && pass.goal === "present" && !isFresh;
  const { environmentId } = pass.inputs;
  const list = api.services.list(environmentId, { maxAgeMs: isRoutine ? RECORDS_MAX_AGE_MS : 0 });
  const services = await siblingsOf(pass, list, api);
  const siblings = services?.flatMap(ofBlueprint);
  const seen = { ...nothing, siblings, serverNow: api.serverNow() };
  const mine = siblings?.find(({ id }) => id === pass.id);
  if (mine === undefined || pass.goal !== "present") return seen;
  const statuses = await api.services.statuses(environmentId, { maxAgeMs: isFresh ? 0 : STATUSES_MAX_AGE_MS });
  return { ...seen, request, status: statuses.find(({ id }) => id === mine.serviceId) };
}

/** A service under the id of the blueprint that it came from, if it came from one. */
export function ofBlueprint(service: Service): readonly BlueprintService[] {
  const { blueprintId: id, id: serviceId, serviceType: type, iconUri: icon, name, createdAt } = service;
  if (id === undefined) return [];
  return [{ id, serviceId, name, type, icon, ...(createdAt !== undefined && { createdAt }) }];
}
