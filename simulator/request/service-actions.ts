import { Problem } from "../base/problems.ts";
import { submit } from "../lifecycle/deployments.ts";
import { decideAction, statesOf, type Action } from "../model/actions.ts";
import {
  environmentsOf,
  removeEnvironment,
  removeProject,
  removeService,
  servicesOf,
  type DeploymentRequest,
  type Environment,
  type Fields,
  type Project,
  type Service,
} from "../model/world.ts";
import { showStatus } from "./render.ts";
import type { Call } from "./route.ts";

/**
 * Requests an action on one service for the caller.
 * @returns the service deployment status for the answer, which shows the request even if reads do not yet
 * @throws Problem 400 or 409 when the service's state does not allow it.
 */
export function requestAction(
  call: Call,
  service: Service,
  action: Exclude<Action, "delete">,
  commit: string | null,
): Fields {
  accept(call, service, action);
  const request = enqueue(call, service, action, commit);
  switch (action) {
    case "deploy":
      call.effect({ deployed: service.id, commit, request: request.id });
      break;
    case "stop":
      call.effect({ stopped: service.id, request: request.id });
      break;
    case "restart":
      call.effect({ restarted: service.id, request: request.id });
      break;
    default:
      action satisfies never;
  }
  const state = request.stage === "accepted" ? statesOf[action].queued : service.state;
  return showStatus(call.sim, service, { state, requestId: request.id });
}

/**
 * Deletes a service: at once if it was never deployed, else with a deployment request.
 * @throws Problem as `requestAction`
 */
export function requestServiceDeletion(call: Call, service: Service): void {
  if (accept(call, service, "delete") === "gone") removeService(call.sim.world, service);
  else enqueue(call, service, "delete", null);
  call.effect({ deleted: service.id });
}

/**
 * Deletes an environment: at once if nothing in it was ever deployed, else after the deletion of its services.
 * @throws Problem as `requestAction`
 */
export function requestEnvironmentDeletion(call: Call, environment: Environment): void {
  startEnvironmentDeletion(call, environment);
  call.effect({ deleted: environment.id });
}

/** Deletes a project with all of its environments. @throws Problem as `requestAction`, and deletes none of them */
export function requestProjectDeletion(call: Call, project: Project): void {
  const { world } = call.sim;
  const environments = environmentsOf(world, project.id);
  for (const { id } of environments) for (const service of servicesOf(world, id)) accept(call, service, "delete");
  project.isBeingDeleted = true;
  for (const environment of environments) startEnvironmentDeletion(call, environment);
  if (environmentsOf(world, project.id).length === 0) removeProject(world, project);
  call.effect({ deleted: project.id });
}

function startEnvironmentDeletion(call: Call, environment: Environment): void {
  const { world } = call.sim;
  const services = servicesOf(world, environment.id);
  const deployed = services.filter((service) => accept(call, service, "delete") !== "gone");
  if (deployed.length === 0) {
    removeEnvironment(world, environment);
    return;
  }
  environment.isBeingDeleted = true;
  for (const service of services) {
    if (deployed.includes(service)) enqueue(call, service, "delete", null);
    else removeService(world, service);
  }
}

function accept(call: Call, service: Service, action: Action): "accepted" | "gone" {
  const decision = decideAction(action, service.state, call.sim.settings.queueMode);
  if (decision.is === "refused") {
    const isStopped = action === "stop" && service.state === "STOPPED";
    throw new Problem(decision.status, isStopped ? call.sim.settings.alreadyStopped : decision.message);
  }
  return decision.is;
}

function enqueue(call: Call, service: Service, action: Action, commit: string | null): DeploymentRequest {
  const environment = call.sim.world.environments.get(service.environmentId);
  if (environment === undefined) throw new Problem(404, "The environment is gone");
  const principal = call.principal.name;
  return submit(call.sim, environment, { action, principal, targets: [{ service, commit }] });
}
