/** Traces unconfirmed requests. Reads only. */
import type { OpenIntent, Trace } from "../../engine/contract/kind.ts";
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import { clusterPhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { baseline } from "../shared/create-trace.ts";
import { offered } from "../shared/offered.ts";
import type { ClusterMemory, ClusterOrder } from "./crd.ts";
import { factsOf, NOTHING_SEEN, type ClusterContext, type Seen } from "./model.ts";
import { clusterStatus } from "./observe.ts";
import { baselineOf } from "./order.ts";

/** @throws ApiError */
export async function trace(
  intent: OpenIntent,
  context: ClusterContext,
  api: Platform,
): Promise<Trace<Seen, ClusterMemory>> {
  const status = await statusOrGone(context, api);
  if (status === "hidden") return traceUnseen(intent);
  if (status === "gone" || !hasLanded(intent, status)) return { is: "absent" };
  const memory = { ...context.memory, lastOrder: tracedOrder(intent, context), runState: undefined };
  return { is: "landed", known: [{ seen: NOTHING_SEEN, memory }] };
}

/** A second stop changes nothing. A second upgrade does. */
function traceUnseen({ op, repetition }: OpenIntent): Trace<Seen, ClusterMemory> {
  if (op === "stopCluster") {
    const what = `The platform did not confirm the order to stop the cluster${repetition ? ", nor its repetition" : ""}`;
    const message = `${what}, and its surface does not show its state. Look at the cluster on the platform, then change the spec to go on.`;
    return { is: "unknowable", why: { reason: "NotObservable", message }, repeatable: true };
  }
  const message =
    "The platform did not confirm the upgrade, and its surface does not show whether it is under way. Look at the cluster on the platform, then change spec.kubernetesVersion, or remove it, to go on.";
  return { is: "unknowable", why: { reason: "NotObservable", message } };
}

function hasLanded(intent: OpenIntent, status: ClusterStatus): boolean {
  if (intent.op === "stopCluster") return status.status.startsWith("STOP");
  return clusterPhase(status.status) === "busy" || baseline(intent.mark, "baseline") !== baselineOf(factsOf(status));
}

const OPERATIONS: ReadonlyMap<string, ClusterOrder["operation"]> = new Map([
  ["stopCluster", "Stop"],
  ["deployCluster", "Start"],
  ["upgradeCluster", "Upgrade"],
]);

function tracedOrder(intent: OpenIntent, context: ClusterContext): ClusterOrder {
  const version = baseline(intent.mark, "kubernetesVersion");
  return {
    operation: OPERATIONS.get(intent.op) ?? "Start",
    generation: context.resource.generation,
    ...(typeof version === "string" ? { kubernetesVersion: version } : {}),
  };
}

async function statusOrGone(context: ClusterContext, api: Platform): Promise<ClusterStatus | "gone" | "hidden"> {
  const { externalId: id } = context.spec;
  try {
    const status = await offered(api, "getClusterStatus", () => api.clusters.status(id));
    if (status !== undefined) return status;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.failure.is === "NotFound" || error.failure.is === "Invalid") return "gone";
    if (error.failure.is !== "NotSupported") throw error;
  }
  return (await clusterStatus(id, api)) ?? "hidden";
}
