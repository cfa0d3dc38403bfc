import type { Route } from "../request/route.ts";
import { applicationRoutes } from "./applications.ts";
import { blueprintRoutes } from "./blueprints.ts";
import { cloudRoutes } from "./cloud.ts";
import { clusterRoutes } from "./clusters.ts";
import { databaseRoutes } from "./databases.ts";
import { deploymentRoutes } from "./deployments.ts";
import { environmentRoutes } from "./environments.ts";
import { organizationRoutes } from "./organization.ts";
import { projectRoutes } from "./projects.ts";
import { templateRoutes } from "./templates.ts";
import { variableRoutes } from "./variables.ts";
import { webhookRoutes } from "./webhooks.ts";

/** All routes, by area. */
export const routes: readonly Route[] = [
  ...projectRoutes,
  ...environmentRoutes,
  ...applicationRoutes,
  ...databaseRoutes,
  ...variableRoutes,
  ...deploymentRoutes,
  ...blueprintRoutes,
  ...templateRoutes,
  ...clusterRoutes,
  ...cloudRoutes,
  ...organizationRoutes,
  ...webhookRoutes,
];
