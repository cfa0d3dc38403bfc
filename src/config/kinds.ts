import { bind, bindConnection, type BoundKinds } from "../engine/reconcile/bind.ts";
import { CONNECTIONS, createKinds } from "../kinds/index.ts";
import type { Platform } from "../platform/index.ts";

/** The kinds of the connections, by their scope. */
export const CONNECTION_KINDS = { namespaced: "PlatformConnection", cluster: "ClusterPlatformConnection" } as const;

/** @returns all kinds, bound to the engine */
export function boundKinds(): BoundKinds<Platform> {
  return {
    connections: Object.values(CONNECTIONS).map((kind) => bindConnection(kind)),
    managed: Object.values(createKinds()).map((kind) => bind(kind)),
  };
}
