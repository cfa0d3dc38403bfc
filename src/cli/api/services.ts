/** Commands that show the services of a project: their states and numbers, and the values of a chart. */
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Entry } from "../base/command.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { readObject } from "../base/io.ts";
import { print, printText, type View } from "../base/render.ts";
import { apiCommand, APPLICATION, readCommand } from "./declare.ts";

const INGRESS_KINDS = {
  application: ["PlatformApplication"],
  container: [],
  helm: ["PlatformBlueprint"],
} as const satisfies Record<string, readonly string[]>;

/** @param type the type in -o name */
export function serviceView(type: "application" | "database"): View<ServiceStatus> {
  return {
    columns: {
      STATE: "state",
      DEPLOYMENT: "serviceDeploymentStatus",
      "LAST-DEPLOYED": "lastDeploymentDate",
      REQUEST: "deploymentRequestId",
    },
    wide: {
      REQUESTS: "deploymentRequestsCount",
      "SUB-ACTION": ({ statusDetails }) => statusDetails?.subAction,
      EXECUTION: "executionId",
      ID: "id",
    },
    name: ({ id }) => `${type}/${id}`,
  };
}

export const SERVICES: readonly Entry[] = [
  readCommand({
    name: "env-stats",
    about: "count the services of each environment of a project",
    operations: ["getProjectEnvironmentStats"],
    args: [{ name: "project", about: "id of the project, or the name of a PlatformProject" }],
    read: async (call) => {
      const { platform, id } = await call.target(call.args.project, ["PlatformProject"]);
      return platform.projects.environmentStats(id);
    },
    view: {
      columns: { ENVIRONMENT: "id", SERVICES: "serviceTotalNumber" },
      name: ({ id }) => `environment/${id}`,
    },
  }),
  readCommand({
    name: "app-status",
    about: "show the platform's status of an application",
    operations: ["getApplicationStatus"],
    args: [APPLICATION],
    view: serviceView("application"),
    read: async (call) => {
      const { platform, id } = await call.target(call.args.application, ["PlatformApplication"]);
      return platform.applications.status(id);
    },
  }),
  apiCommand({
    name: "ingress-status",
    about: "show the state of a service's ingress",
    operations: ["getIngressStatus"],
    formats: LIST_FORMATS,
    args: [
      { name: "type", about: "type of the service", choices: ["application", "container", "helm"] },
      { name: "service", about: "id of the service, or the name of its custom resource" },
    ],
    run: async (call) => {
      const { type, service } = call.args;
      const { platform, id } = await call.target(service, INGRESS_KINDS[type]);
      const status = await platform.services.ingressStatus(type, id);
      await print(call, { columns: { STATE: "status", ROUTER: "routerId" }, name: () => `${type}/${id}` }, status);
    },
  }),
  readCommand({
    name: "deployment",
    about: "show the state of a deployment request",
    operations: ["getDeploymentStatus"],
    args: [{ name: "request", about: "id of the deployment request" }],
    read: async (call) => (await call.platform()).deployments.status(call.args.request),
    view: {
      columns: { REQUEST: "deploymentRequestId", STATE: "status", ENVIRONMENT: "environmentId" },
      name: ({ deploymentRequestId }) => `deployment/${deploymentRequestId ?? ""}`,
    },
  }),
  apiCommand({
    name: "default-values",
    about: "print the default values of a helm chart",
    operations: ["getHelmDefaultValues"],
    args: [{ name: "environment", about: "id of the environment, or the name of a PlatformEnvironment" }],
    flags: {
      file: {
        type: "text",
        short: "f",
        value: "FILE",
        required: true,
        about: "source of the chart as the platform's JSON, or as YAML; - for standard input",
      },
    },
    details: "Prints the platform's response. Changes nothing.",
    run: async (call) => {
      const source = await readObject(call.io, call.flags.file);
      const { platform, id } = await call.target(call.args.environment, ["PlatformEnvironment"]);
      const values = await platform.environments.helmDefaultValues(id, source);
      printText(call, values);
    },
  }),
];
