import { platformApplication } from "./application.ts";
import type { Resource } from "./base/resource.ts";
import { platformBinding } from "./binding.ts";
import { platformBlueprint } from "./blueprint.ts";
import { platformCatalog } from "./catalog.ts";
import { platformCluster } from "./cluster.ts";
import { clusterPlatformConnection, platformConnection } from "./connection.ts";
import { platformDatabase } from "./database.ts";
import { platformEnvironment } from "./environment.ts";
import { platformOperation } from "./operation.ts";
import { platformProject } from "./project.ts";
import { platformVariableSet } from "./variable-set.ts";
import { platformWebhook } from "./webhook.ts";

/** Every custom resource, parents first. */
export const RESOURCES: readonly Resource[] = [
  clusterPlatformConnection,
  platformConnection,
  platformCluster,
  platformProject,
  platformEnvironment,
  platformApplication,
  platformDatabase,
  platformBlueprint,
  platformVariableSet,
  platformBinding,
  platformCatalog,
  platformOperation,
  platformWebhook,
];
