import { lockOf } from "../lifecycle/clusters.ts";
import { isInProgress } from "../model/states.ts";
import {
  environmentsOf,
  type Cluster,
  type Environment,
  type Fields,
  type Project,
  type Service,
  type Webhook,
} from "../model/world.ts";
import type { Simulation } from "./simulation.ts";

/** @returns the platform's record of a project */
export function showProject(sim: Simulation, project: Project): Fields {
  const isPublic = sim.settings.profile.records === "public";
  return {
    id: project.id,
    name: project.name,
    description: isPublic ? (project.description ?? "") : project.description,
    created_at: project.createdAt,
    updated_at: project.updatedAt,
    ...(isPublic && {
      organization: { id: project.organizationId },
      associated_environments_count: environmentsOf(sim.world, project.id).length,
    }),
  };
}

/** @returns the platform's record of an environment */
export function showEnvironment(sim: Simulation, environment: Environment): Fields {
  return {
    id: environment.id,
    name: environment.name,
    mode: environment.mode,
    cluster_id: environment.clusterId,
    created_at: environment.createdAt,
    ...(sim.settings.profile.records === "public" && {
      updated_at: environment.updatedAt,
      project: { id: environment.projectId },
      cluster_name: sim.world.clusters.get(environment.clusterId)?.name,
    }),
  };
}

/** @returns the platform's record of a service: its settings, and the members that the platform adds */
export function showService(sim: Simulation, service: Service): Fields {
  const repository = service.settings["git_repository"];
  return {
    ...service.settings,
    ...(service.kind === "application" && typeof repository === "object" && repository !== null
      ? { git_repository: { ...repository, deployed_commit_id: service.commit } }
      : {}),
    id: service.id,
    name: service.name,
    created_at: service.createdAt,
    updated_at: service.updatedAt,
    ...(sim.settings.profile.records === "public" && {
      service_type: service.kind.toUpperCase(),
      environment: { id: service.environmentId },
      ...(service.blueprintId !== null && { blueprint_id: service.blueprintId }),
    }),
  };
}

/**
 * @returns the state in the next answer about a service or cluster: the next one of its script, if it has a script
 */
export function takeState(record: Service | Cluster): string {
  record.state = record.script.shift() ?? record.state;
  return record.state;
}

/** @returns a service deployment status @param ahead a newer state than reads show, for the answer to a request */
export function showStatus(sim: Simulation, service: Service, ahead?: { state: string; requestId: string }): Fields {
  const environment = sim.world.environments.get(service.environmentId);
  const state = ahead?.state ?? takeState(service);
  const requestId = ahead?.requestId ?? service.requestId;
  const latest = environment?.queue[0]?.id ?? environment?.lastRequestId;
  return {
    id: service.id,
    state,
    service_deployment_status: service.deploymentStatus,
    is_part_last_deployment: requestId !== null && requestId === latest,
    status_details: details(sim, requestId, state),
    deployment_request_id: sim.settings.nullRequestIds ? null : requestId,
    deployment_requests_count: countWaiting(environment, service, ahead?.requestId),
    ...lastDeployment(service),
  };
}

/** @returns how many requests for the service have not begun, with `accepted`, which reads do not show yet */
function countWaiting(environment: Environment | undefined, service: Service, accepted: string | undefined): number {
  const waiting = (environment?.queue ?? []).filter(({ stage, id }) => stage === "queued" || id === accepted);
  return waiting.filter(({ targets }) => targets.some((target) => target.serviceId === service.id)).length;
}

function lastDeployment({ lastDeploymentDate, lastDurationSeconds: seconds, executionId }: Service): Fields {
  return {
    ...(lastDeploymentDate !== null && { last_deployment_date: lastDeploymentDate }),
    ...(seconds !== null && {
      steps: {
        total_duration_sec: seconds,
        total_computing_duration_sec: seconds,
        details: [{ step_name: "TOTAL", duration_sec: seconds }],
      },
    }),
    ...(executionId !== null && { execution_id: executionId }),
  };
}

function details(sim: Simulation, requestId: string | null, state: string): Fields {
  const base = { sub_action: "NONE" };
  if (sim.settings.profile.records === "seed") return base;
  const request = requestId === null ? undefined : sim.world.requests.get(requestId);
  if (request === undefined) return { action: "UNKNOWN", status: "NEVER", ...base };
  return { action: request.action.toUpperCase(), status: progressOf(state), ...base };
}

function progressOf(state: string): string {
  if (state.endsWith("_QUEUED")) return "QUEUED";
  if (state.endsWith("_ERROR")) return "ERROR";
  if (state === "CANCELED" || state === "CANCELING") return state;
  return isInProgress(state) ? "ONGOING" : "SUCCESS";
}

/** @returns a cluster status. */
export function showClusterStatus(cluster: Cluster, now: Date): Fields {
  const lock = lockOf(cluster, now);
  return {
    cluster_id: cluster.id,
    status: takeState(cluster),
    is_deployed: cluster.deployed,
    reason: cluster.reason,
    next_k8s_available_version: cluster.nextVersion,
    last_execution_id: cluster.executionId,
    cluster_lock: lock && {
      reason: lock.reason,
      cluster_id: cluster.id,
      locked_at: lock.lockedAt,
      owner_name: lock.ownerName,
      ttl_in_days: lock.ttlInDays,
    },
    // The documentation shows more than three digits of a second.
    last_deployment_date: cluster.lastDeploymentDate?.replace("Z", "000Z") ?? null,
  };
}

/** @returns a webhook; of its secret, only whether it is set */
export function showWebhook(webhook: Webhook): Fields {
  const { target_secret: secret, ...settings } = webhook.settings;
  return {
    ...settings,
    id: webhook.id,
    target_url: webhook.targetUrl,
    events: webhook.events,
    enabled: webhook.enabled,
    target_secret_set: secret !== undefined && secret !== null,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  };
}
