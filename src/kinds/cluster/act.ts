/** One order, and its answer folded into what was seen. */
import type { Known } from "../../engine/contract/kind.ts";
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import { clusterPhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { isStoppedAlready } from "../shared/stopped-already.ts";
import type { ClusterMemory } from "./crd.ts";
import { factsOf, isShown, type ClusterPass, type Do, type Seen } from "./model.ts";
import { orderOf } from "./order.ts";

/** What the platform shows at least once it has taken an order (docs/architecture.md §9). */
const QUEUED = {
  stop: "STOP_QUEUED",
  start: "DEPLOYMENT_QUEUED",
  upgrade: "DEPLOYMENT_QUEUED",
} as const satisfies Record<Do["what"], string>;

/** @throws ApiError */
export async function act(
  step: Do,
  context: ClusterPass,
  seen: Seen,
  api: Platform,
): Promise<Known<Seen, ClusterMemory>> {
  const answer = await send(step, context.spec.externalId, seen, api);
  const memory: ClusterMemory = {
    ...context.memory,
    lastOrder: orderOf(context, seen, step),
    // The organization is in the path of the others, so the platform takes them for a cluster of its own only.
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
        versionBaseline: { kubernetesVersion: step.version, generation: context.generation },
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

/** Where nothing shows the cluster, it may be found out now that it is stopped already. */
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

/** The answer may have no body, or still show the state of before. */
function accepted(step: Do, context: ClusterPass, seen: Seen, answer: ClusterStatus | undefined): ClusterStatus {
  const shown = answer ?? seen.status;
  const isBusy = clusterPhase(answer?.status ?? "") === "busy";
  return { clusterId: context.spec.externalId, ...shown, status: isBusy ? (answer?.status ?? "") : QUEUED[step.what] };
}

/**
 * What the answer leaves behind, where nothing else ever shows it. The next version that the answer to an upgrade tells
 * may be the one that is being upgraded to.
 */
function answered(step: Do, answer: ClusterStatus | undefined): Partial<ClusterMemory> {
  const facts = answer === undefined ? { state: undefined, isDeployed: undefined } : factsOf(answer);
  return step.what === "upgrade" ? { ...facts, nextKubernetesVersion: undefined } : facts;
}
