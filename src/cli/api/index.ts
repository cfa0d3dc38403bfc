/** The commands that call the platform directly, in the order of the help. */
import type { Entry } from "../base/command.ts";
import { catalog, templates } from "./catalog.ts";
import { clusterMetrics, clusterStop, clusterUpgrade } from "./clusters.ts";
import { databaseDeploy, databaseStop, deploy } from "./deploy.ts";
import { logs } from "./logs.ts";
import {
  credentials,
  databaseTypes,
  invoicesSend,
  projects,
  providers,
  regions,
  repositories,
} from "./organization.ts";
import { appStatus, defaultValues, deployment, envStats, ingressStatus } from "./services.ts";
import { clusterKubeconfig, clusterToken } from "./token.ts";
import { envImport, secretsList, secretsSet, variablesList, variablesSet } from "./variables.ts";

export const API_COMMANDS: readonly Entry[] = [
  projects,
  envStats,
  appStatus,
  ingressStatus,
  logs,
  deploy,
  deployment,
  variablesList,
  variablesSet,
  secretsList,
  secretsSet,
  envImport,
  databaseDeploy,
  databaseStop,
  defaultValues,
  clusterToken,
  clusterKubeconfig,
  clusterStop,
  clusterUpgrade,
  clusterMetrics,
  catalog,
  templates,
  providers,
  regions,
  databaseTypes,
  repositories,
  credentials,
  invoicesSend,
];
