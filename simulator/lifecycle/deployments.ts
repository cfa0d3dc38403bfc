import { statesOf, type Action } from "../model/actions.ts";
import type { Machine } from "../model/machine.ts";
import { setRequestStatus, setServiceState } from "../model/state-changes.ts";
import { isInProgress } from "../model/states.ts";
import type { DeploymentRequest, Environment, Service } from "../model/world.ts";
import { finish } from "./deployment-ends.ts";
import { pending } from "./targets.ts";

/** A requested action on services of one environment. */
export interface ActionRequest {
  readonly action: Action;
  readonly principal: string;
  readonly targets: readonly { readonly service: Service; readonly commit: string | null }[];
}

/**
 * Queues an action that `decideAction` accepted. It merges with the last request of the environment if that is from the
 * same principal, is the same action and has not begun.
 * @returns the request that will execute it
 */
export function submit(machine: Machine, environment: Environment, requested: ActionRequest): DeploymentRequest {
  const now = machine.time.virtual();
  const last = environment.queue.at(-1);
  const request = last !== undefined && merges(last, requested) ? last : append(machine, environment, requested, now);
  for (const { service, commit } of requested.targets) join(request, service, commit);
  if (request.stage === "queued") show(machine, request, now);
  startHead(machine, environment, now);
  return request;
}

function merges(request: DeploymentRequest, requested: ActionRequest): boolean {
  const begun = request.stage !== "accepted" && request.stage !== "queued";
  return !begun && request.principal === requested.principal && request.action === requested.action;
}

function append(machine: Machine, environment: Environment, requested: ActionRequest, now: number): DeploymentRequest {
  const latency = machine.settings.acceptLatencySeconds;
  const request: DeploymentRequest = {
    id: machine.ids.uuid(),
    organizationId: machine.world.projects.get(environment.projectId)?.organizationId ?? "",
    environmentId: environment.id,
    executionId: `${environment.id}-${machine.world.requests.size + 1}`,
    action: requested.action,
    principal: requested.principal,
    targets: [],
    stage: latency > 0 ? "accepted" : "queued",
    phases: [],
    phase: 0,
    dueAt: latency > 0 ? now + machine.time.lapse(latency) : undefined,
    startedAt: undefined,
    status: statesOf[requested.action].queued,
  };
  environment.queue.push(request);
  machine.world.requests.set(request.id, request);
  return request;
}

function join(request: DeploymentRequest, service: Service, commit: string | null): void {
  const target = request.targets.find((each) => each.serviceId === service.id);
  if (target !== undefined) {
    target.commit = commit ?? target.commit;
    return;
  }
  request.targets.push({
    serviceId: service.id,
    commit,
    previous: undefined,
    revision: service.revision,
    outcome: "pending",
  });
}

/** Shows a queued request in the states of its services, unless another request is working on them. */
export function show(machine: Machine, request: DeploymentRequest, at: number): void {
  for (const { target, service } of pending(machine, request)) {
    if (isInProgress(service.state)) continue;
    target.previous = service.state;
    service.requestId = request.id;
    service.executionId = request.executionId;
    setServiceState(machine, service, statesOf[request.action].queued, at);
  }
}

/** Sets the time at which the first request of the queue begins. */
export function startHead(machine: Machine, environment: Environment, at: number): void {
  const head = environment.queue[0];
  if (head === undefined || head.stage !== "queued" || head.dueAt !== undefined) return;
  show(machine, head, at);
  head.dueAt = at + machine.time.work(machine.settings.durations.queue);
}

/**
 * @returns the request whose next step is due first, or undefined when no request has a next step. A stuck service
 * blocks its request.
 */
export function nextDeployment(machine: Machine): (DeploymentRequest & { dueAt: number }) | undefined {
  let next: (DeploymentRequest & { dueAt: number }) | undefined;
  for (const environment of machine.world.environments.values()) {
    for (const request of environment.queue) {
      if (!hasDue(request) || isStuck(machine, request)) continue;
      if (next === undefined || request.dueAt < next.dueAt) next = request;
    }
  }
  return next;
}

function hasDue(request: DeploymentRequest): request is DeploymentRequest & { dueAt: number } {
  return request.dueAt !== undefined;
}

function isStuck(machine: Machine, request: DeploymentRequest): boolean {
  if (request.stage !== "working" && request.stage !== "canceling") return false;
  const working = request.phases[request.phase]?.services ?? [];
  return working.some((id) => machine.world.services.get(id)?.stuck === true);
}

/**
 * Cancels a request. A request that has not begun is dropped, and its services return to their previous states; in one
 * that has begun, targets that have not ended go through CANCELING to CANCELED.
 * @returns false when it has ended or is being canceled already.
 */
export function cancel(machine: Machine, request: DeploymentRequest): boolean {
  const environment = machine.world.environments.get(request.environmentId);
  if (environment === undefined || request.stage === "finished" || request.stage === "canceling") return false;
  const now = machine.time.virtual();
  if (request.stage === "working") {
    for (const { service } of pending(machine, request)) setServiceState(machine, service, "CANCELING", now);
    setRequestStatus(machine, request, "CANCELING", now);
    request.stage = "canceling";
    request.dueAt = now + machine.time.work(machine.settings.durations.cancel);
    return true;
  }
  for (const { target, service } of pending(machine, request)) {
    target.outcome = "canceled";
    if (target.previous !== undefined) setServiceState(machine, service, target.previous, now);
  }
  finish(machine, environment, request, "CANCELED", now);
  startHead(machine, environment, now);
  return true;
}
