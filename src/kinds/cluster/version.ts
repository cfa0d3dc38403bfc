/** The Kubernetes version: one upgrade at a time, when the platform offers the wanted version. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import { stalled } from "../shared/checks.ts";
import type { RunState } from "../shared/run-schedule.ts";
import type { VersionBaseline } from "./crd.ts";
import {
  isClusterShown,
  knownFacts,
  shownPhase,
  shownVersion,
  type Action,
  type ClusterContext,
  type Observed,
} from "./model.ts";
import { planRequest } from "./operation.ts";

/**
 * Reports whether the cluster runs the wanted version or a newer one: there is no downgrade. Where the platform does
 * not show the cluster: whether the upgrade was accepted, or the spec names no newer version than the first one.
 */
export function isReached(context: ClusterContext, observed: Observed, wanted: string): boolean {
  const runs = isClusterShown(observed)
    ? shownVersion(observed)
    : versionBaseline(context, observed)?.kubernetesVersion;
  if (runs !== undefined) return compareVersions(runs, wanted) >= 0;
  return wasRequested(context, wanted) && (shownPhase(observed) ?? "running") === "running";
}

/**
 * Returns the version that counts as running: that of the last upgrade, else the first one in the spec. An
 * upgrade cannot be undone, so where nothing shows the running version only a newer one in the spec sends one.
 * @returns undefined where the platform shows the cluster
 */
export function versionBaseline(context: ClusterContext, observed: Observed): VersionBaseline | undefined {
  if (isClusterShown(observed)) return undefined;
  const { versionBaseline: known, lastOrder } = context.memory;
  if (known?.kubernetesVersion !== undefined) return known;
  const kubernetesVersion = lastOrder?.kubernetesVersion ?? firstVersion(context, observed);
  if (kubernetesVersion === undefined && known !== undefined) return known;
  return { generation: context.resource.generation, kubernetesVersion };
}

/** Returns the version of the spec, unless an answer showed that the cluster runs an older one. */
function firstVersion(context: ClusterContext, observed: Observed): string | undefined {
  const { kubernetesVersion: first } = context.spec;
  const { nextKubernetesVersion: next } = knownFacts(context, observed);
  if (first === undefined || next === undefined) return first;
  return compareVersions(first, next) < 0 ? first : undefined;
}

/** Reports whether the last request was the upgrade to this version. */
export function wasRequested({ memory: { lastOrder } }: ClusterContext, wanted: string): boolean {
  return lastOrder?.operation === "Upgrade" && lastOrder.kubernetesVersion === wanted;
}

/**
 * Upgrades where that is due and possible. A cluster that does not run is upgraded once it does.
 * @param runState that is wanted now
 */
export function checkClusterVersion(
  context: ClusterContext,
  observed: Observed,
  runState: RunState | undefined,
): Plan<Action> | undefined {
  const { kubernetesVersion: wanted } = context.spec;
  if (wanted === undefined || runState === "Stopped" || isReached(context, observed, wanted)) return undefined;
  const phase = shownPhase(observed);
  if (context.requested !== undefined && isUpgradeRetried(context, observed))
    return planRequest(context, observed, { operation: "Start" });
  if (phase !== undefined && phase !== "running") return undefined;
  const isTried = wasRequested(context, wanted) && context.memory.lastOrder?.generation === context.resource.generation;
  return isTried && context.requested === undefined
    ? planUnshownUpgrade(context, observed, wanted)
    : checkOffer(context, observed, wanted);
}

/** The failed states of an upgrade, and of the deployment that precedes a repeated one. */
const UPGRADE_FAILED: ReadonlySet<string> = new Set([
  "BUILD_ERROR",
  "CANCELED",
  "DEPLOYMENT_ERROR",
  "INVALID_CREDENTIALS",
]);

/**
 * Reports whether a reconcile request retries a failed upgrade. Only a cluster that runs can be upgraded, so it is
 * deployed first.
 */
export function isUpgradeRetried(context: ClusterContext, observed: Observed): boolean {
  const { memory, spec, isFull } = context;
  const { kubernetesVersion: wanted } = spec;
  if (wanted === undefined || !UPGRADE_FAILED.has(observed.status?.status ?? "")) return false;
  const isOurs = memory.lastOrder !== undefined && memory.lastOrder.operation !== "Stop";
  return isOurs && isFull && !isReached(context, observed, wanted);
}

/**
 * Reports an upgrade that ended although the list does not show its version: the list lags, or the platform offers the
 * version again.
 */
function planUnshownUpgrade(context: ClusterContext, observed: Observed, wanted: string): Plan<never> {
  const taken = `The platform accepted the upgrade to Kubernetes ${wanted}`;
  if (knownFacts(context, observed).nextKubernetesVersion !== wanted) {
    const message = `${taken}; its list of clusters does not show the version yet.`;
    return { is: "waiting", why: { reason: "Upgrading", message } };
  }
  const message = `${taken}, but the cluster does not run it. Look at the cluster on the platform, or request a retry with the annotation platform-operator.io/reconcile-requested-at.`;
  return stalled("UpgradeFailed", message);
}

function checkOffer(context: ClusterContext, observed: Observed, wanted: string): Plan<Action> {
  const { nextKubernetesVersion: next } = knownFacts(context, observed);
  // Only the status of the cluster itself shows the next version.
  const isUnknown = next === undefined && observed.isOwnStatus !== true;
  if (next !== wanted && !isUnknown) return notOffered(observed, wanted, next);
  const runs = shownVersion(observed) ?? (isClusterShown(observed) ? "an older one" : "not shown");
  const changes = [{ path: "spec.kubernetesVersion", desired: wanted, observed: runs }];
  return planRequest(context, observed, { operation: "Upgrade", kubernetesVersion: wanted }, { changes });
}

function notOffered(observed: Observed, wanted: string, next: string | undefined): Plan<never> {
  const runs = shownVersion(observed);
  const now = runs === undefined ? "" : `The cluster runs Kubernetes ${runs}. `;
  if (next === undefined) {
    const message = `${now}The platform offers it no newer version, so ${wanted} cannot be reached. Fix or remove spec.kubernetesVersion.`;
    return stalled("VersionNotAvailable", message);
  }
  const message = `${now}The platform offers it ${next} next, not ${wanted}. Set spec.kubernetesVersion to ${next} first, or remove it.`;
  return stalled("VersionNotAvailable", message);
}

/** Returns a number below 0 if `left` is older, above 0 if it is newer, else 0. Versions are major.minor. */
function compareVersions(left: string, right: string): number {
  const [major = 0, minor = 0] = left.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = right.split(".").map(Number);
  return major === otherMajor ? minor - otherMinor : major - otherMajor;
}
