import type { Machine } from "../model/machine.ts";
import { setRequestStatus } from "../model/state-changes.ts";
import {
  environmentsOf,
  removeEnvironment,
  removeProject,
  removeService,
  servicesOf,
  type DeploymentRequest,
  type Environment,
} from "../model/world.ts";

/**
 * Ends a request with `status`, removes it from the queue, and removes the objects that it deleted. `at` is virtual
 * milliseconds.
 */
export function finish(
  machine: Machine,
  environment: Environment,
  request: DeploymentRequest,
  status: string,
  at: number,
): void {
  setRequestStatus(machine, request, status, at);
  if (request.startedAt !== undefined) environment.lastRequestId = request.id;
  request.stage = "finished";
  request.dueAt = undefined;
  environment.queue = environment.queue.filter((each) => each !== request);
  for (const target of request.targets) {
    const service = machine.world.services.get(target.serviceId);
    if (service === undefined || request.startedAt === undefined) continue;
    service.lastDurationSeconds = Math.round((at - request.startedAt) / 1000);
    if (request.action === "delete" && target.outcome === "done") removeService(machine.world, service);
  }
  if (request.action === "delete") clear(machine, environment, at);
}

/**
 * Removes an environment that is being deleted, and its project, once all services are deleted; keeps them if a deletion
 * failed.
 */
function clear(machine: Machine, environment: Environment, at: number): void {
  if (!environment.isBeingDeleted || environment.queue.some((request) => request.action === "delete")) return;
  const project = machine.world.projects.get(environment.projectId);
  if (servicesOf(machine.world, environment.id).length > 0) {
    environment.isBeingDeleted = false;
    if (project !== undefined) project.isBeingDeleted = false;
    return;
  }
  for (const request of environment.queue) setRequestStatus(machine, request, "CANCELED", at);
  removeEnvironment(machine.world, environment);
  if (project?.isBeingDeleted === true && environmentsOf(machine.world, project.id).length === 0) {
    removeProject(machine.world, project);
  }
}
