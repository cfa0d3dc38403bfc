/** The kinds, bound to the engine: the list of what this operator reconciles. */
import { bind, type Bound } from "../engine/engine.ts";
import { application, binding, catalog, clusterConnection, connection, environment, project } from "../kinds/index.ts";
import type { Platform } from "../platform/index.ts";

export const KINDS: readonly Bound<Platform>[] = [
  bind(connection),
  bind(clusterConnection),
  bind(project),
  bind(environment),
  bind(application),
  bind(binding),
  bind(catalog),
];
