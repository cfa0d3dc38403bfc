import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { read, write } from "../client/endpoints.ts";
import { json, list, maybe } from "../codec/decode.ts";
import { filled, request, sent, wellFormed } from "../codec/encode.ts";
import { optional, optionalDate, optionalFlag, optionalNumber, optionalText, pathId, record } from "../codec/schema.ts";

const lock = record({
  reason: optionalText,
  cluster_id: optionalText,
  locked_at: optionalDate,
  owner_name: optionalText,
  ttl_in_days: optionalNumber,
});

const clusterStatus = record({
  cluster_id: pathId,
  status: z.string(),
  is_deployed: optionalFlag,
  reason: optionalText,
  next_k8s_available_version: optionalText,
  last_execution_id: optionalText,
  cluster_lock: optional(lock),
  last_deployment_date: optionalDate,
});

const cluster = record({
  id: pathId,
  name: z.string(),
  cloud_provider: optionalText,
  region: optionalText,
  version: optionalText,
  kubernetes: optionalText,
  status: optionalText,
  deployment_status: optionalText,
  created_at: optionalDate,
  updated_at: optionalDate,
});

const clusterToken = record({
  apiVersion: optionalText,
  kind: optionalText,
  spec: optional(z.looseObject({})),
  status: record({ token: z.string(), expirationTimestamp: optionalDate }),
});

const metrics = z.object({ metrics: z.string() }).transform((answer) => answer.metrics);

const tokenQuery = request({ readOnly: z.boolean().optional() });

const metricsQuery = request({
  endpoint: filled,
  query: filled,
  start: wellFormed.optional(),
  end: wellFormed.optional(),
  step: wellFormed.optional(),
  time: wellFormed.optional(),
  timeout: wellFormed.optional(),
  dedup: wellFormed.optional(),
  partialResponse: wellFormed.optional(),
  maxSourceResolution: wellFormed.optional(),
  engine: wellFormed.optional(),
  analyze: wellFormed.optional(),
  boardShortName: wellFormed.optional(),
  metricShortName: wellFormed.optional(),
  traceId: wellFormed.optional(),
  range: wellFormed.optional(),
});

export type ClusterStatus = z.output<typeof clusterStatus>;
export type Cluster = z.output<typeof cluster>;
/** A short-lived credential of the cluster: `status.token` is a secret. */
export type ClusterToken = z.output<typeof clusterToken>;

export type ClusterMetricsQuery = z.input<typeof metricsQuery>;
export type ClusterTokenQuery = z.input<typeof tokenQuery>;

const clusterList = list(cluster);

export function clusters(caller: Caller) {
  return {
    stop: write(caller, "stopCluster", maybe(clusterStatus)),
    /** Upgrades to the next version; the platform chooses which. */
    upgrade: write(caller, "upgradeCluster", maybe(clusterStatus)),
    /** Never remembered. @param clusterId any plain string (spec) */
    token: (clusterId: string, query: ClusterTokenQuery = {}) =>
      caller.fetch("getClusterToken", [clusterId], { query: sent(tokenQuery, query), answer: json(clusterToken) }),
    /** Returns the metrics endpoint's own text. */
    metrics: (clusterId: string, query: ClusterMetricsQuery) =>
      caller.fetch("getClusterMetrics", [clusterId], { query: sent(metricsQuery, query), answer: json(metrics) }),
    /** All clusters of the organization. */
    list: read(caller, "listClusters", clusterList),
    status: read(caller, "getClusterStatus", json(clusterStatus)),
    /** Deploys a cluster, or starts a stopped one. */
    deploy: write(caller, "deployCluster", maybe(clusterStatus)),
  };
}
