/** The kinds, bound to the engine: the list of what this operator reconciles. */
import { bind, type Bound } from "../../engine/reconcile/engine.ts";
import type { KindName } from "../../kinds/crds.ts";
import * as kinds from "../../kinds/index.ts";
import type { Platform } from "../../platform/index.ts";

/** The kinds of the connections, by their scope. */
export const CONNECTION_KINDS = { namespaced: "PlatformConnection", cluster: "ClusterPlatformConnection" } as const;

/** @returns all kinds, with empty memories */
export function boundKinds(): readonly Bound<Platform>[] {
  return Object.values({
    PlatformConnection: bind(kinds.connection),
    ClusterPlatformConnection: bind(kinds.clusterConnection),
    PlatformCluster: bind(kinds.cluster),
    PlatformProject: bind(kinds.project),
    PlatformEnvironment: bind(kinds.environment),
    PlatformApplication: bind(kinds.application),
    PlatformDatabase: bind(kinds.database),
    PlatformBlueprint: bind(kinds.blueprint),
    PlatformVariableSet: bind(kinds.variableSet),
    PlatformBinding: bind(kinds.createBinding()),
    PlatformCatalog: bind(kinds.catalog),
    PlatformOperation: bind(kinds.operation),
    PlatformWebhook: bind(kinds.webhook),
  } satisfies Readonly<Record<KindName, Bound<Platform>>>);
}
