import { bind, type Bound } from "../../engine/reconcile/bind.ts";
import { createKinds } from "../../kinds/index.ts";
import type { Platform } from "../../platform/index.ts";

/** The kinds of the connections, by their scope. */
export const CONNECTION_KINDS = { namespaced: "PlatformConnection", cluster: "ClusterPlatformConnection" } as const;

/** @returns all kinds, bound to the engine */
export function boundKinds(): readonly Bound<Platform>[] {
  return Object.values(createKinds()).map((kind) => bind(kind));
}
