import { platformApplication } from "./application.ts";
import type { Resource } from "./base/resource.ts";
import { platformBinding } from "./binding.ts";
import { platformCatalog } from "./catalog.ts";
import { clusterPlatformConnection, platformConnection } from "./connection.ts";
import { platformEnvironment } from "./environment.ts";
import { platformProject } from "./project.ts";
import { platformWebhook } from "./webhook.ts";

/** Every custom resource, parents first. */
export const RESOURCES: readonly Resource[] = [
  clusterPlatformConnection,
  platformConnection,
  platformProject,
  platformEnvironment,
  platformApplication,
  platformBinding,
  platformCatalog,
  platformWebhook,
];
