import type { ServiceKind } from "./actions.ts";
import type { Machine } from "./machine.ts";
import type { Environment, Fields, Service } from "./world.ts";

/** @returns the dates of a record that is created now. */
export function createdNow({ time }: Machine): { createdAt: string; updatedAt: string; createdAtMs: number } {
  const now = time.wall().toISOString();
  return { createdAt: now, updatedAt: now, createdAtMs: time.real() };
}

/** Creates a service in the state READY, never deployed. The caller has checked that the name is free. */
export function newService(
  machine: Machine,
  environment: Environment,
  kind: ServiceKind,
  name: string,
  settings: Fields,
  blueprintId: string | null = null,
): Service {
  const service: Service = {
    ...createdNow(machine),
    id: machine.ids.uuid(),
    kind,
    environmentId: environment.id,
    routerId: machine.ids.uuid(),
    blueprintId,
    name,
    settings,
    state: "READY",
    deploymentStatus: "NEVER_DEPLOYED",
    revision: 0,
    commit: null,
    requestId: null,
    executionId: null,
    lastDeploymentDate: null,
    lastDurationSeconds: null,
    failNext: [],
    stuck: false,
    script: [],
    log: [],
  };
  machine.world.services.set(service.id, service);
  return service;
}
