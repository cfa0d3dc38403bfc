/** Shows the state of an application, an ingress, a deployment request, or the environments of a project. */
import type { Deployment } from "../../platform/areas/deployments.ts";
import type { EnvironmentCount } from "../../platform/areas/projects.ts";
import type { IngressStatus } from "../../platform/areas/services.ts";
import { command } from "../base/command.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { printList, printOne, type View } from "../base/render.ts";
import { APPLICATION } from "./shared/arguments.ts";
import { serviceView } from "./shared/service-view.ts";

const INGRESS_KINDS = {
  application: ["PlatformApplication"],
  container: [],
  helm: ["PlatformBlueprint"],
} as const satisfies Record<string, readonly string[]>;

const deploymentView: View<Deployment> = {
  columns: [
    { name: "REQUEST", of: ({ deploymentRequestId }) => deploymentRequestId },
    { name: "STATE", of: ({ status }) => status },
    { name: "ENVIRONMENT", of: ({ environmentId }) => environmentId },
  ],
  name: ({ deploymentRequestId }) => `deployment/${deploymentRequestId ?? ""}`,
};

const countView: View<EnvironmentCount> = {
  columns: [
    { name: "ENVIRONMENT", of: ({ id }) => id },
    { name: "SERVICES", of: ({ serviceTotalNumber }) => serviceTotalNumber },
  ],
  name: ({ id }) => `environment/${id}`,
};

export const appStatus = command({
  asks: "platform",
  formats: LIST_FORMATS,
  args: [APPLICATION],
  run: async (call) => {
    const { platform, id } = await call.target(call.args.application, ["PlatformApplication"]);
    await printOne(call, serviceView("application"), await platform.applications.status(id));
  },
});

export const ingressStatus = command({
  asks: "platform",
  formats: LIST_FORMATS,
  args: [
    { name: "type", about: "what kind of service", choices: ["application", "container", "helm"] },
    { name: "service", about: "id of the service, or the name of its custom resource" },
  ],
  run: async (call) => {
    const { type, service } = call.args;
    const { platform, id } = await call.target(service, INGRESS_KINDS[type]);
    const view: View<IngressStatus> = {
      columns: [
        { name: "STATE", of: ({ status }) => status },
        { name: "ROUTER", of: ({ routerId }) => routerId },
      ],
      name: () => `${type}/${id}`,
    };
    await printOne(call, view, await platform.services.ingressStatus(type, id));
  },
});

export const deployment = command({
  asks: "platform",
  formats: LIST_FORMATS,
  args: [{ name: "request", about: "id of the deployment request" }],
  run: async (call) =>
    printOne(call, deploymentView, await (await call.platform()).deployments.status(call.args.request)),
});

export const envStats = command({
  asks: "platform",
  formats: LIST_FORMATS,
  args: [{ name: "project", about: "id of the project, or the name of a PlatformProject" }],
  run: async (call) => {
    const { platform, id } = await call.target(call.args.project, ["PlatformProject"]);
    await printList(call, countView, await platform.projects.environmentStats(id));
  },
});
