/**
 * What the platform's states mean. The two enumerations are those of the API specification ("States and transitions"),
 * RECAP counting as work in progress. UNAVAILABLE and every value that the specification does not have are "unknown".
 */

/** "idle": never deployed. "unknown": allows no conclusion. */
export type Phase = "busy" | "running" | "stopped" | "idle" | "failed" | "gone" | "unknown";

type KnownPhases = readonly (readonly [string, Phase])[];

const SHARED: KnownPhases = [
  ["BUILDING", "busy"],
  ["BUILD_ERROR", "failed"],
  ["CANCELED", "failed"],
  ["CANCELING", "busy"],
  ["DELETED", "gone"],
  ["DELETE_ERROR", "failed"],
  ["DELETE_QUEUED", "busy"],
  ["DELETING", "busy"],
  ["DEPLOYED", "running"],
  ["DEPLOYING", "busy"],
  ["DEPLOYMENT_ERROR", "failed"],
  ["DEPLOYMENT_QUEUED", "busy"],
  ["QUEUED", "busy"],
  ["READY", "idle"],
  ["RESTARTED", "running"],
  ["RESTARTING", "busy"],
  ["RESTART_ERROR", "failed"],
  ["RESTART_QUEUED", "busy"],
  ["STOPPED", "stopped"],
  ["STOPPING", "busy"],
  ["STOP_ERROR", "failed"],
  ["STOP_QUEUED", "busy"],
];

const SERVICE: ReadonlyMap<string, Phase> = new Map([
  ...SHARED,
  ["EXECUTING", "busy"],
  ["RECAP", "busy"],
  ["UNAVAILABLE", "unknown"],
  ["WAITING_DELETING", "busy"],
  ["WAITING_RESTARTING", "busy"],
  ["WAITING_RUNNING", "busy"],
  ["WAITING_STOPPING", "busy"],
]);

const CLUSTER: ReadonlyMap<string, Phase> = new Map([
  ...SHARED,
  ["DRY_RUN", "busy"],
  ["INVALID_CREDENTIALS", "failed"],
]);

/** The two states of a service that the specification's usage guide has and its enumeration lacks. */
const GUIDE: ReadonlyMap<string, Phase> = new Map([
  ["RUNNING", "running"],
  ["ERROR", "failed"],
]);

/** The 29 deployment states of the spec. */
export const serviceStates: readonly string[] = [...SERVICE.keys()];
/** The 24 cluster states of the spec. */
export const clusterStates: readonly string[] = [...CLUSTER.keys()];

/** The phase of a service or an ingress. */
export function servicePhase(state: string): Phase {
  return SERVICE.get(state) ?? GUIDE.get(state) ?? "unknown";
}

/** The phase of a deployment request, without the usage guide's states: those belong to services only. */
export function requestPhase(state: string): Phase {
  return SERVICE.get(state) ?? "unknown";
}

/** Reports whether a state is one of a stop: under way, reached or failed. */
export function isOfStop(state: string): boolean {
  return state.includes("STOP");
}

/** Reports whether a state is one of a stop, a restart or a deletion: none of them follows from a deployment. */
export function isOfOtherWork(state: string): boolean {
  return /STOP|RESTART|DELET/.test(state);
}

/**
 * Reports whether only the usage guide has a state. The guide polls the same status before and after a deployment, so
 * such a state may still be that of the previous deployment.
 */
export function isGuideState(state: string): boolean {
  return GUIDE.has(state);
}

/** Whether the specification has the state, in an enumeration or in its usage guide. */
export function isDocumentedState(state: string): boolean {
  return SERVICE.has(state) || CLUSTER.has(state) || GUIDE.has(state);
}

/** The phase of a cluster. */
export function clusterPhase(state: string): Phase {
  return CLUSTER.get(state) ?? "unknown";
}

/** Returns the status of the condition Deployed, ClusterDeployed or IngressReady for a state of the platform. */
export function deploymentCondition(state: string): "True" | "False" | "Unknown" {
  const phase = SERVICE.get(state) ?? CLUSTER.get(state) ?? GUIDE.get(state) ?? "unknown";
  if (phase === "unknown") return "Unknown";
  return phase === "running" ? "True" : "False";
}

const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const MAX_REASON = 1024;

/**
 * Reports whether a value matches the API server's pattern for condition reasons. The API server refuses the whole
 * patch if one reason does not.
 */
export function fitsReason(value: string): boolean {
  return value.length <= MAX_REASON && REASON.test(value);
}
