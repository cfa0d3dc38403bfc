/** What the parts of the cluster kind exchange. */
import type { Plan, Presence, ReconcileContext, StatusReason } from "../../engine/contract/kind.ts";
import type { Cluster, ClusterStatus, ClusterToken } from "../../platform/areas/clusters.ts";
import type { CloudCredentials } from "../../platform/areas/organization.ts";
import { clusterPhase, type Phase } from "../../platform/codec/states.ts";
import { type ApiError, interceptedText, sentenceOf, unsupportedText } from "../../platform/transport/errors.ts";
import { busy, explainFailure, shownState } from "../service/messages.ts";
import { stalled } from "../shared/checks.ts";
import { countOf, fitOptional } from "../shared/text.ts";
import type { TypesOf } from "../shared/types.ts";
import type { ClusterMemory, ClusterOperation, platformCluster } from "./crd.ts";

/** The types of the kind. */
export type ClusterTypes = TypesOf<typeof platformCluster, { observed: Observed; action: Action }>;

export type ClusterContext = ReconcileContext<ClusterTypes>;

/** A read whose failure is reported and blocks nothing else. */
export type Attempt<T> =
  | { readonly is: "found"; readonly value: T }
  | { readonly is: "failed"; readonly error: ApiError };

export interface Observed {
  /** The cluster in the organization's list, else its presence; undefined where no list is offered. */
  readonly listed?: Cluster | Presence | undefined;
  /** The status that the platform showed in this reconcile: from a read, else from an answer. */
  readonly status?: ClusterStatus | undefined;
  /** The status is from the cluster's own read, and not from the list. */
  readonly isOwnStatus?: boolean;
  /** A request was sent in this reconcile. */
  readonly isRequestSent: boolean;
  readonly credentials?: Attempt<CloudCredentials> | undefined;
  /** A token that was fetched in this reconcile. Secret. */
  readonly token?: Attempt<ClusterToken> | undefined;
}

/** A request, with the version of an upgrade. */
export type Action = Pick<ClusterOperation, "operation" | "kubernetesVersion">;

export const NOTHING_OBSERVED: Observed = { isRequestSent: false };

/** The platform's status object, as the status holds it. */
export type ClusterFacts = Pick<
  ClusterMemory,
  "state" | "isDeployed" | "reason" | "nextKubernetesVersion" | "lastExecutionId" | "lastDeploymentDate" | "lock"
>;

/** Returns the platform's status object as the status holds it. */
export function clusterFacts(status: ClusterStatus): ClusterFacts {
  const { clusterLock: lock } = status;
  return {
    state: shownState(status.status),
    isDeployed: status.isDeployed,
    reason: fitOptional(status.reason),
    nextKubernetesVersion: fitOptional(status.nextK8sAvailableVersion),
    lastExecutionId: fitOptional(status.lastExecutionId),
    lastDeploymentDate: fitOptional(status.lastDeploymentDate),
    lock: lock && {
      reason: fitOptional(lock.reason),
      ownerName: fitOptional(lock.ownerName),
      lockedAt: fitOptional(lock.lockedAt),
      ttlInDays: lock.ttlInDays === undefined ? undefined : countOf(lock.ttlInDays),
    },
  };
}

/** Returns the known facts of the cluster: observed now, else from the last answer, which may be old. */
export function knownFacts({ memory }: ClusterContext, { status }: Observed): ClusterFacts {
  if (status !== undefined) return clusterFacts(status);
  const { state, isDeployed, reason, nextKubernetesVersion, lastExecutionId, lastDeploymentDate, lock } = memory;
  return { state, isDeployed, reason, nextKubernetesVersion, lastExecutionId, lastDeploymentDate, lock };
}

/** Reports whether the platform shows the current state of the cluster. */
export function isClusterShown({ listed }: Observed): boolean {
  return typeof listed === "object";
}

/** Returns the phase of the cluster where the platform shows it. */
export function shownPhase(observed: Observed): Phase | undefined {
  return isClusterShown(observed) && observed.status !== undefined ? clusterPhase(observed.status.status) : undefined;
}

/** Returns the version that the cluster runs, as major.minor, where the list shows it. */
export function shownVersion({ listed }: Observed): string | undefined {
  if (typeof listed !== "object") return undefined;
  return /^v?(\d{1,4}\.\d{1,4})/.exec(listed.version ?? "")?.[1];
}

/** Returns the cluster that the organization's list should show, for messages. */
export const unshownCluster = ({ spec }: ClusterContext) =>
  ({ noun: "cluster", name: spec.externalId, id: spec.externalId, where: "the organization" }) as const;

/** Returns the reason of work under way. A requested upgrade is reported as such. */
export function working({ memory, spec }: ClusterContext, state: string): StatusReason {
  const { lastOrder } = memory;
  const version = lastOrder?.operation === "Upgrade" ? lastOrder.kubernetesVersion : undefined;
  const isUpgrade = version !== undefined && version === spec.kubernetesVersion && state.startsWith("DEPLOY");
  if (!isUpgrade) return busy(shownState(state));
  return { ...busy(shownState(state), `Kubernetes ${version}`), reason: "Upgrading" };
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  ["INVALID_CREDENTIALS", "Renew the cloud credentials of the cluster on the platform"],
  ["CANCELED", "It was canceled on the platform. Start it again there"],
]);

/**
 * Returns the reason of a failure, with what to do about it.
 * @param isRetried whether a reconcile request retries what failed
 */
export function clusterFailure(state: string, isRetried = true): StatusReason {
  return explainFailure(shownState(state), { noun: "cluster", advice: ADVICE, isRetried });
}

/** How soon a failed read is repeated, in milliseconds. */
export const FAULT_LOOK_MS = 60_000;

/** Returns the plan after a failed read. */
export function faultOf(error: ApiError): Plan<never> {
  const { operation, failure, status, message } = error;
  switch (failure.is) {
    case "Forbidden":
      return stalled(
        "PermissionDenied",
        `The platform forbids ${operation} (403): ${sentenceOf(error)} Use a token with the scope Read or Admin, or with a role that allows it.`,
      );
    case "NotSupported":
      return stalled("NotSupportedByPlatform", unsupportedText(error));
    case "Intercepted":
      return later("UnexpectedResponse", interceptedText(error));
    case "BadResponse":
      return later("UnexpectedResponse", `The platform's answer to ${operation} is not as documented: ${message}`);
    case "NotFound":
    case "Conflict":
    case "Invalid":
    case "Rejected":
    case "Refused":
      return later("DependencyNotReady", `The platform does not take ${operation} (${status}): ${message}`);
    default:
      return later(
        "PlatformUnavailable",
        `The platform answered ${operation} with ${status}; the operator tries again.`,
      );
  }
}

function later(reason: "UnexpectedResponse" | "DependencyNotReady" | "PlatformUnavailable", message: string) {
  return { is: "waiting", why: { reason, message }, again: FAULT_LOOK_MS } as const;
}
