import type { Machine } from "./machine.ts";
import type { Cluster, DeploymentRequest, Service } from "./world.ts";

/** The number of lines of a service's log that the platform keeps. */
const logLimit = 1000;

/** Sets a service's state, and reports and logs a change. Here and below, `at` is virtual milliseconds. */
export function setServiceState(machine: Machine, service: Service, state: string, at: number): void {
  if (service.state === state) return;
  machine.notify({ subject: "service", id: service.id, from: service.state, to: state, at });
  service.state = state;
  const createdAt = machine.time.wall(at).toISOString();
  service.log = [
    ...service.log.slice(1 - logLimit),
    { id: machine.ids.uuid(), createdAt, message: `state is ${state}` },
  ];
}

/** Sets a cluster's status, and reports a change. */
export function setClusterState(machine: Machine, cluster: Cluster, state: string, at: number): void {
  if (cluster.state === state) return;
  machine.notify({ subject: "cluster", id: cluster.id, from: cluster.state, to: state, at });
  cluster.state = state;
}

/** Sets the visible status of a request, and reports a change. */
export function setRequestStatus(machine: Machine, request: DeploymentRequest, status: string, at: number): void {
  if (request.status === status) return;
  machine.notify({ subject: "request", id: request.id, from: request.status, to: status, at });
  request.status = status;
}

/** Marks a service's configuration as edited: a running deployment is then out of date. */
export function markEdited(service: Service): void {
  service.revision += 1;
  if (service.deploymentStatus === "UP_TO_DATE") service.deploymentStatus = "OUT_OF_DATE";
}
