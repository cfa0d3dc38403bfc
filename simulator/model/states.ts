/** The 29 values of a deployment state, grouped as the platform documents them. */
const serviceGroups = {
  build: ["BUILDING", "BUILD_ERROR"],
  cancel: ["CANCELED", "CANCELING"],
  delete: ["DELETED", "DELETE_ERROR", "DELETE_QUEUED", "DELETING", "WAITING_DELETING"],
  deploy: ["DEPLOYED", "DEPLOYING", "DEPLOYMENT_ERROR", "DEPLOYMENT_QUEUED", "WAITING_RUNNING"],
  restart: ["RESTARTED", "RESTARTING", "RESTART_ERROR", "RESTART_QUEUED", "WAITING_RESTARTING"],
  stop: ["STOPPED", "STOPPING", "STOP_ERROR", "STOP_QUEUED", "WAITING_STOPPING"],
  other: ["EXECUTING", "QUEUED", "READY", "RECAP", "UNAVAILABLE"],
} as const;

/** The 24 values of a cluster's status. */
const clusterGroups = {
  build: ["BUILDING", "BUILD_ERROR"],
  cancel: ["CANCELED", "CANCELING"],
  delete: ["DELETED", "DELETE_ERROR", "DELETE_QUEUED", "DELETING"],
  deploy: ["DEPLOYED", "DEPLOYING", "DEPLOYMENT_ERROR", "DEPLOYMENT_QUEUED", "DRY_RUN"],
  restart: ["RESTART_QUEUED", "RESTARTING", "RESTARTED", "RESTART_ERROR"],
  stop: ["STOPPED", "STOPPING", "STOP_ERROR", "STOP_QUEUED"],
  other: ["QUEUED", "READY", "INVALID_CREDENTIALS"],
} as const;

export type ServiceState = (typeof serviceGroups)[keyof typeof serviceGroups][number];
export type ClusterState = (typeof clusterGroups)[keyof typeof clusterGroups][number];

export const serviceStates: readonly ServiceState[] = Object.values(serviceGroups).flat();
export const clusterStates: readonly ClusterState[] = Object.values(clusterGroups).flat();

/** The relation of a service's configuration to its deployment. */
export type DeploymentStatus = "NEVER_DEPLOYED" | "OUT_OF_DATE" | "UP_TO_DATE";

const settledStates: ReadonlySet<string> = new Set([
  "READY",
  "DEPLOYED",
  "RESTARTED",
  "STOPPED",
  "DELETED",
  "CANCELED",
  "BUILD_ERROR",
  "DEPLOYMENT_ERROR",
  "STOP_ERROR",
  "RESTART_ERROR",
  "DELETE_ERROR",
  "INVALID_CREDENTIALS",
]);
const knownStates: ReadonlySet<string> = new Set([...serviceStates, ...clusterStates]);

/** @returns whether work is in progress in that state of a service or a cluster; false for undocumented values */
export function isInProgress(state: string): boolean {
  return knownStates.has(state) && !settledStates.has(state) && state !== "UNAVAILABLE";
}

/** @returns whether the service is being deleted */
export function isDeleting(state: string): boolean {
  return state === "DELETE_QUEUED" || state === "WAITING_DELETING" || state === "DELETING";
}
