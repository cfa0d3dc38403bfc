/** Every kind, bound to the engine. */
import { bind, type Bound } from "../engine/engine.ts";
import type { Platform } from "../platform/index.ts";
import { application } from "./application/index.ts";
import { clusterConnection, connection } from "./connection.ts";
import { environment } from "./environment/index.ts";
import { project } from "./project.ts";

export const kinds: readonly Bound<Platform>[] = [
  bind(connection),
  bind(clusterConnection),
  bind(project),
  bind(environment),
  bind(application),
];
