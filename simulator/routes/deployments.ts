import { z } from "zod";

import { Problem } from "../base/problems.ts";
import { checkedAs } from "../base/settings.ts";
import { cancel } from "../lifecycle/deployments.ts";
import type { ServiceKind } from "../model/actions.ts";
import { servicesOf, type DeploymentRequest, type Fields } from "../model/world.ts";
import { environmentState } from "../request/environment-state.ts";
import { checkOrganization, findEnvironment, findService, listed } from "../request/lookups.ts";
import { showService, showStatus, takeState } from "../request/render.ts";
import { route, type Call } from "../request/route.ts";
import { DeploymentState, Id, listOf, Service as ServiceBody, ServiceStatus } from "../request/schemas.ts";

const EnvironmentPath = z.object({ environmentId: Id });
const RequestStatus = z.object({ deployment_request_id: Id, environment_id: Id, status: DeploymentState });

/** The lists of an environment's statuses, and the services in each. */
const statusLists = {
  applications: "application",
  containers: "container",
  jobs: "job",
  databases: "database",
  helms: "helm",
  terraforms: "terraform",
} as const satisfies Record<string, ServiceKind>;

export const deploymentRoutes = [
  route({
    operation: "getDeploymentStatusByRequest",
    input: { query: z.object({ deploymentRequestId: Id }) },
    answer: RequestStatus,
    handle: ({ query }, call) => ({ body: showRequest(findRequest(call, query.deploymentRequestId)) }),
  }),
  route({
    operation: "cancelDeploymentRequest",
    input: { params: z.object({ deploymentRequestId: Id }) },
    answer: RequestStatus,
    handle({ params }, call) {
      const request = findRequest(call, params.deploymentRequestId);
      if (!cancel(call.sim, request)) throw new Problem(409, "The request was canceled already, or has ended");
      call.effect({ canceled: request.id });
      return { body: showRequest(request) };
    },
  }),
  route({
    operation: "getIngressDeploymentStatus",
    input: {
      // The documentation has lower case, the description of the whole API upper case.
      params: z.object({
        serviceType: z
          .string()
          .transform((given) => ({ kind: given.toLowerCase(), isUpperCase: given === given.toUpperCase() }))
          .pipe(z.object({ kind: z.enum(["container", "application", "helm"]), isUpperCase: z.boolean() })),
        serviceId: Id,
      }),
    },
    answer: z.object({ router_id: Id, status: DeploymentState }),
    handle({ params }, call) {
      const { kind, isUpperCase } = params.serviceType;
      if (checkedAs(call.sim.settings) === "full" && !isUpperCase) throw new Problem(400, "serviceType is lower case");
      const service = findService(call, params.serviceId, kind);
      if (!call.sim.settings.ingresses) throw new Problem(404, "The service has no ingress");
      return { body: { [call.sim.settings.profile.routerKey]: service.routerId, status: takeState(service) } };
    },
  }),
  route({
    operation: "getEnvironmentStatuses",
    input: { params: EnvironmentPath },
    answer: z.looseObject({
      environment: z.looseObject({ id: Id, state: z.string() }),
      applications: z.array(ServiceStatus),
    }),
    handle({ params }, call) {
      const environment = findEnvironment(call, params.environmentId);
      const services = listed(call, servicesOf(call.sim.world, environment.id));
      const lists = Object.entries(statusLists).map(([list, kind]) => {
        const members = services.filter((service) => service.kind === kind);
        return [list, members.map((service) => showStatus(call.sim, service))] as const;
      });
      return { body: { environment: environmentState(call.sim, environment), ...Object.fromEntries(lists) } };
    },
  }),
  route({
    operation: "listOrganizationServices",
    input: { params: z.object({ organizationId: Id }), query: z.object({ environment_id: Id.optional() }) },
    answer: listOf(
      z.object({ id: Id, name: z.string(), service_type: z.string(), environment_id: Id, project_id: Id }),
    ),
    handle({ params: { organizationId }, query }, call) {
      checkOrganization(call, organizationId);
      const { projects, environments, services } = call.sim.world;
      const results = listed(call, services.values()).flatMap(({ id, name, kind, environmentId }) => {
        const project = projects.get(environments.get(environmentId)?.projectId ?? "");
        const isAsked = query.environment_id === undefined || query.environment_id === environmentId;
        if (project?.organizationId !== organizationId || !isAsked) return [];
        const parents = { environment_id: environmentId, project_id: project.id };
        return [{ id, name, service_type: kind.toUpperCase(), ...parents }];
      });
      return { body: { results } };
    },
  }),
  route({
    operation: "listServices",
    input: { params: EnvironmentPath },
    answer: listOf(ServiceBody),
    handle({ params }, call) {
      const environment = findEnvironment(call, params.environmentId);
      const services = listed(call, servicesOf(call.sim.world, environment.id));
      return { body: { results: services.map((service) => showService(call.sim, service)) } };
    },
  }),
];

function findRequest(call: Call, id: string): DeploymentRequest {
  const request = call.sim.world.requests.get(id);
  if (request === undefined) throw new Problem(404, `No deployment request with id ${id}`);
  checkOrganization(call, request.organizationId);
  return request;
}

function showRequest(request: DeploymentRequest): Fields {
  return { deployment_request_id: request.id, environment_id: request.environmentId, status: request.status };
}
