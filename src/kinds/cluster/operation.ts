/**
 * Requests to the platform: each is sent once, and is open until the cluster shows a change (docs/project/architecture.md §6).
 * Pure.
 */
import type { Json, Plan, Step, StatusReason } from "../../engine/contract/kind.ts";
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import { jsonIn } from "../../platform/codec/json.ts";
import { clusterPhase } from "../../platform/codec/states.ts";
import { once } from "../shared/checks.ts";
import { clusterNotAllowed, unprovenId } from "../shared/limits.ts";
import { alreadyManaged, reasonNotFound } from "../shared/names.ts";
import { fitText } from "../shared/text.ts";
import type { ClusterOperation } from "./crd.ts";
import {
  type Action,
  type ClusterContext,
  type ClusterFacts,
  clusterFacts,
  isClusterShown,
  knownFacts,
  type Observed,
} from "./model.ts";

export const OPERATIONS = {
  Stop: { op: "stopCluster", reason: "Stopping", message: "The cluster is being stopped." },
  Start: { op: "deployCluster", reason: "Deploying", message: "The cluster is being deployed." },
  Upgrade: { op: "upgradeCluster", reason: "Upgrading", message: "The cluster is being upgraded." },
} as const satisfies Record<Action["operation"], StatusReason & { readonly op: string }>;

/** Returns the baseline of a cluster, as text for a status. It changes with every operation on the cluster. */
export function clusterBaseline(facts: ClusterFacts): string {
  // An unknown member is null in the JSON of an array.
  return JSON.stringify([facts.state, facts.lastExecutionId, facts.lastDeploymentDate, facts.nextKubernetesVersion]);
}

/** Returns the state in a baseline. */
export function stateIn(baseline: Json | undefined): unknown {
  const members: unknown = typeof baseline === "string" ? jsonIn(baseline) : undefined;
  return Array.isArray(members) ? members[0] : undefined;
}

/** Returns the request of a step. */
export function operationOf(context: ClusterContext, observed: Observed, step: Action): ClusterOperation {
  return {
    ...step,
    generation: context.resource.generation,
    // A cluster that is not shown cannot be waited for.
    baseline: isClusterShown(observed) ? observedBaseline(observed) : undefined,
  };
}

/** Returns why the reconcile waits for the last request, while the cluster shows no change. */
export function pendingOperation(
  { memory, requested }: ClusterContext,
  { status, isRequestSent }: Observed,
): StatusReason | undefined {
  const order = memory.lastOrder;
  if (order?.baseline === undefined || status === undefined || requested !== undefined) return undefined;
  if (!isRequestSent && isOver(order, status)) return undefined;
  const { reason, message } = OPERATIONS[order.operation];
  return { reason, message };
}

/** Reports whether the cluster changed since the request. */
function isOver(order: ClusterOperation, status: ClusterStatus): boolean {
  return order.baseline !== clusterBaseline(clusterFacts(status)) || clusterPhase(status.status) === "busy";
}

/** Returns the last request, without its baseline once the cluster changed. */
export function followedOperation(
  { memory }: ClusterContext,
  { status, isRequestSent }: Observed,
): ClusterOperation | undefined {
  const order = memory.lastOrder;
  if (order === undefined || order.baseline === undefined || status === undefined || isRequestSent) return order;
  if (!isOver(order, status)) return order;
  const { baseline: _baseline, ...rest } = order;
  return rest;
}

/** Returns a plan with the step; while the cluster is locked, a plan that waits. */
export function planRequest(
  context: ClusterContext,
  observed: Observed,
  step: Action,
  facts: Pick<Step<Action>, "corrects" | "changes"> = {},
): Plan<Action> {
  const lock = lockOf(context, observed);
  if (lock !== undefined) return { is: "waiting", why: lock, again: LOCK_LOOK_MS };
  const { operation, kubernetesVersion } = step;
  const { op, reason, message } = OPERATIONS[operation];
  const why: StatusReason = {
    reason,
    message: operation === "Upgrade" ? upgradeMessage(observed, kubernetesVersion) : message,
  };
  return once(op, step, why, { mark: { baseline: observedBaseline(observed), kubernetesVersion }, ...facts });
}

function observedBaseline({ status }: Observed): string | undefined {
  return status && clusterBaseline(clusterFacts(status));
}

function upgradeMessage(observed: Observed, version: string | undefined): string {
  return `The cluster is being upgraded to ${isClusterShown(observed) ? `Kubernetes ${version}` : "the version that the platform chooses"}.`;
}

const LOCK_LOOK_MS = 60_000;
const DAY_MS = 86_400_000;
/** The largest number of characters that a message quotes. */
const QUOTED = 60;

/**
 * Returns why a locked cluster must not be changed. A remembered lock counts until its own end, or until the user
 * requests a retry: the platform would never show that it was removed.
 */
export function lockOf(context: ClusterContext, observed: Observed): StatusReason | undefined {
  const { lock } = knownFacts(context, observed);
  if (lock === undefined) return undefined;
  if (observed.status === undefined && (context.requested !== undefined || hasEnded(context, lock))) return undefined;
  const owner = lock.ownerName === undefined ? "" : ` by "${fitText(lock.ownerName, QUOTED)}"`;
  const reason = lock.reason === undefined ? "" : ` (reason: ${fitText(lock.reason, QUOTED)})`;
  const advice = isClusterShown(observed)
    ? "Nothing is changed until it is unlocked."
    : "Nothing is changed until the lock ends. If the cluster is unlocked earlier, request a retry with the annotation platform-operator.io/reconcile-requested-at.";
  return { reason: "ClusterLocked", message: `The cluster is locked${owner}${reason}. ${advice}` };
}

/** Reports whether a lock has ended; true for one without a known end: the platform then decides. */
function hasEnded({ now }: ClusterContext, { lockedAt, ttlInDays }: NonNullable<ClusterFacts["lock"]>): boolean {
  return !(Date.parse(lockedAt ?? "") + (ttlInDays ?? 0) * DAY_MS > now.getTime());
}

/** Returns what prevents any work on the cluster; undefined when nothing does. */
export function refusal(context: ClusterContext, observed: Observed): StatusReason | undefined {
  const { externalId: id } = context.spec;
  if (observed.listed === "Gone")
    return context.identitySource === "recorded"
      ? reasonGone(id)
      : reasonNotFound("cluster", id, "the organization", "Fix spec.externalId.");
  const notAllowed = clusterNotAllowed(context);
  if (notAllowed !== undefined) return notAllowed;
  const holder = context.records.holderOf(id);
  return holder === undefined ? checkProven(context, observed) : alreadyManaged(id, holder);
}

/**
 * Returns why the cluster is not known to be the organization's: it is not in its list, no request that names both was
 * accepted, and the connection does not accept unproven ids. A stop names both, so the platform accepts it only for a
 * cluster of the organization.
 */
export function checkProven(context: ClusterContext, observed: Observed): StatusReason | undefined {
  const isStop = context.goal === "stopped" || (context.goal === "present" && context.spec.runState === "Stopped");
  const isProven = isStop || isClusterShown(observed) || context.memory.verified === true;
  return isProven ? undefined : unprovenId(context, `cluster ${context.spec.externalId}`);
}

function reasonGone(id: string): StatusReason {
  const message = `The organization has no cluster ${id} any more. Clusters are never created. Delete this resource.`;
  return { reason: "ExternalResourceDeleted", message };
}
