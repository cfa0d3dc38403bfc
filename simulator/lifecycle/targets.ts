import type { Machine } from "../model/machine.ts";
import { setServiceState } from "../model/state-changes.ts";
import type { DeploymentRequest, Service, Target } from "../model/world.ts";

/** Ends the targets that have not ended, after the first failure or a cancellation. */
export function settleRest(machine: Machine, request: DeploymentRequest, at: number): void {
  for (const { target, service } of pending(machine, request)) {
    settle(machine, target, service, "canceled", "CANCELED", at);
  }
}

/** Ends a target: its service is in `state` from `at` on, in virtual milliseconds. */
export function settle(
  machine: Machine,
  target: Target,
  service: Service,
  outcome: Target["outcome"],
  state: string,
  at: number,
): void {
  target.outcome = outcome;
  service.lastDeploymentDate = machine.time.wall(at).toISOString();
  setServiceState(machine, service, state, at);
}

/** @returns the targets that have not ended, with their services; those whose service is gone are left out. */
export function pending(machine: Machine, request: DeploymentRequest): { target: Target; service: Service }[] {
  return request.targets.flatMap((target) => {
    const service = machine.world.services.get(target.serviceId);
    return service !== undefined && target.outcome === "pending" ? [{ target, service }] : [];
  });
}
