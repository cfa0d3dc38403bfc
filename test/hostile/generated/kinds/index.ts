import type { KindCases } from "../outcomes.ts";
import { binding, cluster } from "./clusters.ts";
import { catalog, clusterConnection, connection, operation } from "./others.ts";
import { application, database } from "./services.ts";
import { blueprint, variableSet } from "./sets.ts";
import { environment, project, webhook } from "./tree.ts";

/** The seeds and tables of all kinds. */
export const KINDS: readonly KindCases[] = [
  clusterConnection,
  connection,
  project,
  environment,
  application,
  database,
  blueprint,
  variableSet,
  cluster,
  binding,
  webhook,
  catalog,
  operation,
];
