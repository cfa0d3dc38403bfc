/** Reads a cluster: list and status where the platform has them; the documented surface shows nothing. */
import type { Cluster, ClusterStatus } from "../../platform/areas/clusters.ts";
import { clusterPhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { isRoutine, presenceIn } from "../shared/presence.ts";
import { readOnFull } from "../shared/surface.ts";
import { clusterFacts, NOTHING_OBSERVED, type Attempt, type ClusterContext, type Observed } from "./model.ts";
import { clusterBaseline, refusal } from "./operation.ts";
import { clusterRun } from "./run.ts";
import { tokenDue } from "./token.ts";

/** Names, regions and versions change rarely, and all clusters of a connection share the list. */
const LIST_MAX_AGE_MS = 60_000;
const CREDENTIALS_MAX_AGE_MS = 600_000;

/** Reads a cluster, and the credentials and the token that are due. @throws ApiError */
export async function observe(context: ClusterContext, api: Platform): Promise<Observed> {
  const observed = (await shown(context, api)) ?? NOTHING_OBSERVED;
  if (
    context.goal !== "present" ||
    context.identitySource !== "recorded" ||
    typeof observed.listed === "string" ||
    refusal(context, observed) !== undefined
  )
    return observed;
  const { credentialsId, externalId, writeTokenSecretToRef } = context.spec;
  const maxAgeMs = context.requested === undefined ? CREDENTIALS_MAX_AGE_MS : 0;
  const credentials =
    credentialsId === undefined
      ? undefined
      : await attempt(api.organization.gcpCredentials(credentialsId, { maxAgeMs }));
  const token = tokenDue(context, observed, clusterRun(context).wanted)
    ? await attempt(api.clusters.token(externalId, { readOnly: writeTokenSecretToRef?.readOnly ?? true }))
    : undefined;
  return { ...observed, credentials, token };
}

async function shown(context: ClusterContext, api: Platform): Promise<Observed | undefined> {
  const { externalId: id } = context.spec;
  const isIt = (cluster: Cluster) => cluster.id === id;
  const find = (clusters: readonly Cluster[]) => {
    const presence = presenceIn(context, clusters, isIt);
    return clusters.find(isIt) ?? presence;
  };
  const read = async (maxAgeMs: number) => find(await api.clusters.list({ maxAgeMs }));
  // The list is read first, so that nothing is read about a cluster of another organization.
  const shared = await readOnFull(context, api, () => read(isRoutine(context) ? LIST_MAX_AGE_MS : 0));
  if (shared === undefined) return undefined;
  // A cached list does not prove that the cluster is absent.
  const listed = typeof shared === "string" && isRoutine(context) ? await read(0) : shared;
  if (typeof listed === "string") return { ...NOTHING_OBSERVED, listed };
  const { status, isOwnStatus } = await statusOf(context, api);
  const { memory } = context;
  const hasMoved = status !== undefined && clusterBaseline(memory) !== clusterBaseline(clusterFacts(status));
  // A version that was listed before an upgrade ended would be reported as its result.
  const isOver = hasMoved && clusterPhase(status.status) !== "busy";
  return { ...NOTHING_OBSERVED, listed: isOver ? await read(0) : listed, status, isOwnStatus };
}

/** Reads the status: by the cluster's own read, else from the list. @throws ApiError as `readOnFull` */
async function statusOf(
  context: ClusterContext,
  api: Platform,
): Promise<Required<Pick<Observed, "isOwnStatus">> & Pick<Observed, "status">> {
  const own = await readOnFull(context, api, () => api.clusters.status(context.spec.externalId));
  if (own !== undefined) return { status: own, isOwnStatus: true };
  const { memory } = context;
  // The cluster was last observed at work, or has an open request.
  const isFollowed = memory.lastOrder?.baseline !== undefined || clusterPhase(memory.state ?? "") === "busy";
  return { status: await listedStatus(context, api, isFollowed ? 0 : LIST_MAX_AGE_MS), isOwnStatus: false };
}

/**
 * Returns the status of the context's cluster in the list of clusters.
 * @returns undefined where the list does not show it
 * @throws ApiError as `readOnFull`
 */
export async function listedStatus(
  context: ClusterContext,
  api: Platform,
  maxAgeMs = 0,
): Promise<ClusterStatus | undefined> {
  const { externalId: id } = context.spec;
  const clusters = await readOnFull(context, api, () => api.clusters.list({ maxAgeMs }));
  const status = clusters?.find((cluster) => cluster.id === id)?.status;
  return status === undefined ? undefined : { clusterId: id, status };
}

/** Failures of the connection, which reports them itself. */
const OF_CONNECTION: ReadonlySet<ApiFailure["is"]> = new Set([
  "Unauthorized",
  "Intercepted",
  "RateLimited",
  "OverBudget",
  "Unreachable",
]);

async function attempt<T>(read: Promise<T>): Promise<Attempt<T>> {
  try {
    return { is: "found", value: await read };
  } catch (error) {
    if (error instanceof ApiError && !OF_CONNECTION.has(error.failure.is)) return { is: "failed", error };
    throw error;
  }
}
