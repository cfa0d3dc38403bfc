/**
 * What the platform's states mean. The two enumerations are the spec's "States and transitions"; the classes are those
 * of operator-conventions §3.4, RECAP being work in progress. Any other value is "unknown": nothing is done about it.
 */

/** "idle" was never deployed; "unknown" leaves everything open. */
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

/** The 29 deployment states of the spec. */
export const serviceStates: readonly string[] = [...SERVICE.keys()];
/** The 24 cluster states of the spec. */
export const clusterStates: readonly string[] = [...CLUSTER.keys()];

/** The phase of a service, an ingress or a deployment request. */
export function servicePhase(state: string): Phase {
  return SERVICE.get(state) ?? "unknown";
}

/** The phase of a cluster. */
export function clusterPhase(state: string): Phase {
  return CLUSTER.get(state) ?? "unknown";
}

/** The status of the conditions Deployed, ClusterDeployed and IngressReady (design §5). */
export function deploymentCondition(state: string): "True" | "False" | "Unknown" {
  const phase = SERVICE.get(state) ?? CLUSTER.get(state) ?? "unknown";
  if (phase === "unknown") return "Unknown";
  return phase === "running" ? "True" : "False";
}

const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const MAX_REASON = 1024;

/** Whether a value passes the API server's pattern for condition reasons; one that does not fails the whole patch. */
export function fitsReason(value: string): boolean {
  return value.length <= MAX_REASON && REASON.test(value);
}
