import type { Machine } from "../model/machine.ts";
import { setClusterState } from "../model/state-changes.ts";
import { isInProgress, type ClusterState } from "../model/states.ts";
import type { Cluster, ClusterLock, ClusterRun } from "../model/world.ts";

export type ClusterAction = ClusterRun["action"];

/** The states that a cluster passes in each action. */
const statesOf = {
  deploy: { queued: "DEPLOYMENT_QUEUED", working: "DEPLOYING", done: "DEPLOYED", failed: "DEPLOYMENT_ERROR" },
  upgrade: { queued: "DEPLOYMENT_QUEUED", working: "DEPLOYING", done: "DEPLOYED", failed: "DEPLOYMENT_ERROR" },
  stop: { queued: "STOP_QUEUED", working: "STOPPING", done: "STOPPED", failed: "STOP_ERROR" },
} as const satisfies Record<ClusterAction, Record<"queued" | "working" | "done" | "failed", ClusterState>>;

/** The states in which an action may begin. */
const legalFrom: Readonly<Record<ClusterAction, readonly string[]>> = {
  deploy: [
    "READY",
    "STOPPED",
    "DEPLOYED",
    "RESTARTED",
    "CANCELED",
    "BUILD_ERROR",
    "DEPLOYMENT_ERROR",
    "STOP_ERROR",
    "RESTART_ERROR",
    "DELETE_ERROR",
    "INVALID_CREDENTIALS",
  ],
  stop: [
    "DEPLOYED",
    "RESTARTED",
    "BUILD_ERROR",
    "DEPLOYMENT_ERROR",
    "STOP_ERROR",
    "RESTART_ERROR",
    "DELETE_ERROR",
    "INVALID_CREDENTIALS",
  ],
  upgrade: ["DEPLOYED"],
};

/** Why an action is refused. */
export interface Refusal {
  readonly status: 400 | 409;
  readonly message: string;
}

const dayMs = 86_400_000;

/** @returns the lock of a cluster; an expired lock counts as none */
export function lockOf({ lock }: Cluster, now: Date): ClusterLock | null {
  const ended = lock !== null && Date.parse(lock.lockedAt) + lock.ttlInDays * dayMs <= now.getTime();
  return ended ? null : lock;
}

/** @returns why the action is refused, or undefined when it is allowed */
export function refusalOfAction(cluster: Cluster, action: ClusterAction, now: Date): Refusal | undefined {
  if (isInProgress(cluster.state)) return { status: 409, message: "Operation is in progress" };
  const lock = lockOf(cluster, now);
  if (lock !== null) return { status: 409, message: `The cluster is locked: ${lock.reason}` };
  if (action === "stop" && cluster.state === "STOPPED") {
    return { status: 409, message: "The cluster is already stopped" };
  }
  if (!legalFrom[action].includes(cluster.state)) {
    return { status: 400, message: `InvalidAction: cannot ${action} a cluster in state ${cluster.state}` };
  }
  if (action === "upgrade" && cluster.nextVersion === null) {
    return { status: 400, message: "No newer Kubernetes version is available" };
  }
  return undefined;
}

/** Begins an action that was accepted. */
export function startCluster(machine: Machine, cluster: Cluster, action: ClusterAction): void {
  const now = machine.time.virtual();
  cluster.executionId = `${cluster.id}-${machine.ids.hex(4)}`;
  cluster.run = { action, stage: "queued", dueAt: now + machine.time.work(machine.settings.durations.queue) };
  setClusterState(machine, cluster, statesOf[action].queued, now);
}

/** @returns the cluster whose next step is due first, or undefined when no cluster has a next step */
export function nextCluster(machine: Machine): (Cluster & { run: ClusterRun }) | undefined {
  let next: (Cluster & { run: ClusterRun }) | undefined;
  for (const cluster of machine.world.clusters.values()) {
    if (!isRunning(cluster) || cluster.stuck) continue;
    if (next === undefined || cluster.run.dueAt < next.run.dueAt) next = cluster;
  }
  return next;
}

function isRunning(cluster: Cluster): cluster is Cluster & { run: ClusterRun } {
  return cluster.run !== null;
}

/** Takes a cluster's next step, at the virtual time `at`. */
export function proceedCluster(machine: Machine, cluster: Cluster & { run: ClusterRun }, at: number): void {
  const { action, stage } = cluster.run;
  if (stage === "queued") {
    cluster.run = { action, stage: "working", dueAt: at + machine.time.work(machine.settings.durations.cluster) };
    setClusterState(machine, cluster, statesOf[action].working, at);
    return;
  }
  const failed = failureOf(cluster, action);
  if (failed === undefined) succeed(cluster, action);
  cluster.lastDeploymentDate = machine.time.wall(at).toISOString();
  setClusterState(machine, cluster, failed ?? statesOf[action].done, at);
  Object.assign(cluster, { run: null });
}

function failureOf(cluster: Cluster, action: ClusterAction): string | undefined {
  const step = action === "stop" ? "stop" : "deploy";
  const index = cluster.failNext.findIndex((each) => each === step || (each === "credentials" && step === "deploy"));
  if (index < 0) return undefined;
  const [failure] = cluster.failNext.splice(index, 1);
  return failure === "credentials" ? "INVALID_CREDENTIALS" : statesOf[action].failed;
}

/**
 * Records the success of an action. Services keep their states when their cluster stops: a state describes a
 * deployment, not a running process.
 */
function succeed(cluster: Cluster, action: ClusterAction): void {
  cluster.deployed = action !== "stop";
  if (action === "stop") return;
  cluster.deploymentStatus = "UP_TO_DATE";
  if (action === "upgrade" && cluster.nextVersion !== null) {
    cluster.version = cluster.nextVersion;
    cluster.nextVersion = null;
  }
}
