/** The kinds, bound to the engine: the list of what this operator reconciles. */
import { bind, type Bound } from "../../engine/reconcile/engine.ts";
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

/** @returns all kinds, with no memory of any earlier ones. */
export function boundKinds(): readonly Bound<Platform>[] {
  return [
    bind(connection),
    bind(clusterConnection),
    bind(cluster),
    bind(project),
    bind(environment),
    bind(application),
    bind(database),
    bind(blueprint),
    bind(variableSet),
    bind(createBinding()),
    bind(catalog),
    bind(operation),
    bind(webhook),
  ];
}
