import { z } from "zod";

import { Problem } from "../base/problems.ts";
import { createdNow } from "../model/creation.ts";
import { environmentsOf, servicesOf, type Cluster, type Environment } from "../model/world.ts";
import { checkNameFree, findCluster, findEnvironment, findProject, listed } from "../request/lookups.ts";
import { safe } from "../request/masks.ts";
import { showEnvironment } from "../request/render.ts";
import { route, type Call } from "../request/route.ts";
import { Environment as EnvironmentBody, Id, listOf, Name, Nothing } from "../request/schemas.ts";
import { requestEnvironmentDeletion } from "../request/service-actions.ts";

const ProjectPath = z.object({ projectId: Id });
const EnvironmentPath = z.object({ environmentId: Id });
/** The modes that callers may set: only the platform itself creates environments of the mode PREVIEW. */
const Mode = z.enum(["DEVELOPMENT", "STAGING", "PRODUCTION"]);

export const environmentRoutes = [
  route({
    operation: "createEnvironment",
    keeps: safe("name", "mode", "cluster", "cluster_id"),
    input: {
      params: ProjectPath,
      body: z.object({
        name: Name,
        mode: Mode.default("DEVELOPMENT"),
        cluster_id: Id.optional(),
        cluster: Id.optional(),
      }),
    },
    answer: EnvironmentBody,
    handle({ params, body }, call) {
      const project = findProject(call, params.projectId);
      checkNameFree(call, "environment", body.name, environmentsOf(call.sim.world, project.id));
      const environment: Environment = {
        ...createdNow(call.sim),
        id: call.sim.ids.uuid(),
        projectId: project.id,
        name: body.name,
        mode: body.mode,
        clusterId: clusterFor(call, project.organizationId, body.cluster ?? body.cluster_id).id,
        queue: [],
        lastRequestId: null,
        isBeingDeleted: false,
      };
      call.sim.world.environments.set(environment.id, environment);
      call.effect({ created: environment.id });
      return { body: showEnvironment(call.sim, environment) };
    },
  }),
  route({
    operation: "listEnvironments",
    input: { params: ProjectPath },
    answer: listOf(EnvironmentBody),
    handle({ params }, call) {
      const project = findProject(call, params.projectId);
      const environments = listed(call, environmentsOf(call.sim.world, project.id));
      return { body: { results: environments.map((environment) => showEnvironment(call.sim, environment)) } };
    },
  }),
  route({
    operation: "getProjectEnvironmentStats",
    input: { params: ProjectPath },
    answer: listOf(z.object({ id: Id, service_total_number: z.int() })),
    handle({ params }, call) {
      const project = findProject(call, params.projectId);
      const results = listed(call, environmentsOf(call.sim.world, project.id)).map(({ id }) => ({
        id,
        service_total_number: servicesOf(call.sim.world, id).length,
      }));
      return { body: { results } };
    },
  }),
  route({
    operation: "getEnvironment",
    input: { params: EnvironmentPath },
    answer: EnvironmentBody,
    handle: ({ params }, call) => ({ body: showEnvironment(call.sim, findEnvironment(call, params.environmentId)) }),
  }),
  route({
    operation: "updateEnvironment",
    keeps: safe("name", "mode"),
    input: { params: EnvironmentPath, body: z.object({ name: Name.optional(), mode: Mode.optional() }) },
    answer: EnvironmentBody,
    handle({ params, body }, call) {
      const environment = findEnvironment(call, params.environmentId);
      const { name, mode } = body;
      const siblings = environmentsOf(call.sim.world, environment.projectId);
      if (name !== undefined) checkNameFree(call, "environment", name, siblings, environment.id);
      environment.name = name ?? environment.name;
      environment.mode = mode ?? environment.mode;
      environment.updatedAt = createdNow(call.sim).updatedAt;
      call.effect({ updated: environment.id });
      return { body: showEnvironment(call.sim, environment) };
    },
  }),
  route({
    operation: "deleteEnvironment",
    input: { params: EnvironmentPath },
    answer: Nothing,
    handle({ params }, call) {
      requestEnvironmentDeletion(call, findEnvironment(call, params.environmentId));
      return {};
    },
  }),
];

/** @returns the requested cluster, which must be the organization's; without one, the organization's first */
function clusterFor(call: Call, organizationId: string, id: string | undefined): Cluster {
  if (id !== undefined) return findCluster(call, id);
  const first = [...call.sim.world.clusters.values()].find((cluster) => cluster.organizationId === organizationId);
  if (first === undefined) throw new Problem(400, "The organization has no cluster");
  return first;
}
