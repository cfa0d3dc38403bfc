import { z } from "zod";

import { Problem } from "../base/problems.ts";
import { cancel } from "../lifecycle/deployments.ts";
import { serviceKinds } from "../model/actions.ts";
import { clusterModes } from "../model/catalog.ts";
import { createdNow, newService } from "../model/creation.ts";
import { newCluster } from "../model/seed.ts";
import { servicesOf, type Cluster, type Service, type Variable } from "../model/world.ts";
import type { Call } from "../request/route.ts";
import { requestAction } from "../request/service-actions.ts";
import type { Simulation } from "../request/simulation.ts";

/** A service that no operation of the surface creates. */
export const ServiceInput = z.strictObject({
  environmentId: z.guid(),
  kind: z.enum(serviceKinds),
  name: z.string().min(1),
  settings: z.record(z.string(), z.unknown()).default({}),
});

/** A variable of any scope, as created by people or the platform itself. */
export const VariableInput = z.strictObject({
  parentId: z.guid(),
  scope: z.enum(["APPLICATION", "ENVIRONMENT", "PROJECT", "BUILT_IN"]),
  key: z.string().min(1),
  value: z.string(),
  secret: z.boolean().default(false),
});

export const ClusterInput = z.strictObject({
  organizationId: z.guid(),
  name: z.string().min(1),
  region: z.string().default("eu-west-3"),
  cloudProvider: z.string().default("AWS"),
  mode: z.enum(clusterModes).default("PLATFORM_MANAGED"),
  state: z.string().default("DEPLOYED"),
});

/** Adds a service out of band. @throws Problem 404 without such an environment. */
export function addService(sim: Simulation, input: z.input<typeof ServiceInput>): Service {
  const { environmentId, kind, name, settings } = ServiceInput.parse(input);
  const environment = sim.world.environments.get(environmentId);
  if (environment === undefined) throw new Problem(404, "no such environment");
  return newService(sim, environment, kind, name, settings);
}

/** Adds a variable out of band. */
export function addForeignVariable(sim: Simulation, input: z.input<typeof VariableInput>): Variable {
  const variable = { ...createdNow(sim), id: sim.ids.uuid(), description: null, ...VariableInput.parse(input) };
  sim.world.variables.set(variable.id, variable);
  return variable;
}

/** Adds a cluster. */
export function addCluster(sim: Simulation, input: z.input<typeof ClusterInput>): Cluster {
  const { organizationId, ...rest } = ClusterInput.parse(input);
  const cluster = newCluster(sim.ids, sim.time, organizationId, rest);
  sim.world.clusters.set(cluster.id, cluster);
  return cluster;
}

/** Deploys another commit, like a git push or another user. @returns the request's id @throws Problem */
export function foreignDeploy(sim: Simulation, serviceId: string, commit: string): string {
  const service = sim.world.services.get(serviceId);
  if (service === undefined) throw new Problem(404, "no such service");
  return requestOf(requestAction(callerNamed(sim, "git"), service, "deploy", commit), service);
}

/** Stops all running services of an environment, like a deployment rule with a schedule. @returns their number */
export function scheduledStop(sim: Simulation, environmentId: string): number {
  const running = servicesOf(sim.world, environmentId).filter(
    (service) => service.state === "DEPLOYED" || service.state === "RESTARTED",
  );
  for (const service of running) requestAction(callerNamed(sim, "schedule"), service, "stop", null);
  return running.length;
}

/** Cancels a request, like another user. @throws Problem 404, or 409 when it has ended. */
export function foreignCancel(sim: Simulation, requestId: string): void {
  const request = sim.world.requests.get(requestId);
  if (request === undefined) throw new Problem(404, "no such request");
  if (!cancel(sim, request)) throw new Problem(409, "the request has ended");
}

/** Returns a call of the platform itself or of another of its users, which no token limits. */
function callerNamed(sim: Simulation, name: string): Call {
  return {
    sim,
    principal: { name, organizationId: "", scopes: ["Admin"] },
    effect: () => undefined,
  };
}

function requestOf(status: Record<string, unknown>, service: Service): string {
  return typeof status["deployment_request_id"] === "string"
    ? status["deployment_request_id"]
    : (service.requestId ?? "");
}
