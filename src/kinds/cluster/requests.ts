/** Sends the request of a step, and traces one that was not confirmed. */
import type { Kind, OpenIntent, Trace } from "../../engine/contract/kind.ts";
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import { clusterPhase, isOfOtherWork, isOfStop } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { isStoppedAlready } from "../shared/answers.ts";
import { baseline } from "../shared/create-trace.ts";
import { readOnFull } from "../shared/surface.ts";
import type { ClusterMemory, ClusterOperation } from "./crd.ts";
import {
  type Action,
  type ClusterContext,
  clusterFacts,
  type ClusterTypes,
  isClusterShown,
  NOTHING_OBSERVED,
  type Observed,
} from "./model.ts";
import { listedStatus } from "./observe.ts";
import { clusterBaseline, operationOf, OPERATIONS, stateIn } from "./operation.ts";

/** The first state that the platform shows after it accepts a request (docs/project/architecture.md §9). */
const QUEUED = { Stop: "STOP_QUEUED", Start: "DEPLOYMENT_QUEUED", Upgrade: "DEPLOYMENT_QUEUED" } as const;

export const act: Kind<ClusterTypes>["act"] = async ({ action: step }, context, observed, api) => {
  const answer = await send(step.operation, context.spec.externalId, observed, api);
  const memory: ClusterMemory = {
    ...context.memory,
    lastOrder: operationOf(context, observed, step),
    // The paths of the other requests name the organization, so the platform accepts them only for one of its clusters.
    verified: step.operation === "Upgrade" ? context.memory.verified : true,
    runState: undefined,
  };
  if (isClusterShown(observed)) {
    // The answer may have no body, or still show the earlier state.
    const isBusy = clusterPhase(answer?.status ?? "") === "busy";
    const state = isBusy ? (answer?.status ?? "") : QUEUED[step.operation];
    const status = { clusterId: context.spec.externalId, ...(answer ?? observed.status), status: state };
    return { observed: { ...observed, isRequestSent: true, status }, memory };
  }
  return {
    observed: { ...observed, isRequestSent: true },
    memory: {
      ...memory,
      ...answered(step, answer),
      ...(step.operation === "Upgrade" && {
        versionBaseline: { kubernetesVersion: step.kubernetesVersion, generation: context.resource.generation },
      }),
      runState: step.operation === "Stop" ? "Stopped" : context.memory.runState,
    },
  };
};

const SEND = {
  Stop: (clusters: Platform["clusters"], id: string) => clusters.stop(id),
  Start: (clusters: Platform["clusters"], id: string) => clusters.deploy(id),
  Upgrade: (clusters: Platform["clusters"], id: string) => clusters.upgrade(id),
};

/** Sends a request. Where nothing shows the cluster, the answer to a stop may show that it is stopped already. */
async function send(operation: Action["operation"], id: string, observed: Observed, { clusters }: Platform) {
  try {
    return await SEND[operation](clusters, id);
  } catch (error) {
    if (operation !== "Stop" || isClusterShown(observed) || !isStoppedAlready(error)) throw error;
    return { clusterId: id, status: "STOPPED", isDeployed: false };
  }
}

/**
 * Returns the memory of an answer, where nothing else shows the cluster. The next version in the answer to an upgrade
 * is left out: it may be the version that the cluster is upgraded to.
 */
function answered(step: Action, answer: ClusterStatus | undefined): Partial<ClusterMemory> {
  const facts = answer === undefined ? { state: undefined, isDeployed: undefined } : clusterFacts(answer);
  return step.operation === "Upgrade" ? { ...facts, nextKubernetesVersion: undefined } : facts;
}

export const trace: Kind<ClusterTypes>["trace"] = async (intent, context, api) => {
  const status = await tracedStatus(context, api);
  if (status === "hidden") return unconfirmed(intent);
  const landed = hasLanded(intent, status);
  // A second upgrade would lead to another version.
  if (landed === undefined && intent.op === "upgradeCluster") return unconfirmed(intent);
  if (landed !== true) return { is: "absent" };
  const memory = { ...context.memory, lastOrder: tracedOperation(intent, context), runState: undefined };
  return { is: "landed", known: [{ observed: NOTHING_OBSERVED, memory }] };
};

/** Returns the trace of a cluster that is not shown. A stop may be repeated, as a second one changes nothing. */
function unconfirmed({ op, repetition }: OpenIntent): Trace<Observed, ClusterMemory> {
  if (op === "stopCluster") {
    const what = `The platform did not confirm the request to stop the cluster${repetition ? ", nor its repetition" : ""}`;
    const message = `${what}, and its surface does not show its state. Look at the cluster on the platform, then change the spec to go on.`;
    return { is: "unknowable", why: { reason: "NotObservable", message }, repeatable: true };
  }
  const message =
    "The platform did not confirm the upgrade, and its surface does not show whether it is under way. Look at the cluster on the platform, then change spec.kubernetesVersion, or remove it, to go on.";
  return { is: "unknowable", why: { reason: "NotObservable", message } };
}

/**
 * Reports whether the cluster is stopped, or shows work of the request that it did not show before. A stop, a restart
 * or a deletion by others since is no work of a start or an upgrade.
 * @returns undefined where only what it showed before would tell, and that is not known
 */
function hasLanded({ op, mark }: OpenIntent, status: ClusterStatus): boolean | undefined {
  const { status: state } = status;
  const phase = clusterPhase(state);
  const before = baseline(mark, "baseline");
  const isChanged = typeof before === "string" ? before !== clusterBaseline(clusterFacts(status)) : undefined;
  if (op === "stopCluster") return isOfStop(state) && (phase !== "failed" || isChanged);
  if (isOfOtherWork(state) && state !== stateIn(before)) return false;
  return phase === "busy" || isChanged;
}

function tracedOperation(intent: OpenIntent, context: ClusterContext): ClusterOperation {
  const version = baseline(intent.mark, "kubernetesVersion");
  return {
    operation: (["Stop", "Upgrade"] as const).find((each) => OPERATIONS[each].op === intent.op) ?? "Start",
    generation: context.resource.generation,
    kubernetesVersion: typeof version === "string" ? version : undefined,
  };
}

/** Reads the status, to trace a request. @returns "hidden" where the platform does not show it @throws ApiError */
async function tracedStatus(context: ClusterContext, api: Platform): Promise<ClusterStatus | "hidden"> {
  const own = await readOnFull(context, api, () => api.clusters.status(context.spec.externalId));
  return own ?? (await listedStatus(context, api)) ?? "hidden";
}
