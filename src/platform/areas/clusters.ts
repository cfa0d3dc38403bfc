import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { json, list, maybe } from "../codec/decode.ts";
import { sent } from "../codec/encode.ts";
import { filled, request, wellFormed } from "../codec/request-schema.ts";
import { count, date, flag, optional, record, text, uuid } from "../codec/schema.ts";

const lock = record({ reason: text, cluster_id: text, locked_at: date, owner_name: text, ttl_in_days: count });

const clusterStatus = record({
  cluster_id: uuid,
  status: z.string(),
  is_deployed: flag,
  reason: text,
  next_k8s_available_version: text,
  last_execution_id: text,
  cluster_lock: optional(lock),
  last_deployment_date: date,
});

const cluster = record({
  id: uuid,
  name: z.string(),
  cloud_provider: text,
  region: text,
  version: text,
  kubernetes: text,
  status: text,
  deployment_status: text,
  created_at: date,
  updated_at: date,
});

const clusterToken = record({
  apiVersion: text,
  kind: text,
  spec: optional(z.looseObject({})),
  status: record({ token: z.string(), expirationTimestamp: date }),
});

const metrics = z.object({ metrics: z.string() });

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

export interface Clusters {
  /** Undefined when the answer has no body. */
  stop(clusterId: string): Promise<ClusterStatus | undefined>;
  /** Upgrades to the next version; the platform chooses which. Undefined when the answer has no body. */
  upgrade(clusterId: string): Promise<ClusterStatus | undefined>;
  /** @param clusterId any plain string (spec). Never remembered. */
  token(clusterId: string, query?: ClusterTokenQuery): Promise<ClusterToken>;
  /** The metrics endpoint's own text. */
  metrics(clusterId: string, query: ClusterMetricsQuery): Promise<string>;
  /** Full surface: all clusters of the organization. */
  list(options?: ReadOptions): Promise<readonly Cluster[]>;
  /** Full surface. */
  status(clusterId: string, options?: ReadOptions): Promise<ClusterStatus>;
  /** Full surface: deploys a cluster, or starts a stopped one. Undefined when the answer has no body. */
  deploy(clusterId: string): Promise<ClusterStatus | undefined>;
}

const clusterList = list(cluster);

export function clusters(caller: Caller): Clusters {
  const status = maybe(clusterStatus);
  return {
    stop: (clusterId) => caller.write("stopCluster", { clusterId }, { answer: status }),
    upgrade: (clusterId) => caller.write("upgradeCluster", { clusterId }, { answer: status }),
    token: (clusterId, query = {}) =>
      caller.fetch("getClusterToken", { clusterId }, { query: sent(tokenQuery, query), answer: json(clusterToken) }),
    metrics: async (clusterId, query) => {
      const answer = await caller.fetch(
        "getClusterMetrics",
        { clusterId },
        { query: sent(metricsQuery, query), answer: json(metrics) },
      );
      return answer.metrics;
    },
    list: (options) => caller.read("listClusters", {}, { answer: clusterList, ...options }),
    status: (clusterId, options) =>
      caller.read("getClusterStatus", { clusterId }, { answer: json(clusterStatus), ...options }),
    deploy: (clusterId) => caller.write("deployCluster", { clusterId }, { answer: status }),
  };
}
