import type { Resource } from "../api/resource.ts";
import { platformApplication } from "./application/crd.ts";
import { platformBinding } from "./binding/crd.ts";
import { platformBlueprint } from "./blueprint/crd.ts";
import { platformCatalog } from "./catalog/crd.ts";
import { platformCluster } from "./cluster/crd.ts";
import { clusterPlatformConnection, platformConnection } from "./connection/crd.ts";
import { platformDatabase } from "./database/crd.ts";
import { platformEnvironment } from "./environment/crd.ts";
import { platformOperation } from "./operation/crd.ts";
import { platformProject } from "./project/crd.ts";
import { platformVariableSet } from "./variable-set/crd.ts";
import { platformWebhook } from "./webhook/crd.ts";

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
