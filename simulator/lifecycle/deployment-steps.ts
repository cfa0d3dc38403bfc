import { phasesOf, statesOf } from "../model/actions.ts";
import type { Machine } from "../model/machine.ts";
import { setRequestStatus, setServiceState } from "../model/state-changes.ts";
import type { DeploymentRequest, Environment, Service, Target } from "../model/world.ts";
import { finish } from "./deployment-ends.ts";
import { show, startHead } from "./deployments.ts";
import { pending, settle, settleRest } from "./targets.ts";

/** Takes the next step of a request, at the virtual time `at`. */
export function proceed(machine: Machine, request: DeploymentRequest, at: number): void {
  const environment = machine.world.environments.get(request.environmentId);
  if (environment === undefined) return;
  switch (request.stage) {
    case "accepted":
      request.stage = "queued";
      request.dueAt = undefined;
      show(machine, request, at);
      break;
    case "queued":
      begin(machine, environment, request, at);
      break;
    case "working":
      leavePhase(machine, environment, request, at);
      break;
    case "canceling":
      settleRest(machine, request, at);
      finish(machine, environment, request, "CANCELED", at);
      break;
    case "finished":
      break;
    default:
      request.stage satisfies never;
  }
  startHead(machine, environment, at);
}

function begin(machine: Machine, environment: Environment, request: DeploymentRequest, at: number): void {
  const members = pending(machine, request);
  request.targets = members.map(({ target }) => target);
  for (const { target, service } of members) target.revision = service.revision;
  request.stage = "working";
  request.startedAt = at;
  request.phases = phasesOf(
    request.action,
    members.map(({ service }) => service),
  );
  enterPhase(machine, environment, request, at);
}

function enterPhase(machine: Machine, environment: Environment, request: DeploymentRequest, at: number): void {
  const phase = request.phases[request.phase];
  if (phase === undefined) {
    finish(machine, environment, request, statesOf[request.action].done, at);
    return;
  }
  for (const { service } of pending(machine, request)) {
    const state = phase.services.includes(service.id) ? phase.shows : statesOf[request.action].waiting;
    service.requestId = request.id;
    service.executionId = request.executionId;
    setServiceState(machine, service, state, at);
  }
  setRequestStatus(machine, request, phase.shows, at);
  const durations = machine.settings.durations;
  const seconds = phase.is === "work" ? durations[request.action] : durations[phase.is];
  request.dueAt = at + machine.time.work(seconds);
}

function leavePhase(machine: Machine, environment: Environment, request: DeploymentRequest, at: number): void {
  const phase = request.phases[request.phase];
  if (phase === undefined) return;
  const later = new Set(request.phases.slice(request.phase + 1).flatMap((each) => each.services));
  let failure: string | undefined;
  for (const { target, service } of pending(machine, request)) {
    if (!phase.services.includes(service.id)) continue;
    const failed = failureOf(request, phase.is, target, service);
    failure ??= failed;
    if (failed !== undefined) settle(machine, target, service, "failed", failed, at);
    else if (!later.has(service.id)) succeed(machine, request, target, service, at);
  }
  request.phase += 1;
  if (failure === undefined) {
    enterPhase(machine, environment, request, at);
    return;
  }
  settleRest(machine, request, at);
  finish(machine, environment, request, failure, at);
}

/** @returns the state of the service if it fails in this phase. The build of a commit that starts with "bad" fails. */
function failureOf(
  request: DeploymentRequest,
  is: "build" | "work" | "execute",
  target: Target,
  service: Service,
): string | undefined {
  if (is === "execute") return undefined;
  const step = is === "build" ? "build" : request.action;
  const planned = service.failNext.indexOf(step);
  if (planned >= 0) service.failNext.splice(planned, 1);
  if (is === "build") return planned >= 0 || target.commit?.startsWith("bad") === true ? "BUILD_ERROR" : undefined;
  return planned >= 0 ? statesOf[request.action].failed : undefined;
}

function succeed(machine: Machine, request: DeploymentRequest, target: Target, service: Service, at: number): void {
  if (request.action === "deploy") {
    service.commit = target.commit ?? service.commit;
    service.deploymentStatus = service.revision === target.revision ? "UP_TO_DATE" : "OUT_OF_DATE";
  }
  settle(machine, target, service, "done", statesOf[request.action].done, at);
}
