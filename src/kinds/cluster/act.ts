/** Sends the request of a step, and folds its answer into what was observed. */
import type { Known } from "../../engine/contract/kind.ts";
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import { clusterPhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { isStoppedAlready } from "../shared/stopped-already.ts";
import type { ClusterMemory } from "./crd.ts";
import { factsOf, isShown, type ClusterContext, type Do, type Seen } from "./model.ts";
import { orderOf } from "./order.ts";

/** The least state that the platform shows once it has accepted a request (docs/architecture.md §9). */
const QUEUED = {
  stop: "STOP_QUEUED",
  start: "DEPLOYMENT_QUEUED",
  upgrade: "DEPLOYMENT_QUEUED",
} as const satisfies Record<Do["what"], string>;

/** @throws ApiError */
export async function act(
  step: Do,
  context: ClusterContext,
  seen: Seen,
  api: Platform,
): Promise<Known<Seen, ClusterMemory>> {
  const answer = await send(step, context.spec.externalId, seen, api);
  const memory: ClusterMemory = {
    ...context.memory,
    lastOrder: orderOf(context, seen, step),
    // The paths of the other requests name the organization, so the platform accepts them only for a cluster of its
    // own.
    verified: step.what === "upgrade" ? context.memory.verified : true,
    runState: undefined,
  };
  if (isShown(seen)) return { seen: { ...seen, ordered: true, status: accepted(step, context, seen, answer) }, memory };
  return {
    seen: { ...seen, ordered: true },
    memory: {
      ...memory,
      ...answered(step, answer),
      ...(step.what === "upgrade" && {
        versionBaseline: { kubernetesVersion: step.version, generation: context.resource.generation },
      }),
      runState: step.what === "stop" ? "Stopped" : context.memory.runState,
    },
  };
}

async function send(step: Do, id: string, seen: Seen, api: Platform): Promise<ClusterStatus | undefined> {
  switch (step.what) {
    case "stop":
      return await stop(id, seen, api);
    case "start":
      return await api.clusters.deploy(id);
    case "upgrade":
      return await api.clusters.upgrade(id);
    default:
      return step satisfies never;
  }
}

/** Stops a cluster. Where nothing shows the cluster, the answer may show that it is stopped already. */
async function stop(id: string, seen: Seen, api: Platform): Promise<ClusterStatus | undefined> {
  try {
    return await api.clusters.stop(id);
  } catch (error) {
    if (!isShown(seen) && isStoppedAlready(error)) {
      return { clusterId: id, status: "STOPPED", isDeployed: false };
    }
    throw error;
  }
}

/** The answer may have no body, or still show the earlier state. */
function accepted(step: Do, context: ClusterContext, seen: Seen, answer: ClusterStatus | undefined): ClusterStatus {
  const shown = answer ?? seen.status;
  const isBusy = clusterPhase(answer?.status ?? "") === "busy";
  return { clusterId: context.spec.externalId, ...shown, status: isBusy ? (answer?.status ?? "") : QUEUED[step.what] };
}

/**
 * Returns what to remember of the answer, where nothing else shows it. The next version in the answer to an upgrade may
 * be the one that the cluster is upgraded to.
 */
function answered(step: Do, answer: ClusterStatus | undefined): Partial<ClusterMemory> {
  const facts = answer === undefined ? { state: undefined, isDeployed: undefined } : factsOf(answer);
  return step.what === "upgrade" ? { ...facts, nextKubernetesVersion: undefined } : facts;
}
