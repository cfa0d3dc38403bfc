/** Orders to the platform: each is given once, and is open until the cluster shows something new (docs/architecture.md §6). Pure. */
import type { Plan, Step, Why } from "../../engine/contract/kind.ts";
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import { clusterPhase } from "../../platform/codec/states.ts";
import { clusterNotAllowed } from "../shared/cluster-ref.ts";
import { unprovenId } from "../shared/limits.ts";
import { alreadyManaged, notThere } from "../shared/names.ts";
import { fit } from "../shared/text.ts";
import type { ClusterOrder } from "./crd.ts";
import { type ClusterPass, type Do, type Facts, factsOf, isShown, knownFacts, type Seen } from "./model.ts";

const ORDERS = {
  stop: { op: "stopCluster", operation: "Stop", reason: "Stopping", text: "The cluster is being stopped." },
  start: { op: "deployCluster", operation: "Start", reason: "Deploying", text: "The cluster is being deployed." },
  upgrade: { op: "upgradeCluster", operation: "Upgrade", reason: "Upgrading", text: "The cluster is being upgraded." },
} as const satisfies Record<
  Do["what"],
  { op: string; operation: ClusterOrder["operation"]; reason: Why["reason"]; text: string }
>;

/** What the cluster shows, as text that a status can hold: it changes with all that is done to the cluster. */
export function baselineOf({ state, lastExecutionId, lastDeploymentDate, nextKubernetesVersion }: Facts): string {
  return JSON.stringify([
    state ?? null,
    lastExecutionId ?? null,
    lastDeploymentDate ?? null,
    nextKubernetesVersion ?? null,
  ]);
}

/** The order that a step gives. */
export function orderOf(context: ClusterPass, seen: Seen, step: Do): ClusterOrder {
  return {
    operation: ORDERS[step.what].operation,
    generation: context.generation,
    ...(step.what === "upgrade" ? { kubernetesVersion: step.version } : {}),
    // Where nothing is shown, there is nothing to wait for.
    ...(isShown(seen) && seen.status !== undefined ? { baseline: baselineOf(factsOf(seen.status)) } : {}),
  };
}

/** Why the pass waits for the order that was given last, while the cluster shows nothing new. */
export function openOrder({ memory, requested }: ClusterPass, { status, ordered }: Seen): Why | undefined {
  const order = memory.lastOrder;
  if (order?.baseline === undefined || status === undefined || requested !== undefined) return undefined;
  if (!ordered && isOver(order, status)) return undefined;
  const { reason, text } = Object.values(ORDERS).find(({ operation }) => operation === order.operation) ?? ORDERS.stop;
  return { reason, message: text };
}

/** Whether something new was seen since the order. */
function isOver(order: ClusterOrder, status: ClusterStatus): boolean {
  return order.baseline !== baselineOf(factsOf(status)) || clusterPhase(status.status) === "busy";
}

/** The last order, without its baseline once something new was seen. */
export function followedOrder({ memory }: ClusterPass, { status, ordered }: Seen): ClusterOrder | undefined {
  const order = memory.lastOrder;
  if (order === undefined || order.baseline === undefined || status === undefined || ordered) return order;
  if (!isOver(order, status)) return order;
  const { baseline: _baseline, ...rest } = order;
  return rest;
}

/** A step, unless the cluster is locked. */
export function give(
  context: ClusterPass,
  seen: Seen,
  step: Do,
  facts: Pick<Step<Do>, "corrects" | "changes"> = {},
): Plan<Do> {
  const lock = lockOf(context, seen);
  if (lock !== undefined) return { is: "waiting", why: lock, again: LOCK_LOOK_MS };
  const { op, reason, text } = ORDERS[step.what];
  const mark = {
    ...(seen.status === undefined ? {} : { baseline: baselineOf(factsOf(seen.status)) }),
    ...(step.what === "upgrade" ? { kubernetesVersion: step.version } : {}),
  };
  const target =
    isShown(seen) && step.what === "upgrade" ? `Kubernetes ${step.version}` : "the version that the platform chooses";
  const message = step.what === "upgrade" ? `The cluster is being upgraded to ${target}.` : text;
  return {
    is: "step",
    step: { repeat: "once", op, do: step, creates: false, mark, why: { reason, message }, ...facts },
  };
}

const LOCK_LOOK_MS = 60_000;
const DAY_MS = 86_400_000;
/** The most of somebody's words that a message quotes. */
const QUOTED = 60;

/**
 * Why nothing may be changed. A lock that is only remembered ends by its own time, or is tried when the user asks: the
 * surface would never show that it was taken away.
 */
export function lockOf(context: ClusterPass, seen: Seen): Why | undefined {
  const { lock } = knownFacts(context, seen);
  if (lock === undefined) return undefined;
  if (seen.status === undefined && (context.requested !== undefined || hasEnded(context, lock))) return undefined;
  const owner = lock.ownerName === undefined ? "" : ` by "${fit(lock.ownerName, QUOTED)}"`;
  const reason = lock.reason === undefined ? "" : ` (reason: ${fit(lock.reason, QUOTED)})`;
  const advice = isShown(seen)
    ? "Nothing is changed until it is unlocked."
    : "Nothing is changed until the lock ends; once it is unlocked, the annotation platform-operator.io/reconcile-requested-at has it tried again.";
  return { reason: "ClusterLocked", message: `The cluster is locked${owner}${reason}. ${advice}` };
}

/** A lock without an end that can be told does not hold for ever: the platform judges. */
function hasEnded({ now }: ClusterPass, { lockedAt, ttlInDays }: NonNullable<Facts["lock"]>): boolean {
  return !(Date.parse(lockedAt ?? "") + (ttlInDays ?? 0) * DAY_MS > now.getTime());
}

/** What stands in the way of any work on the cluster; undefined when nothing does. */
export function refusal(context: ClusterPass, seen: Seen): Why | undefined {
  const { externalId: id } = context.spec;
  if (seen.listed === "Gone")
    return context.proof === "recorded" ? gone(id) : notThere("cluster", id, "the organization");
  const notAllowed = clusterNotAllowed(context);
  if (notAllowed !== undefined) return notAllowed;
  const holder = context.holderOf(id);
  return holder === undefined ? unproven(context, seen) : alreadyManaged(id, holder);
}

/**
 * Why the cluster is not known to be the organization's: it is not in its list, the platform took no order that names
 * both, and the connection does not let ids stand without proof.
 */
export function unproven(context: ClusterPass, seen: Seen): Why | undefined {
  const isProven = isShown(seen) || context.memory.verified === true;
  return isProven ? undefined : unprovenId(context, `cluster ${context.spec.externalId}`);
}

function gone(id: string): Why {
  const message = `The organization has no cluster ${id} any more. Clusters are never created. Delete this resource.`;
  return { reason: "ExternalResourceDeleted", message };
}
