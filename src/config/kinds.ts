/** The kinds, as the engine and the caches take them. */
import { GROUP, VERSION } from "../api/names.ts";
import { bind, bindConnection, type BoundKinds } from "../engine/bind.ts";
import { CONNECTIONS, createKinds, RESOURCES } from "../kinds/index.ts";
import type { ResourceType } from "../kube/api/types.ts";
import type { Platform } from "../platform/index.ts";

/** The kinds of the connections, by their scope. */
export const CONNECTION_KINDS = { namespaced: "PlatformConnection", cluster: "ClusterPlatformConnection" } as const;

/** The types of the custom resources, parents first. */
export const TYPES: readonly ResourceType[] = RESOURCES.map(({ kind, plural, scope }) => ({
  group: GROUP,
  version: VERSION,
  kind,
  plural,
  namespaced: scope === "Namespaced",
}));

/** @returns all kinds, bound to the engine */
export function boundKinds(): BoundKinds<Platform> {
  return {
    connections: Object.values(CONNECTIONS).map((kind) => bindConnection(kind)),
    managed: Object.values(createKinds()).map((kind) => bind(kind)),
  };
}
