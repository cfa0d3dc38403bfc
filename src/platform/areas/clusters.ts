import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { read, write } from "../client/endpoints.ts";
import { json, list, longJson, jsonOrEmpty } from "../codec/decode.ts";
import { nonBlank, request, encodeWith, toSnakeCase, wellFormed } from "../codec/encode.ts";
import { optional, pathId, record } from "../codec/schema.ts";

const lock = record({
  reason: optional.text,
  cluster_id: optional.text,
  locked_at: optional.date,
  owner_name: optional.text,
  ttl_in_days: optional.number,
});

const clusterStatus = record({
  cluster_id: pathId,
  status: z.string(),
  is_deployed: optional.flag,
  reason: optional.text,
  next_k8s_available_version: optional.text,
  last_execution_id: optional.text,
  cluster_lock: optional.of(lock),
  last_deployment_date: optional.date,
});

const cluster = record({
  id: pathId,
  name: z.string(),
  cloud_provider: optional.text,
  region: optional.text,
  version: optional.text,
  kubernetes: optional.text,
  status: optional.text,
  deployment_status: optional.text,
  created_at: optional.date,
  updated_at: optional.date,
});

const clusterToken = record({
  apiVersion: optional.text,
  kind: optional.text,
  spec: optional.of(z.looseObject({})),
  status: record({ token: z.string(), expirationTimestamp: optional.date }),
});

const metrics = z.object({ metrics: z.string() }).transform((answer) => answer.metrics);

const tokenQuery = request({ readOnly: z.boolean().optional() });

/** All other members are optional strings for the metrics endpoint, e.g. `start` and `maxSourceResolution`. */
const metricsQuery = z
  .object({ endpoint: nonBlank, query: nonBlank })
  .catchall(wellFormed.optional())
  .transform(toSnakeCase);

export type ClusterStatus = z.output<typeof clusterStatus>;
export type Cluster = z.output<typeof cluster>;
/** A short-lived credential of the cluster: `status.token` is a secret. */
export type ClusterToken = z.output<typeof clusterToken>;

const clusterList = list(cluster);

/** @returns the operations on clusters; each function throws ApiError */
export function clusters(caller: Caller) {
  return {
    stop: write(caller, "stopCluster", jsonOrEmpty(clusterStatus)),
    /** Upgrades to the next version; the platform chooses which. */
    upgrade: write(caller, "upgradeCluster", jsonOrEmpty(clusterStatus)),
    /** Returns a new token; no answer is cached. @param clusterId any plain string (spec) */
    token: (clusterId: string, query: z.input<typeof tokenQuery> = {}) =>
      caller.fetch("getClusterToken", [clusterId], {
        query: encodeWith(tokenQuery, query),
        answer: json(clusterToken),
      }),
    /** Returns the text of the metrics endpoint unchanged. */
    metrics: (clusterId: string, query: z.input<typeof metricsQuery>) =>
      caller.fetch("getClusterMetrics", [clusterId], {
        query: encodeWith(metricsQuery, query),
        answer: longJson(metrics),
      }),
    /** All clusters of the organization. */
    list: read(caller, "listClusters", clusterList),
    status: read(caller, "getClusterStatus", json(clusterStatus)),
    /** Deploys a cluster, or starts a stopped one. */
    deploy: write(caller, "deployCluster", jsonOrEmpty(clusterStatus)),
  };
}
