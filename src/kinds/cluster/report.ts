/** Builds the report of a cluster, without its token. Pure. */
import type { ConditionFact, Report, StatusReason } from "../../engine/contract/kind.ts";
import { clusterPhase } from "../../platform/codec/states.ts";
import { shownState, stateCondition } from "../service/messages.ts";
import { type RunFacts, scheduledReport } from "../shared/run-schedule.ts";
import { fitOptional, fitText, ID } from "../shared/text.ts";
import {
  isClusterShown,
  knownFacts,
  shownPhase,
  shownVersion,
  type ClusterContext,
  type ClusterFacts,
  type Observed,
} from "./model.ts";
import { followedOperation, lockOf } from "./operation.ts";
import { clusterRun, reachedRunState, RUN_NAMES, runStateDrift } from "./run.ts";
import { tokenReport } from "./token.ts";
import { isReached, versionBaseline, wasRequested } from "./version.ts";

/** Builds the report. */
export function report(context: ClusterContext, observed: Observed): Report {
  const run = clusterRun(context, observed);
  return scheduledReport(RUN_NAMES, context, run, unscheduledReport(context, observed, run));
}

function unscheduledReport(context: ClusterContext, observed: Observed, run: RunFacts): Report {
  // A cluster that does not belong to this resource, or not yet, is neither reported nor remembered.
  if (context.identitySource !== "recorded" || typeof observed.listed === "string")
    return { ready: ready(context, observed, run), conditions: [], status: {} };
  const facts = knownFacts(context, observed);
  return {
    ready: ready(context, observed, run),
    conditions: [deployed(facts, observed), ...locked(context, observed, facts), ...upToDate(context, observed)],
    status: {
      ...facts,
      ...description(observed),
      ...credentials(context, observed),
      verified: isClusterShown(observed) || context.memory.verified,
      runState: reachedRunState(context, observed, run),
      lastOrder: followedOperation(context, observed),
      versionBaseline: versionBaseline(context, observed),
      ...(context.spec.writeTokenSecretToRef === undefined ? { token: undefined } : {}),
    },
    ...(isClusterShown(observed) ? { drift: runStateDrift(context, observed, run) } : {}),
    ...tokenReport(context, observed, run.wanted),
  };
}

function description(observed: Observed): Report["status"] {
  const { listed } = observed;
  if (typeof listed !== "object") return {};
  return {
    name: fitText(listed.name),
    region: fitOptional(listed.region),
    provider: fitOptional(listed.cloudProvider),
    kubernetesVersion: fitOptional(listed.version),
  };
}

/** Returns the credentials without their keys. */
function credentials({ spec }: ClusterContext, { credentials: read }: Observed): Report["status"] {
  if (spec.credentialsId === undefined || read?.is !== "found") return {};
  const { id, name, objectType } = read.value;
  return { credentials: { id: fitText(id, ID), name: fitOptional(name), objectType: fitOptional(objectType) } };
}

const ONLY_ANSWERS = "The platform's surface shows it only in its answers to stop and upgrade";

function deployed({ state }: ClusterFacts, observed: Observed): ConditionFact {
  const type = "ClusterDeployed";
  if (state === undefined) return { type, status: "Unknown", reason: "NotObservable", message: `${ONLY_ANSWERS}.` };
  const fact = stateCondition(type, state, "cluster");
  if (isClusterShown(observed)) return fact;
  const message = `The platform last answered with ${shownState(state)}. ${ONLY_ANSWERS}.`;
  // Work that was under way at the answer has ended since, or will end.
  return { ...fact, message, ...(clusterPhase(state) === "busy" && { status: "Unknown" }) };
}

function locked(context: ClusterContext, observed: Observed, { state, lock }: ClusterFacts): readonly ConditionFact[] {
  const type = "Locked";
  if (lock !== undefined) {
    const why = lockOf({ ...context, requested: undefined }, observed);
    if (why !== undefined) return [{ type, status: "True", reason: why.reason, message: why.message }];
  }
  if (state === undefined) return [];
  if (isClusterShown(observed))
    return [{ type, status: "False", reason: "Unlocked", message: "The cluster is not locked." }];
  const message = `The last answer of the platform showed no lock that is still valid. ${ONLY_ANSWERS}.`;
  return [{ type, status: "Unknown", reason: "NotObservable", message }];
}

/** Reports whether the wanted version runs. Without a wanted version there is no such condition. */
function upToDate(context: ClusterContext, observed: Observed): readonly ConditionFact[] {
  const type = "UpToDate";
  const { kubernetesVersion: wanted } = context.spec;
  if (wanted === undefined) return [];
  const runs = shownVersion(observed);
  if (isReached(context, observed, wanted)) {
    if (!isClusterShown(observed)) {
      const message = wasRequested(context, wanted) ? takenUpgrade(wanted) : assumedVersion(wanted);
      return [{ type, status: "Unknown", reason: "NotObservable", message }];
    }
    return [{ type, status: "True", reason: "UpToDate", message: `Kubernetes ${runs ?? wanted} runs.` }];
  }
  if (shownPhase(observed) === undefined) {
    const message = `Whether Kubernetes ${wanted} runs is not shown by the platform's surface.`;
    return [{ type, status: "Unknown", reason: "NotObservable", message }];
  }
  const now = runs === undefined ? "" : ` and ${runs} runs`;
  return [{ type, status: "False", reason: "DeployPending", message: `Kubernetes ${wanted} is wanted${now}.` }];
}

function takenUpgrade(version: string): string {
  return `The platform accepted the upgrade that was requested to reach Kubernetes ${version}. It chooses the version itself; its surface shows neither that version nor how far the upgrade is.`;
}

function assumedVersion(version: string): string {
  return `The platform's surface does not show which version of Kubernetes runs. ${version} counts as that version; a newer one in spec.kubernetesVersion sends one upgrade.`;
}

function ready(context: ClusterContext, observed: Observed, run: RunFacts): StatusReason {
  const { listed } = observed;
  if (typeof listed !== "object") return hiddenReady(context, run);
  const what = `Cluster "${fitText(listed.name, ID)}"`;
  switch (shownPhase(observed)) {
    case "stopped":
      return { reason: "Stopped", message: `${what} is stopped.` };
    case "idle":
      return { reason: "NotDeployed", message: `${what} was never deployed.` };
    default: {
      const version = shownVersion(observed);
      return { reason: "Available", message: `${what} runs${version === undefined ? "" : ` Kubernetes ${version}`}.` };
    }
  }
}

function hiddenReady(context: ClusterContext, { wanted: runState }: RunFacts): StatusReason {
  const { spec, memory } = context;
  if (runState === "Stopped") {
    if (clusterPhase(memory.state ?? "") === "stopped") {
      const message = `The platform answered that the cluster is stopped; its surface does not show whether it is started again.`;
      return { reason: "Stopped", message };
    }
    const message =
      "The platform accepted the request to stop the cluster; its surface does not show when it is stopped, or started again.";
    return { reason: "NotObservable", message };
  }
  const { kubernetesVersion: wanted } = spec;
  if (wanted !== undefined && wasRequested(context, wanted))
    return { reason: "NotObservable", message: takenUpgrade(wanted) };
  const message = "The cluster was adopted; the platform's surface does not show its state.";
  return { reason: "NotObservable", message };
}
