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

/** Every custom resource by its kind, parents first. */
export const BY_KIND = {
  ClusterPlatformConnection: clusterPlatformConnection,
  PlatformConnection: platformConnection,
  PlatformCluster: platformCluster,
  PlatformProject: platformProject,
  PlatformEnvironment: platformEnvironment,
  PlatformApplication: platformApplication,
  PlatformDatabase: platformDatabase,
  PlatformBlueprint: platformBlueprint,
  PlatformVariableSet: platformVariableSet,
  PlatformBinding: platformBinding,
  PlatformCatalog: platformCatalog,
  PlatformOperation: platformOperation,
  PlatformWebhook: platformWebhook,
} satisfies Readonly<Record<string, Resource>>;

export type KindName = keyof typeof BY_KIND;

/** Every custom resource, parents first. */
export const RESOURCES: readonly Resource[] = Object.values(BY_KIND);
