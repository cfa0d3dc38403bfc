import type { Machine } from "../model/machine.ts";
import { nextCluster, proceedCluster } from "./clusters.ts";
import { proceed } from "./deployment-steps.ts";
import { nextDeployment } from "./deployments.ts";

/**
 * Advances the world to the current time: takes every step that is due, in the order of time. Work in progress advances
 * only here, so a reader sees a world that has passed every state, however long ago the last read was.
 */
export function advance(machine: Machine): void {
  const now = machine.time.virtual();
  while (step(machine, now));
}

function step(machine: Machine, now: number): boolean {
  const request = nextDeployment(machine);
  const cluster = nextCluster(machine);
  const requestDue = request?.dueAt ?? Infinity;
  const clusterDue = cluster?.run.dueAt ?? Infinity;
  if (Math.min(requestDue, clusterDue) > now) return false;
  if (request !== undefined && requestDue <= clusterDue) proceed(machine, request, requestDue);
  else if (cluster !== undefined) proceedCluster(machine, cluster, clusterDue);
  return true;
}
