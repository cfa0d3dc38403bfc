import { servicesOf, type DeploymentRequest, type Environment, type Fields } from "../model/world.ts";
import type { Simulation } from "./simulation.ts";

/** The environment's state is the first of these that a service has; errors come after all work in progress. */
const precedence: readonly string[] = [
  "CANCELING",
  "BUILDING",
  "DEPLOYING",
  "RESTARTING",
  "STOPPING",
  "DELETING",
  "EXECUTING",
  "WAITING_RUNNING",
  "WAITING_RESTARTING",
  "WAITING_STOPPING",
  "WAITING_DELETING",
  "DEPLOYMENT_QUEUED",
  "RESTART_QUEUED",
  "STOP_QUEUED",
  "DELETE_QUEUED",
  "QUEUED",
  "RECAP",
  "BUILD_ERROR",
  "DEPLOYMENT_ERROR",
  "RESTART_ERROR",
  "STOP_ERROR",
  "DELETE_ERROR",
  "DEPLOYED",
  "RESTARTED",
  "CANCELED",
  "STOPPED",
  "DELETED",
  "READY",
];

/** @returns an environment's status, derived from its services and its queue. */
export function environmentState(sim: Simulation, environment: Environment): Fields {
  const services = servicesOf(sim.world, environment.id);
  const states = new Set(services.map((service) => service.state));
  const last = lastRequest(sim, environment);
  const dates = services.flatMap((service) => service.lastDeploymentDate ?? []).sort();
  const lastDate = dates.at(-1);
  return {
    id: environment.id,
    state: precedence.find((state) => states.has(state)) ?? "READY",
    last_deployment_state: last?.status ?? "READY",
    deployment_status: deploymentStatus(services.map((service) => service.deploymentStatus)),
    deployment_request_id: sim.settings.nullRequestIds ? null : (last?.id ?? null),
    last_deployment_id: last?.executionId ?? null,
    ...(lastDate !== undefined && { last_deployment_date: lastDate }),
  };
}

function lastRequest(sim: Simulation, environment: Environment): DeploymentRequest | undefined {
  const head = environment.queue[0];
  if (head !== undefined || environment.lastRequestId === null) return head;
  return sim.world.requests.get(environment.lastRequestId);
}

function deploymentStatus(statuses: readonly string[]): string {
  if (statuses.every((status) => status === "NEVER_DEPLOYED")) return "NEVER_DEPLOYED";
  return statuses.every((status) => status === "UP_TO_DATE") ? "UP_TO_DATE" : "OUT_OF_DATE";
}
