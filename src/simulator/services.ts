import type { ServiceKind } from "./actions.ts";
import { bornNow } from "./lookups.ts";
import type { Call } from "./route.ts";
import type { Environment, Fields, Service } from "./world.ts";

/** Creates a service: READY, never deployed. The name was checked to be free. */
export function newService(
  call: Call,
  environment: Environment,
  kind: ServiceKind,
  name: string,
  settings: Fields,
  blueprintId: string | null = null,
): Service {
  const service: Service = {
    ...bornNow(call),
    id: call.sim.ids.uuid(),
    kind,
    environmentId: environment.id,
    routerId: call.sim.ids.uuid(),
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
  call.sim.world.services.set(service.id, service);
  return service;
}
