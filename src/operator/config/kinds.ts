/** The kinds, bound to the engine: the list of what this operator reconciles. */
import { bind, type Bound } from "../../engine/reconcile/engine.ts";
import type { KindName } from "../../kinds/crds.ts";
import {
  application,
  blueprint,
  catalog,
  cluster,
  clusterConnection,
  connection,
  createBinding,
  database,
  environment,
  operation,
  project,
  variableSet,
  webhook,
} from "../../kinds/index.ts";
import type { Platform } from "../../platform/index.ts";

/** The kinds of the connections, by their scope. */
export const CONNECTION_KINDS = { namespaced: "PlatformConnection", cluster: "ClusterPlatformConnection" } as const;

/** @returns all kinds, with empty memories */
export function boundKinds(): readonly Bound<Platform>[] {
  return Object.values({
    PlatformConnection: bind(connection),
    ClusterPlatformConnection: bind(clusterConnection),
    PlatformCluster: bind(cluster),
    PlatformProject: bind(project),
    PlatformEnvironment: bind(environment),
    PlatformApplication: bind(application),
    PlatformDatabase: bind(database),
    PlatformBlueprint: bind(blueprint),
    PlatformVariableSet: bind(variableSet),
    PlatformBinding: bind(createBinding()),
    PlatformCatalog: bind(catalog),
    PlatformOperation: bind(operation),
    PlatformWebhook: bind(webhook),
  } satisfies Readonly<Record<KindName, Bound<Platform>>>);
}
