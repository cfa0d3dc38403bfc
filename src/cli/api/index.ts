/** The commands that call the platform directly, in the order of the help. */
import type { Entry } from "../base/command.ts";
import { CATALOG } from "./catalog.ts";
import { CLUSTERS } from "./clusters.ts";
import { DEPLOYMENTS } from "./deploy.ts";
import { logs } from "./logs.ts";
import { ORGANIZATION } from "./organization.ts";
import { SERVICES } from "./services.ts";
import { CLUSTER_ACCESS } from "./token.ts";
import { VARIABLES_AND_SECRETS } from "./variables.ts";

export const API_COMMANDS: readonly Entry[] = [
  ...SERVICES,
  logs,
  ...DEPLOYMENTS,
  ...VARIABLES_AND_SECRETS,
  ...CLUSTER_ACCESS,
  ...CLUSTERS,
  ...CATALOG,
  ...ORGANIZATION,
];
