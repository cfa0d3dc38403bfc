/** The reads of a cluster: list and status on the full surface; on the documented one nothing shows it. */
import type { ClusterStatus } from "../../platform/clusters.ts";
import { ApiError, type ApiFailure } from "../../platform/errors.ts";
import type { Platform } from "../../platform/index.ts";
import { clusterPhase } from "../../platform/states.ts";
import { NOTHING_SEEN, type Attempt, type ClusterPass, type Seen } from "./model.ts";
import { refusal } from "./refusal.ts";
import { tokenDue } from "./token.ts";

/** Names, regions and versions change rarely, and all clusters of a connection share the list. */
const LIST_MAX_AGE_MS = 60_000;
const CREDENTIALS_MAX_AGE_MS = 600_000;

/** @throws ApiError */
export async function observe(pass: ClusterPass, api: Platform): Promise<Seen> {
  const seen = pass.surface === "Full" ? await shown(pass, api) : NOTHING_SEEN;
  if (pass.goal !== "present" || pass.proof !== "recorded" || refusal(pass, seen) !== undefined) return seen;
  const { credentialsId, externalId, writeTokenSecretToRef } = pass.spec;
  const maxAgeMs = pass.requested === undefined ? CREDENTIALS_MAX_AGE_MS : 0;
  const credentials =
    credentialsId === undefined
      ? undefined
      : await attempt(api.organization.gcpCredentials(credentialsId, { maxAgeMs }));
  const token = tokenDue(pass, seen)
    ? await attempt(api.clusters.token(externalId, { readOnly: writeTokenSecretToRef?.readOnly ?? true }))
    : undefined;
  return { ...seen, credentials, token };
}

/** The status first: a version that was listed before an upgrade has ended would be told as its result. */
async function shown(pass: ClusterPass, api: Platform): Promise<Seen> {
  const { externalId: id } = pass.spec;
  const status = await orMissing(api.clusters.status(id));
  const clusters = await api.clusters.list({ maxAgeMs: isMoving(pass) ? 0 : LIST_MAX_AGE_MS });
  const listed = clusters.find((cluster) => cluster.id === id);
  if (listed === undefined) return { ...NOTHING_SEEN, listed: "none" };
  return { ...NOTHING_SEEN, listed, status: status ?? listedStatus(id, listed.status) };
}

/** Whether the list may have changed since it was last read. */
function isMoving({ memory, proof, requested, goal }: ClusterPass): boolean {
  if (proof !== "recorded" || requested !== undefined || goal !== "present") return true;
  return memory.lastOrder?.baseline !== undefined || clusterPhase(memory.state ?? "") === "busy";
}

/** The list tells a state as well, for services that have no status of one cluster. */
function listedStatus(clusterId: string, status: string | undefined): ClusterStatus | undefined {
  return status === undefined ? undefined : { clusterId, status };
}

/** A cluster that is not there is answered with 400 or 404 (api-behaviour §3.4). */
const MISSING: ReadonlySet<ApiFailure["is"]> = new Set(["NotFound", "Invalid", "NotSupported"]);

async function orMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError && MISSING.has(error.failure.is)) return undefined;
    throw error;
  }
}

/** Failures of the connection, which tells them itself. */
const OF_CONNECTION: ReadonlySet<ApiFailure["is"]> = new Set([
  "Unauthorized",
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
