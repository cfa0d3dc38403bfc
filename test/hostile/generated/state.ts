/** The platform's state of one lane, without members that differ between equal states. */
import { isDeepStrictEqual } from "node:util";

import type { World } from "../../../simulator/model/world.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import { isObject } from "../../../src/kube/api/json.ts";

export type State = Readonly<Record<string, unknown>>;

/** @returns the records that the calls created, and the lane's clusters, by id */
export function stateOf(world: World, calls: readonly CallEntry[], clusterIds: readonly string[]): State {
  const created = calls.flatMap(({ effects }) =>
    effects.flatMap((effect) => ("created" in effect ? [effect.created] : [])),
  );
  const ids = [...new Set([...created, ...clusterIds])].toSorted();
  const shown = ids.map((id): [string, unknown] => [id, recordOf(world, id)]);
  return Object.fromEntries(shown.filter(([, record]) => record !== undefined));
}

/** @returns the differences by their path, e.g. `<id>.settings.cpu: 250 for 500` */
export function differences(before: unknown, after: unknown, at = ""): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [`${at}: ${JSON.stringify(after)} for ${JSON.stringify(before)}`];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => differences(before[key], after[key], at === "" ? key : `${at}.${key}`));
}

const SHOWN = new Set([
  ...["name", "description", "mode", "clusterId", "commit", "settings"],
  ...["state", "version", "binding", "targetUrl", "events", "enabled"],
]);

function recordOf(world: World, id: string): unknown {
  const { projects, environments, services, clusters, webhooks } = world;
  const record = [projects, environments, services, clusters, webhooks].map((all) => all.get(id)).find(Boolean);
  if (record === undefined) return undefined;
  const shown = Object.entries(record)
    .filter(([member]) => SHOWN.has(member))
    .map(([member, value]) => [member, member === "state" ? stemOf(String(value)) : settingsOf(value)] as const);
  return { ...Object.fromEntries(shown), variables: variablesOf(world, id) };
}

/** Does not distinguish a state from the one that leads to it: without a status, no test can wait for the end. */
const stemOf = (state: string): string => state.replace(/(ING|ED)$/, "");

function variablesOf(world: World, parentId: string): readonly unknown[] {
  return [...world.variables.values()]
    .filter((variable) => variable.parentId === parentId)
    .map(({ key, value, secret, scope }) => ({ key, value, secret, scope }))
    .toSorted((a, b) => a.key.localeCompare(b.key));
}

/** Members of a record that are read-only: an update sends them back unchanged; and a time. */
const READ_ONLY = new Set(["service_type", "target_secret_set", "deployed_commit_id", "readyAt"]);

/** Removes read-only members, and the ids of ports: a port that is removed and added again has another id. */
function settingsOf(settings: unknown, at = ""): unknown {
  if (Array.isArray(settings)) return settings.map((one: unknown) => settingsOf(one, at));
  if (!isObject(settings)) return settings;
  const members = Object.entries(settings).filter(([key]) => !READ_ONLY.has(key) && !(at === "ports" && key === "id"));
  return Object.fromEntries(members.map(([key, value]) => [key, settingsOf(value, key)]));
}
