import type { KindName } from "../../src/kinds/index.ts";
import { applicationSample } from "./application.ts";
import { bindingSample } from "./binding.ts";
import { blueprintSample } from "./blueprint.ts";
import { catalogSample } from "./catalog.ts";
import { clusterSample } from "./cluster.ts";
import { clusterConnectionSample, connectionSample } from "./connection.ts";
import { databaseSample } from "./database.ts";
import { environmentSample } from "./environment.ts";
import { projectSample } from "./project.ts";
import type { Sample } from "./sample.ts";
import { variableSetSample } from "./variable-set.ts";
import { webhookSample } from "./webhook.ts";

/** A sample of every kind, in an order in which references come before their users. */
export const SAMPLES: Readonly<Record<KindName, Sample>> = {
  ClusterPlatformConnection: clusterConnectionSample,
  PlatformConnection: connectionSample,
  PlatformProject: projectSample,
  PlatformEnvironment: environmentSample,
  PlatformApplication: applicationSample,
  PlatformDatabase: databaseSample,
  PlatformBlueprint: blueprintSample,
  PlatformVariableSet: variableSetSample,
  PlatformCluster: clusterSample,
  PlatformBinding: bindingSample,
  PlatformWebhook: webhookSample,
  PlatformCatalog: catalogSample,
};
